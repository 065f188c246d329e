#include "density/ranks/ranked_density.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "sim/comm/agreed.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

enum class Kind : std::uint32_t { grid, plan, octree };

/// The plain values of a request.
struct Task {
    Kind kind = Kind::grid;
    Method method = Method::tetrahedra;
    Split split = Split::automatic;
    Precision precision = Precision::double_precision;
    Grid grid;
    Fields fields;
    Index every = 1;
    std::uint32_t n_axes = 0;
    char axes[16] = {};
    bool has_first_id = false;
    std::uint64_t first_id = 0;
    RefinementRules rules;
    std::uint64_t batch_bytes = 0;
};
static_assert(std::is_trivially_copyable_v<Task>);

void set_lattice(Task& task, const LatticeChoice& lattice)
{
    task.every = lattice.every;
    if (lattice.axes) {
        expect_axes(*lattice.axes);
        task.n_axes = static_cast<std::uint32_t>(lattice.axes->size());
        std::copy_n(lattice.axes->data(), task.n_axes, task.axes);
    }
    task.has_first_id = lattice.first_id.has_value();
    task.first_id = lattice.first_id.value_or(0);
}

LatticeChoice lattice_of(const Task& task)
{
    LatticeChoice lattice;
    lattice.every = task.every;
    if (task.n_axes > 0) lattice.axes = std::string(task.axes, task.n_axes);
    if (task.has_first_id) lattice.first_id = task.first_id;
    return lattice;
}

Task task_for(const DepositConfig& config, Split split)
{
    Task task;
    task.method = config.method;
    task.split = split;
    task.precision = config.precision;
    task.grid = config.grid;
    task.fields = config.fields;
    set_lattice(task, config.lattice);
    return task;
}

Task task_for(const OctreeConfig& config)
{
    Task task;
    task.kind = Kind::plan;
    task.precision = config.precision;
    task.grid = config.root;
    task.fields = config.fields;
    set_lattice(task, config.lattice);
    task.rules = config.rules;
    task.batch_bytes = config.batch_bytes;
    return task;
}

DepositConfig deposit_config(const Task& task)
{
    return {.method = task.method,
            .grid = task.grid,
            .fields = task.fields,
            .lattice = lattice_of(task),
            .precision = task.precision};
}

OctreeConfig octree_config(const Task& task)
{
    return {.root = task.grid,
            .rules = task.rules,
            .fields = task.fields,
            .lattice = lattice_of(task),
            .precision = task.precision,
            .batch_bytes = static_cast<std::size_t>(task.batch_bytes)};
}

std::vector<std::byte> bytes_of_task(const Task& task)
{
    const auto bytes = comm::bytes_of(task);
    return {bytes.begin(), bytes.end()};
}

void send(const DensityRanks& ranks, const Task& task)
{
    std::vector<std::byte> bytes = bytes_of_task(task);
    ranks.all.broadcast_any(bytes, 0);
}

template <class Work>
auto together(comm::Communicator& ranks, Work work)
{
    return comm::ending_together(
        ranks, std::move(work),
        "memory is exhausted while densities are made: take more ranks, or hosts with more memory");
}

/// On rank 0: a stop that its progress asks for reaches all ranks as an error, and here becomes Stopped
/// again.
template <class Work>
auto led(comm::Communicator& ranks, const Progress& progress, Work&& work)
{
    try {
        return together(ranks, work);
    } catch (const Stopped&) {
        throw;
    } catch (const Error& error) {
        if (progress.stop && progress.stop()) throw Stopped(error.what());
        throw;
    }
}

ConstParticlesView no_particles()
{
    ConstParticlesView nothing{};
    nothing.where = Backend::cpu;
    return nothing;
}

GridOverParts deposit_together(const DensityRanks& ranks, const ConstParticlesView& particles,
                               const DepositConfig& config, Split split)
{
    comm::Parts parts(ranks.all, 1);
    return deposit_over_parts(ranks.exec, parts, ranks.moves, {&particles, 1}, config, split);
}

/// Serves one task after the other, and keeps the octree between its plan and its deposit.
class Server {
public:
    explicit Server(const DensityRanks& ranks) : ranks_(ranks) {}

    void serve(const Task& task)
    {
        const ConstParticlesView nothing = no_particles();
        comm::Parts parts(ranks_.all, 1);
        if (task.kind == Kind::grid) {
            deposit_together(ranks_, nothing, deposit_config(task), task.split);
        } else if (task.kind == Kind::plan) {
            octree_.reset();
            octree_.emplace(plan_octree_over_parts(parts, {&nothing, 1}, octree_config(task)));
        } else if (octree_) {
            deposit_octree_over_parts(ranks_.exec, parts, *octree_, {});
        }
    }

private:
    const DensityRanks& ranks_;
    std::optional<OctreeOverParts> octree_;
};

}  // namespace

GridOverParts lead_deposit(const DensityRanks& ranks, const ConstParticlesView& particles,
                           const DepositConfig& config, Split split)
{
    return led(ranks.all, config.progress, [&] { return deposit_together(ranks, particles, config, split); });
}

GridOverParts ranked_deposit(const DensityRanks& ranks, const ConstParticlesView& particles,
                             const DepositConfig& config, Split split)
{
    send(ranks, task_for(config, split));
    return lead_deposit(ranks, particles, config, split);
}

OctreeOverParts ranked_plan(const DensityRanks& ranks, const ConstParticlesView& particles,
                            const OctreeConfig& config)
{
    send(ranks, task_for(config));
    return led(ranks.all, config.progress, [&] {
        comm::Parts parts(ranks.all, 1);
        return plan_octree_over_parts(parts, {&particles, 1}, config);
    });
}

OctreeTotals ranked_octree(const DensityRanks& ranks, const OctreeOverParts& octree, const PatchSink& sink)
{
    Task task;
    task.kind = Kind::octree;
    send(ranks, task);
    return led(ranks.all, octree.plans[0].config.progress, [&] {
        comm::Parts parts(ranks.all, 1);
        return deposit_octree_over_parts(ranks.exec, parts, octree, sink);
    });
}

std::vector<std::byte> task_of(const DepositConfig& config, Split split)
{
    return bytes_of_task(task_for(config, split));
}

void serve_deposit(const DensityRanks& ranks, std::span<const std::byte> bytes)
{
    Task task;
    AUREOLE_EXPECT(bytes.size() == sizeof task, "a request for a density of {} bytes, expected {}",
                   bytes.size(), sizeof task);
    std::memcpy(&task, bytes.data(), sizeof task);
    together(ranks.all, [&] {
        Server(ranks).serve(task);
        return 0;
    });
}

void serve_densities(const DensityRanks& ranks)
{
    Server server(ranks);
    for (;;) {
        std::vector<std::byte> bytes;
        ranks.all.broadcast_any(bytes, 0);
        if (bytes.empty()) return;
        Task task;
        std::memcpy(&task, bytes.data(), sizeof task);
        try {
            together(ranks.all, [&] {
                server.serve(task);
                return 0;
            });
        } catch (const Error&) {  // of all ranks: rank 0 tells it
        }
    }
}

void end_densities(comm::Communicator& ranks)
{
    std::vector<std::byte> nothing;
    ranks.broadcast_any(nothing, 0);
}

}  // namespace aureole::density

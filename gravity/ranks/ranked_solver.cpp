// Rank 0's side of forces by several ranks.
#include <algorithm>

#include "gravity/acceleration_passes.hpp"
#include "gravity/ranks/ranked_solver.hpp"
#include "gravity/tree/tree.hpp"

namespace aureole::gravity {

using namespace ranks;

namespace {

SlicedSolver& sliced(Solver& solver)
{
    if (auto* const found = dynamic_cast<SlicedSolver*>(&solver)) return *found;
    throw ConfigError(
        "the gravity solver cannot share its targets (it is no SlicedSolver), and the run is on several "
        "ranks; "
        "expected one of the solvers direct, tree, treepm and scf, or one rank");
}

std::vector<std::byte> message_of(const Header& header, std::span<const std::byte> rest)
{
    std::vector<std::byte> message(sizeof header + rest.size());
    std::memcpy(message.data(), &header, sizeof header);
    if (!rest.empty()) std::memcpy(message.data() + sizeof header, rest.data(), rest.size());
    return message;
}

/// For a header, with the contents of a list behind it.
SelectionMessage message_of(Exec exec, const Selection& selection, std::vector<std::byte>& lists)
{
    if (selection.list && selection.size() > 0) {
        const std::size_t before = lists.size(), bytes = selection.size() * sizeof(Index);
        lists.resize(before + bytes);
        if (exec.backend == Backend::cpu) {
            std::memcpy(lists.data() + before, selection.list, bytes);
        } else {
            device::wait(exec.stream);
            device::copy(lists.data() + before, selection.list, bytes);
        }
    }
    return {reinterpret_cast<std::uintptr_t>(selection.list), selection.range};
}

bool is_same(const ConstVec3View& a, const ConstVec3View& b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// The configuration of a tree over domains, or nullptr.
const gravity::Config* domains_of(const Solver& solver)
{
    const auto* const found = dynamic_cast<const tree::Tree*>(&solver);
    return found && found->config().plugins.get<tree::Config>().domains ? &found->config() : nullptr;
}

/// Bytes that are enough to keep them, without a buffer of none.
void keep(Exec exec, Buffer<std::byte>& to, const std::byte* from, std::size_t bytes)
{
    to.require(exec.backend, std::max<std::size_t>(bytes, 1));
    if (bytes == 0) return;
    if (exec.backend == Backend::cpu)
        std::memcpy(to.data(), from, bytes);
    else
        device::copy(exec.stream, to.data(), from, bytes);
}

}  // namespace

RankedSolver::RankedSolver(comm::Communicator& ranks, std::shared_ptr<comm::DeviceMoves> moves,
                           std::unique_ptr<Solver> solver, std::span<const std::byte> settings)
    : ranks_(ranks), moves_(std::move(moves)), solver_(std::move(solver)), sliced_(sliced(*solver_))
{
    const gravity::Config* const by_domains = domains_of(*solver_);
    Header header;
    header.task = Task::begin;
    send({}, header, settings, {}, {});
    together(ranks_, [] {});
    if (by_domains) by_domains_ = std::make_unique<ForcesByDomains>(ranks_, *by_domains, moves_->where());
}

RankedSolver::RankedSolver(comm::Communicator& ranks, std::unique_ptr<Solver> solver,
                           std::span<const std::byte> settings)
    : RankedSolver(ranks, comm::host_moves(ranks), std::move(solver), settings)
{
}

void RankedSolver::expect_here(Exec exec, const ConstParticlesView& particles) const
{
    expect_same_memory(exec, particles);
    if (exec.backend != moves_->where())
        throw ConfigError(fmt::format("ranks share forces of particles on {}, found some on {}",
                                      name_of(moves_->where()), name_of(exec.backend)));
}

bool RankedSolver::is_sent(Exec exec, const Sent& sent, const void* array, std::size_t bytes)
{
    if (!sent.is_present || sent.size != bytes) return false;
    flag_.require(exec.backend, 1);
    return is_equal(exec, sent.bytes.data(), array, bytes, flag_.data());
}

/// With the slow arrays that the others have to be sent, which count as sent from now on.
Header RankedSolver::header_for(Exec exec, Task task, const ConstParticlesView& particles)
{
    Header header;
    header.task = task;
    header.n = particles.n;
    header.set = reinterpret_cast<std::uintptr_t>(particles.component);
    const SlowArrays<const void*> arrays = slow_arrays(particles);
    for (std::size_t k = 0; k < n_slow; ++k) {
        const std::size_t bytes = particles.n * slow_size[k];
        Sent& sent = sent_[k];
        const bool is_present = arrays[k] != nullptr;
        const bool is_moved = k == component_array && particles.component != set_;
        if (is_present) header.present |= 1u << k;
        if (!is_present || (!is_moved && is_sent(exec, sent, arrays[k], bytes))) continue;
        header.changed |= 1u << k;
        keep(exec, sent.bytes, static_cast<const std::byte*>(arrays[k]), bytes);
        sent.size = bytes;
        sent.is_present = true;
    }
    set_ = particles.component;
    return header;
}

/// `rest` follows the header in its message; `previous` is sent where the header says so.
void RankedSolver::send(Exec exec, const Header& header, std::span<const std::byte> rest,
                        const ConstParticlesView& particles, const ConstVec3View& previous)
{
    std::vector<std::byte> message = message_of(header, rest);
    exchange(ranks_, [&] {
        broadcast_message(ranks_, message);
        const SlowArrays<const void*> arrays = slow_arrays(particles);
        for (std::size_t k = 0; k < n_slow; ++k)
            if (header.changed >> k & 1) broadcast(*moves_, exec, arrays[k], particles.n * slow_size[k]);
        if (header.task == Task::prepare || header.task == Task::restore)
            broadcast(*moves_, exec, particles.position, particles.n);
        if (header.previous == Previous::sent) broadcast(*moves_, exec, previous, particles.n);
    });
}

void RankedSolver::prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                           const TargetRequest& expected)
{
    expect_here(exec, particles);
    deferred_.reset();
    if (!by_domains_) return prepare_everywhere(exec, particles, request, expected);
    expect_open_space("the tree code", request.box);
    const Index n = particles.n;
    if (!request.sources.is_everything(n) || !expected.targets.is_everything(n))
        return prepare_everywhere(exec, particles, request, expected);
    deferred_ = Deferred{request, expected.targets};
}

void RankedSolver::prepare_everywhere(Exec exec, const ConstParticlesView& particles,
                                      const SourceRequest& request, const TargetRequest& expected)
{
    const ConstVec3View& previous = expected.previous_acceleration;
    Header header = header_for(exec, Task::prepare, particles);
    std::vector<std::byte> lists;
    header.sources = message_of(exec, request.sources, lists);
    header.targets = message_of(exec, expected.targets, lists);
    header.time = request.time;
    header.box = request.box;
    header.previous = previous.absent() ? Previous::absent : Previous::sent;
    send(exec, header, lists, particles, previous);
    prepared_previous_ = previous;
    is_fresh_ = true;
    together(ranks_,
             [&] { clock_.time(exec, [&] { solver_->prepare(exec, particles, request, expected); }); });
}

void RankedSolver::evaluate(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                            const ForceOutputs& outputs)
{
    expect_here(exec, particles);
    if (deferred_ && request.targets.is_everything(particles.n))
        return evaluate_by_domains(exec, particles, request, outputs);
    if (deferred_) {
        // previous accelerations may have been written since: they come with the request
        const Deferred asked = *std::exchange(deferred_, {});
        prepare_everywhere(exec, particles, asked.request, {asked.targets, {}});
    }
    const ConstVec3View& previous = request.previous_acceleration;
    const std::size_t n_sums = sums_for(particles.n, outputs.potential);
    sums_.require(exec.backend, std::max<std::size_t>(n_sums, 1));
    ranks::set_to_zero(exec, sums_.data(), n_sums);

    Header header;
    header.task = Task::evaluate;
    header.n = particles.n;
    std::vector<std::byte> lists;
    header.targets = message_of(exec, request.targets, lists);
    header.potential = outputs.potential != nullptr;
    // the array of prepare() may have been written by an evaluation since
    const bool is_kept = is_fresh_ && is_same(previous, prepared_previous_);
    header.previous = previous.absent() ? Previous::absent : is_kept ? Previous::kept : Previous::sent;
    is_fresh_ = false;
    send(exec, header, lists, particles, previous);

    const ForceOutputs sums = outputs_in(sums_.data(), particles.n, outputs.potential);
    const Slice slice{0, static_cast<unsigned>(ranks_.size())};
    together(ranks_, [&] {
        clock_.time(exec, [&] { sliced_.evaluate_slice(exec, particles, request, slice, sums); });
    });
    exchange(ranks_, [&] { gather(*moves_, exec, sums_.data(), n_sums); });
    copy_targets(exec, request.targets.clipped(particles.n), sums, outputs);
    sliced_.finish(exec, particles, request, outputs);
}

void RankedSolver::evaluate_by_domains(Exec exec, const ConstParticlesView& particles,
                                       const TargetRequest& request, const ForceOutputs& outputs)
{
    Header header;
    header.task = Task::domains;
    header.potential = outputs.potential != nullptr;
    send(exec, header, {}, particles, {});
    exchange(ranks_, [&] {
        by_domains_->evaluate(exec, particles, request.previous_acceleration, outputs, header.potential);
    });
    if (particles.n == 0 || !domains_of(*solver_)->plugins.get<tree::Config>().conserve_momentum) return;
    net_force_.require(exec.backend, net_force_scratch(exec.backend, particles.n));
    cancel_net_force(exec, particles, outputs.acceleration, NetForceShare::by_acceleration,
                     net_force_.data());
}

void RankedSolver::restore_state(Exec exec, const ConstParticlesView& particles,
                                 std::span<const double> state)
{
    expect_here(exec, particles);
    is_fresh_ = false;
    // a tree over domains keeps nothing between evaluations: no rank needs a copy of all particles for it
    if (by_domains_) return solver_->restore_state(exec, particles, state);
    send(exec, header_for(exec, Task::restore, particles), std::as_bytes(state), particles, {});
    together(ranks_, [&] { solver_->restore_state(exec, particles, state); });
}

void RankedSolver::begin_other(std::span<const std::byte> task)
{
    Header header;
    header.task = Task::other;
    is_fresh_ = false;
    send({}, header, task, {}, {});
}

RankedMemory ranked_memory(std::size_t n)
{
    std::size_t both = sums_for(n, true) * sizeof(double);
    for (const std::size_t bytes : slow_size) both += bytes * n;
    // positions, and the accelerations before
    return {both, both + 2 * 3 * n * sizeof(double)};
}

std::size_t RankedSolver::scratch_bytes(Backend where, std::size_t n) const
{
    std::size_t own = ranked_memory(n).first;
    // particles on their way to domains, twice
    if (by_domains_) own += 2 * domains::DomainParticles::bytes_per_particle * n;
    return solver_->scratch_bytes(where, n) + own;
}

void begin_other(comm::Communicator& ranks, std::span<const std::byte> task)
{
    Header header;
    header.task = Task::other;
    std::vector<std::byte> message = message_of(header, task);
    exchange(ranks, [&] { broadcast_message(ranks, message); });
}

void end_forces(comm::Communicator& ranks)
{
    std::vector<std::byte> message = message_of(Header{}, {});  // Task::end
    exchange(ranks, [&] { broadcast_message(ranks, message); });
}

}  // namespace aureole::gravity

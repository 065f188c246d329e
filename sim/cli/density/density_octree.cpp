#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>

#include "density/octree/octree_deposit.hpp"
#include "sim/cli/density/density_memory.hpp"
#include "sim/cli/density/density_request.hpp"
#include "sim/cli/stop_signal.hpp"
#include "sim/cli/terminal_log.hpp"
#include "sim/core/error.hpp"
#include "sim/io/fields/octree_file.hpp"

namespace aureole::cli {
namespace {

Index levels_of(const DensityCommand& command, const density::Grid& root, std::size_t n_particles)
{
    if (command.levels) return *command.levels;
    return density::levels_down_to(root, command.smallest_cell.value_or(density::usual_smallest_cell(
                                             root.box, n_particles, command.every)));
}

density::OctreeConfig octree_config(const DensityCommand& command, const LoadedSnapshot& loaded)
{
    const density::DepositConfig uniform = density_config(command, loaded.snapshot);
    if (uniform.method != density::Method::tetrahedra)
        throw ConfigError(
            fmt::format("--octree: cells are refined by the number of tetrahedra in them; found --method {}, "
                        "expected tetrahedra",
                        command.method));
    if (!uniform.grid.box.periodic())
        throw ConfigError("--octree: the box has no side; phase-space tetrahedra need a periodic box");
    density::OctreeConfig config{.root = uniform.grid,
                                 .rules = {},
                                 .fields = uniform.fields,
                                 .lattice = uniform.lattice,
                                 .precision = uniform.precision,
                                 .shared = uniform.shared};
    for (density::GridAxis& axis : config.root.axis) axis.cells = command.patch;
    const std::uint64_t cells = std::uint64_t{command.patch} * command.patch * command.patch;
    config.rules.refine_above = command.refine_above.value_or(cells);
    config.rules.levels = levels_of(command, config.root, loaded.snapshot.particles.size());
    return config;
}

io::OctreeLayout layout_of(const density::Octree& tree)
{
    io::OctreeLayout layout{.cells = tree.cells(),
                            .low = {tree.nodes[0].low.x, tree.nodes[0].low.y, tree.nodes[0].low.z},
                            .size = tree.nodes[0].size,
                            .level = {},
                            .place = tree.place,
                            .first_child = {},
                            .parent = {}};
    const auto number = [](Index node) {
        return node == density::no_child ? std::int64_t{-1} : std::int64_t{node};
    };
    for (Index node = 0; node < tree.n_nodes(); ++node) {
        layout.level.push_back(tree.nodes[node].level);
        layout.first_child.push_back(number(tree.nodes[node].first_child));
        layout.parent.push_back(number(tree.parent[node]));
    }
    return layout;
}

/// A field of the file and how a patch gives it.
struct WrittenField {
    io::OctreeField field;
    void (*fill)(const density::PatchFields& patch, std::size_t cell, double* to);
};

std::vector<WrittenField> fields_of(const DensityCommand& command)
{
    using density::PatchFields;
    const DensityFields wanted = density_fields(command);
    std::vector<WrittenField> fields;
    if (wanted.mass)
        fields.push_back({{"Density"}, [](const PatchFields& patch, std::size_t cell, double* to) {
                              *to = patch.density(cell);
                          }});
    if (wanted.others.velocity)
        fields.push_back({{"Velocity", 3}, [](const PatchFields& patch, std::size_t cell, double* to) {
                              const Vec3 v = patch.velocity(cell);
                              to[0] = v.x;
                              to[1] = v.y;
                              to[2] = v.z;
                          }});
    if (wanted.others.dispersion)
        fields.push_back({{"VelocityDispersion"}, [](const PatchFields& patch, std::size_t cell, double* to) {
                              *to = patch.dispersion(cell);
                          }});
    if (wanted.others.streams)
        fields.push_back(
            {{"NumberOfStreams", 1, true},
             [](const PatchFields& patch, std::size_t cell, double* to) { *to = patch.streams[cell]; }});
    return fields;
}

io::Attributes settings_of(const LoadedSnapshot& loaded, const density::OctreePlan& plan,
                           const density::OctreeTotals& totals, Backend backend)
{
    io::Attributes settings{{"Method", std::string(attribute_of(density::Method::tetrahedra))},
                            {"Precision", name_of(density::precision_on(backend, plan.config.precision))},
                            {"BoxSize", plan.config.root.box.side},
                            {"TotalMass", totals.mass},
                            {"Particles", static_cast<std::int64_t>(loaded.snapshot.particles.size())},
                            {"RefineAbove", static_cast<std::int64_t>(plan.config.rules.refine_above)},
                            {"MostLevels", static_cast<std::int64_t>(plan.config.rules.levels)},
                            {"LatticeSide", static_cast<std::int64_t>(plan.lattice.side)},
                            {"LatticeAxes", plan.lattice.axes},
                            {"FirstID", static_cast<std::int64_t>(plan.lattice.first_id)},
                            {"SignedVolume", plan.signed_volume}};
    append_units(settings, loaded);
    return settings;
}

void print_tree(const density::OctreePlan& plan)
{
    const density::Octree& tree = plan.tree();
    const double cell = plan.config.root.axis[0].cell_size();
    fmt::print("octree        {} nodes of {}^3 cells, {} of them leaves; cells from {:.6g} to {:.6g}\n",
               tree.n_nodes(), tree.cells(), tree.n_leaves(), cell,
               std::ldexp(cell, 1 - static_cast<int>(tree.n_levels())));
}

void expect_memory(const DensityCommand& command, const density::OctreeMemory& memory)
{
    const std::string what =
        fmt::format("--octree: patches of {0} x {0} x {0} cells in flight", command.patch);
    const std::string less = "a smaller --patch or fewer --fields";
    expect_available(Backend::cpu, memory.in_flight(), what, less);
    if (memory.device() > 0) expect_available(memory.backend, memory.device(), what, less);
}

void print_plan(const density::OctreePlan& plan, const std::vector<WrittenField>& fields,
                std::size_t n_particles, const run::DeviceChoice& device)
{
    const std::size_t state = n_particles * Particles::bytes_per_particle();
    const density::OctreeMemory memory = density::octree_memory(device.exec.backend, plan);
    std::size_t cell = 0;
    for (const WrittenField& f : fields) cell += f.field.width * (f.field.single ? 4 : 8);
    fmt::print("device        {}\nparticles     {}\n", device.description, n_particles);
    print_tree(plan);
    fmt::print("{}", memory_text(Backend::cpu, {{"particles", state},
                                                {"order and tree", memory.host() - memory.in_flight()},
                                                {"patches in flight", memory.in_flight() - memory.chunks},
                                                {"chunks", memory.chunks}}));
    print_available(Backend::cpu, memory.in_flight());
    if (memory.device() > 0) {
        fmt::print("{}", memory_text(memory.backend,
                                     {{"patches in flight", memory.batch}, {"chunks", memory.chunks}}));
        print_available(memory.backend, memory.device());
    }
    fmt::print("file          {:.1f} MB\n",
               1e-6 * static_cast<double>(plan.tree().n_nodes() * plan.tree().cells_per_node() * cell));
}

void print_result(const DensityCommand& command, const density::OctreePlan& plan, double mass)
{
    fmt::print("lattice       {}^3 sites, ids from {}, {} runs fastest\n", plan.lattice.side,
               plan.lattice.first_id, plan.lattice.axes.back());
    fmt::print("tetrahedra    {}, signed volumes add up to {:.15g} of the box\n", plan.tetrahedra(),
               plan.signed_volume);
    if (std::abs(plan.signed_volume - 1) > 1e-9)
        fmt::print(
            "warning: signed volumes do not fill the box: particles have moved too far for nearest images\n");
    print_tree(plan);
    fmt::print("mass {:.15g} written to {}\n", mass, command.output.string());
}

/// Deposits what there is a plan of: calls the sink for each node.
using FillOctree = std::function<density::OctreeTotals(const density::PatchSink&)>;

density::OctreeTotals write_octree(const DensityCommand& command, LoadedSnapshot& loaded,
                                   const density::OctreePlan& plan, const run::DeviceChoice& device,
                                   const run::RunRanks* ranks, const FillOctree& fill)
{
    const std::vector<WrittenField> fields = fields_of(command);
    std::vector<io::OctreeField> stored;
    for (const WrittenField& f : fields) stored.push_back(f.field);
    io::OctreeFile file(command.output, layout_of(plan.tree()), stored);
    std::vector<double> values;
    const density::OctreeTotals totals = fill([&](const density::PatchFields& patch) {
        for (std::size_t f = 0; f < fields.size(); ++f) {
            const std::size_t width = fields[f].field.width;
            values.resize(patch.n_cells() * width);
            for (std::size_t cell = 0; cell < patch.n_cells(); ++cell)
                fields[f].fill(patch, cell, values.data() + cell * width);
            file.write(f, patch.node, values);
        }
    });
    file.commit(settings_of(loaded, plan, totals, device.exec.backend),
                density_provenance(command, device, ranks));
    return totals;
}

}  // namespace

int density_octree(const DensityCommand& command, LoadedSnapshot& loaded, run::RunRanks* ranks)
{
    const run::DeviceChoice device = ranks ? ranks->device : run::choose_device(command.device);
    Particles& particles = loaded.snapshot.particles;
    density::OctreeConfig config = octree_config(command, loaded);
    TerminalLog progress(command.quiet || command.dry_run);
    config.progress.report = [&progress](double fraction, std::string_view) {
        progress.show("density", fraction);
    };
    const StopSignal signals(false);
    config.progress.stop = [&signals] { return signals.requested(); };
    std::optional<density::OctreePlan> alone;
    std::optional<density::OctreeOverParts> shared;
    if (ranks)
        shared.emplace(density::ranked_plan(density_ranks(*ranks), particles.view(), config));
    else
        alone.emplace(density::plan_octree(particles.view(), config));
    const density::OctreePlan& plan = ranks ? shared->plans[0] : *alone;
    if (command.dry_run) {
        print_plan(plan, fields_of(command), particles.size(), device);
        return 0;
    }
    expect_memory(command, density::octree_memory(device.exec.backend, plan));
    const density::OctreeTotals totals =
        write_octree(command, loaded, plan, device, ranks, [&](const density::PatchSink& sink) {
            if (ranks) return density::ranked_octree(density_ranks(*ranks), *shared, sink);
            return density::deposit_octree(device.exec, particles.view(), plan, sink);
        });
    progress.finish();
    if (!command.quiet) print_result(command, plan, totals.mass);
    return 0;
}

}  // namespace aureole::cli

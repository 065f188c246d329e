// `aureole density`: the particles of a snapshot onto a grid, in the units of the snapshot.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "density/deposit/density_grid.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/density/density_memory.hpp"
#include "sim/cli/density/density_request.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/ranked_command.hpp"
#include "sim/cli/stop_signal.hpp"
#include "sim/cli/terminal_log.hpp"
#include "sim/core/error.hpp"
#include "sim/io/fields/grid_file.hpp"
#include "sim/run/outputs/density_output.hpp"

namespace aureole::cli {
namespace {

/// Refuses a grid that does not fit into memory before it is filled.
void expect_memory(const density::DepositConfig& config, const density::DepositMemory& memory)
{
    const std::string cells = fmt::format("--grid: {} x {} x {} cells", config.grid.axis[0].cells,
                                          config.grid.axis[1].cells, config.grid.axis[2].cells);
    const std::string less = "fewer cells, fewer --fields or a --region";
    expect_available(Backend::cpu, memory.host(), cells, less);
    if (memory.device() > 0)
        expect_available(memory.backend, memory.device(), cells, less + ", and --device cpu none of it,");
}

void print_plan(const density::DepositConfig& config, const density::DepositMemory& memory,
                std::size_t n_particles, const run::DeviceChoice& device)
{
    fmt::print("device        {}\nparticles     {}\n", device.description, n_particles);
    fmt::print("grid          {} x {} x {} cells, method {}\n", config.grid.axis[0].cells,
               config.grid.axis[1].cells, config.grid.axis[2].cells, density::name_of(config.method));
    fmt::print("{}", memory_text(Backend::cpu, {{"particles", n_particles * Particles::bytes_per_particle()},
                                                {"grid and order", memory.cells + memory.order},
                                                {"chunks", memory.chunks}}));
    print_available(Backend::cpu, memory.host());
    if (memory.device() == 0) return;
    fmt::print("{}", memory_text(memory.backend, {{"grid", memory.cells}, {"chunks", memory.chunks}}));
    print_available(memory.backend, memory.device());
}

void print_result(const DensityCommand& command, const density::DensityGrid& grid, const std::string& streams)
{
    const auto& axis = grid.grid().axis;
    if (grid.tetrahedra > 0) {
        fmt::print("lattice       {}^3 sites, ids from {}, {} runs fastest\n", grid.lattice_side,
                   grid.first_id, grid.lattice_axes.back());
        fmt::print("tetrahedra    {}, signed volumes add up to {:.15g} of the box\n", grid.tetrahedra,
                   grid.signed_volume);
        if (std::abs(grid.signed_volume + 1) < 1e-9)
            fmt::print(
                "warning: the sheet is inside out: --axes names them in another order than the particles "
                "show\n");
        else if (std::abs(grid.signed_volume - 1) > 1e-9)
            fmt::print(
                "warning: signed volumes do not fill the box: particles have moved too far, or are too few, "
                "for "
                "nearest images\n");
    }
    fmt::print("{}{} x {} x {} cells with mass {:.15g} written to {}\n", streams, axis[0].cells,
               axis[1].cells, axis[2].cells, grid.total_mass(), command.output.string());
}

/// The volume fractions by number of streams as text, with the mean where the grid fills the box.
std::string streams_text(const density::DensityGrid& grid, std::optional<double> mean)
{
    const std::vector<density::StreamVolume> volumes = density::stream_volumes(grid);
    double sampled = 0;
    for (const auto& [streams, fraction] : volumes) sampled += streams * fraction;
    const std::string text = fmt::format("streams       of the volume {}\n", stream_fractions_text(volumes));
    if (!mean) return text;
    return text + fmt::format(
                      "mean streams  {:.6g} by the volumes of all tetrahedra, {:.6g} at the cells' centres\n",
                      *mean, sampled);
}

void expect_possible_on_ranks(const DensityCommand& command)
{
    const auto refuse = [](const std::string& what) {
        throw ConfigError(what +
                          " on one process alone, and there are several ranks: start it without mpirun");
    };
    if (!command.points.empty()) refuse("--points: the sheet is evaluated at points");
    if (command.share) refuse("--share: CPU threads help a GPU");
    if (command.dry_run) refuse("--dry-run: memory is counted");
}

int density_here(const DensityCommand& command, run::RunRanks* ranks)
{
    density_fields(command);
    if (ranks) expect_possible_on_ranks(command);
    const run::DeviceChoice device = ranks ? ranks->device : run::choose_device(command.device);
    if (!command.points.empty()) expect_point_options(command);
    expect_safe_outputs({{"-o", command.output}}, {command.snapshot, command.points});
    LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units);
    loaded.snapshot.particles = chosen_types(command, std::move(loaded.snapshot.particles));
    if (!command.points.empty()) return density_at_points(command, loaded);
    if (ranks && !command.quiet) fmt::print("ranks         {}\n", ranks->description);
    Particles& particles = loaded.snapshot.particles;
    if (command.octree) return density_octree(command, loaded, ranks);
    density::DepositConfig config = density_config(command, loaded.snapshot);
    const density::DepositMemory memory =
        density::deposit_memory(device.exec.backend, config, particles.size());
    if (command.dry_run) {
        print_plan(config, memory, particles.size(), device);
        return 0;
    }
    expect_memory(config, memory);
    TerminalLog progress(command.quiet);
    config.progress.report = [&progress](double fraction, std::string_view) {
        progress.show("density", fraction);
    };
    std::optional<StopSignal> signals(false);
    config.progress.stop = [&signals] { return signals->requested(); };
    const bool mass = density_fields(command).mass;
    const run::DensityOutput made =
        ranks ? run::make_density(density_ranks(*ranks), particles.view(), config, mass,
                                  density::split_of(command.split).value_or(density::Split::automatic))
              : run::make_density(device.exec, particles.view(), config, mass);
    config.progress.at(1, "the file");  // a signal that came since the last look
    signals.reset();
    progress.finish();

    io::GridContent content = run::grid_content(made);
    append_units(content.settings, loaded);
    run::append_streams(content, made);
    content.provenance = density_provenance(command, device, ranks);
    io::write_grid(command.output, content);
    if (command.quiet) return 0;
    const std::string streams = config.fields.streams ? streams_text(made.grid, made.mean_streams) : "";
    print_result(command, made.grid, streams);
    return 0;
}

}  // namespace

int density_command(const DensityCommand& command)
{
    std::unique_ptr<comm::Communicator> ranks = comm::open_ranks();
    if (ranks->size() == 1) return density_here(command, nullptr);
    return work_on_ranks(
        std::move(ranks), command.command_line, "density", command.device,
        {[&](run::RunRanks& all) { static_cast<void>(density_here(command, &all)); },
         [](run::RunRanks& all) { density::serve_densities(density_ranks(all)); }, density::end_densities});
}

}  // namespace aureole::cli

#include "sim/run/starting_state.hpp"

#include <algorithm>
#include <cmath>

#include "ics/check_config.hpp"
#include "sim/analysis/expansion_file.hpp"
#include "sim/config/density_file.hpp"
#include "sim/config/expansion_settings.hpp"
#include "sim/core/error.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {
namespace {

void expect_isolated(const std::filesystem::path& path, const io::SnapshotHeader& header)
{
    if (!header.comoving && header.box_size <= 0) return;
    throw ConfigError(fmt::format(
        "{}: is {} (Redshift {}, Omega0 {}, BoxSize {}); runs integrate isolated systems in physical "
        "coordinates. --as-isolated takes its numbers as they are",
        path.string(), header.comoving ? "comoving" : "periodic", header.redshift, header.omega0,
        header.box_size));
}

void scale(std::span<double> values, double factor)
{
    if (factor == 1) return;
    for (double& value : values) value *= factor;
}

/// File numbers to internal ones of a run in `units`.
void bring_to_internal(io::Snapshot& file, const RunUnits& of_file, const RunUnits& of_run)
{
    if (of_file.nbody) return;  // the file's numbers have G = 1 already
    const UnitScales scales = of_run.to_file(of_file.system);
    Particles& p = file.particles;
    scale(p.mass.host(), 1 / scales.mass);
    for (auto* axis : {&p.position.x, &p.position.y, &p.position.z}) scale(axis->host(), 1 / scales.length);
    for (auto* axis : {&p.velocity.x, &p.velocity.y, &p.velocity.z}) scale(axis->host(), 1 / scales.velocity);
    file.header.time /= scales.time;
}

/// The mass of the perturber's other body is that of all particles, unless it is configured.
void settle_galaxy_mass(Config& config, const ics::Config& conditions, const RunUnits& units)
{
    PerturberConfig& perturber = config.gravity.perturber;
    if (!perturber.mass || perturber.galaxy_mass) return;
    double total = 0;
    for (const ics::Component& component : conditions.components) total += ics::carried_mass(component);
    perturber.galaxy_mass = total * units.from_internal(Quantity::mass);
}

void shift(Particles& host, const PhaseSpacePoint& by)
{
    const ParticlesView p = host.view();
    for (Index i = 0; i < p.n; ++i) {
        p.position.store(i, p.position.load(i) + by.position);
        p.velocity.store(i, p.velocity.load(i) + by.velocity);
    }
}

/// In the barycentric frame the galaxy starts opposite the perturber; a file's particles are there already
/// unless they may be recentred.
void place_in_frame(StartingState& state, const ics::Config& conditions)
{
    const auto config = perturber_config(to_internal(state.config, state.units));
    if (!config || config->frame != gravity::PerturberFrame::barycentric) return;
    const auto stays = [](const ics::Component& c) { return c.model == ics::Model::file && !c.recenter; };
    if (std::ranges::any_of(conditions.components, stays)) {
        state.notes.push_back(
            "the particles of a file without recenter stay where they are: in the perturber's barycentric "
            "frame they are taken to be in place");
        return;
    }
    const PhaseSpacePoint galaxy = gravity::KeplerPerturber(*config).galaxy(state.time);
    if (state.particles.size() > 0) shift(state.particles, galaxy);
}

UnitScales internal_scales(const io::CoefficientFile& file, const RunUnits& units)
{
    if (!file.units) return {.time = std::sqrt(file.gravitational_constant)};
    const UnitScales scales = units.to_file(*file.units);
    return {.length = 1 / scales.length, .mass = 1 / scales.mass, .time = 1 / scales.time};
}

}  // namespace

RunUnits file_units(const io::Snapshot& file, const std::optional<RunUnits>& configured,
                    std::vector<std::string>& notes)
{
    if (file.header.units) return {false, *file.header.units};
    if (configured) {
        notes.push_back(fmt::format(
            "the {} file carries no units: its numbers are taken in the units that were given", file.format));
        return *configured;
    }
    if (file.format.starts_with("text")) {
        notes.push_back("text tables carry no units: nbody (G = 1) is assumed; `units` says otherwise");
        return {};
    }
    notes.push_back(fmt::format(
        "the {} file carries no units: kpc, 1e10 Msun and km/s are assumed; `units` says otherwise",
        file.format));
    return {false, galactic_units};
}

StartingState make_starting_state(const Config& config, bool as_isolated, bool count_only)
{
    StartingState state;
    const auto& components = config.initial_conditions.components;
    if (components.empty())
        throw ConfigError(fmt::format("{}: initial_conditions are missing", config.file.string()));

    std::vector<io::Snapshot> files(components.size());
    std::vector<RunUnits> units_of_files(components.size());
    std::optional<RunUnits> run_units = config.units;
    for (std::size_t k = 0; k < components.size(); ++k) {
        if (components[k].component.model != ics::Model::file) continue;
        files[k] = io::read_snapshot(components[k].file);
        for (const std::string& note : files[k].notes)
            state.notes.push_back(components[k].file.string() + ": " + note);
        for (const std::string& field : files[k].dropped_fields)
            state.notes.push_back(
                fmt::format("{}: {} is not carried along", components[k].file.string(), field));
        if (!as_isolated) expect_isolated(components[k].file, files[k].header);
        units_of_files[k] = file_units(files[k], config.units, state.notes);
        if (!run_units) run_units = units_of_files[k];
    }
    state.units = run_units.value_or(RunUnits{});

    state.config = with_units(config, state.units);
    const Config internal = to_internal(state.config, state.units);
    ics::Config conditions;
    conditions.seed = internal.seed;
    conditions.orbit = internal.initial_conditions.orbit;
    for (std::size_t k = 0; k < components.size(); ++k) {
        conditions.components.push_back(internal.initial_conditions.components[k].component);
        if (components[k].component.model == ics::Model::lattice)
            state.box_side = conditions.components[k].lattice.box_side;
        if (components[k].component.model == ics::Model::table)
            conditions.components[k].table = read_density_file(components[k].file);
        if (components[k].component.model != ics::Model::file) continue;
        bring_to_internal(files[k], units_of_files[k], state.units);
        conditions.components[k].given = &files[k].particles;
        if (components.size() == 1 && !files[k].header.comoving) state.time = files[k].header.time;
    }
    state.n_particles = ics::particle_count(conditions);
    settle_galaxy_mass(state.config, conditions, state.units);
    if (!count_only) state.particles = ics::make_initial_conditions(conditions);
    place_in_frame(state, conditions);
    return state;
}

void load_coefficients(Config& internal, const RunUnits& units)
{
    if (internal.gravity.solver != "scf") return;
    auto& components = internal.initial_conditions.components;
    for (std::size_t k = 0; k < components.size(); ++k) {
        const std::filesystem::path path = expansion_of(internal, k).coefficients;
        if (path.empty()) continue;
        io::CoefficientFile file = io::read_coefficients(path);
        file.name = path.string();  // as messages show it
        components[k].coefficients = scaled(to_series(file), internal_scales(file, units));
    }
}

}  // namespace aureole::run

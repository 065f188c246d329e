#include "sim/run/starting_state.hpp"

#include <algorithm>
#include <cmath>

#include "gravity/external/kepler_perturber.hpp"
#include "gravity/solver_config.hpp"
#include "ics/check_config.hpp"
#include "sim/analysis/expansion_file.hpp"
#include "sim/config/density_file.hpp"
#include "sim/config/expansion_settings.hpp"
#include "sim/core/error.hpp"
#include "sim/io/snapshots/mean_density.hpp"
#include "sim/run/adaptation/adapt_spheres.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/field_inputs.hpp"
#include "sim/run/file_softening.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {
namespace {

void scale(std::span<double> values, double factor)
{
    if (factor == 1) return;
    for (double& value : values) value *= factor;
}

/// File numbers to internal ones of a run in `units`.
void bring_to_internal(io::Snapshot& file, RunUnits of_file, const RunUnits& of_run)
{
    // in a physical run the numbers of a run with G = 1 are what they stand for in the file
    if (of_file.nbody && file.header.nbody_scales && !of_run.nbody)
        of_file = {false, file.header.units.value_or(galactic_units)};
    if (of_file.nbody) return io::restore_nbody_numbers(file);  // else the numbers have G = 1 already
    const UnitScales scales = of_run.comoving() ? scales_of_comoving_file(file.header, of_file.system, of_run)
                                                : of_run.to_file(of_file.system);
    Particles& p = file.particles;
    scale(p.mass.host(), 1 / scales.mass);
    for (auto* axis : {&p.position.x, &p.position.y, &p.position.z}) scale(axis->host(), 1 / scales.length);
    for (auto* axis : {&p.velocity.x, &p.velocity.y, &p.velocity.z}) scale(axis->host(), 1 / scales.velocity);
    file.header.time /= scales.time;
    file.header.box_size /= scales.length;
}

/// A single file gives the run its softening, unless the configuration does; with other components beside it
/// only a note tells what it states.
void settle_softening_of_files(StartingState& state, const std::vector<io::Snapshot>& files,
                               const std::vector<RunUnits>& units_of_files)
{
    GravityConfig among_others = state.config.gravity;
    among_others.softening = among_others.softening.value_or(0);
    for (std::size_t k = 0; k < files.size(); ++k) {
        const RunUnits &of_file = units_of_files[k], &of_run = state.units;
        double scale = of_file.nbody || of_run.nbody ? 1 : of_file.system.length_cm / of_run.system.length_cm;
        if (of_run.comoving()) scale *= std::pow(files[k].header.hubble, files[k].header.h_exponent);
        const std::string note = settle_softening(files.size() == 1 ? state.config.gravity : among_others,
                                                  files[k], scale, of_run.name(Quantity::length));
        if (!note.empty()) state.notes.push_back(files[k].file.string() + ": " + note);
    }
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
void plan_shift(StartingState& state)
{
    const auto config = perturber_config(to_internal(state.config, state.units));
    if (!config || config->frame != gravity::PerturberFrame::barycentric) return;
    const auto stays = [](const ics::Component& c) { return c.model == ics::Model::file && !c.recenter; };
    if (std::ranges::any_of(state.conditions.components, stays)) {
        state.notes.push_back(
            "the particles of a file without recenter stay where they are: in the perturber's barycentric "
            "frame they are taken to be in place");
        return;
    }
    state.shift = gravity::KeplerPerturber(*config).galaxy(state.time);
}

/// Whether a file may be a component of a run with that configuration.
void expect_fits(const Config& config, const std::filesystem::path& file, const io::SnapshotHeader& header)
{
    if (config.cosmology.given()) return expect_same_universe(file, header, config);
    if (config.box && !header.comoving) return;
    expect_isolated(file, header,
                    "without cosmology.omega_m in the configuration (and `box`, where the file states none) "
                    "runs integrate isolated systems");
}

/// The box of the configuration, of a file or of a lattice, all of which have to agree; wraps the particles
/// of files into it.
void settle_box(StartingState& state, bool as_isolated)
{
    Config& config = state.config;
    const auto agree = [&](double side, const std::string& of) {
        constexpr double tolerance = 1e-5;
        if (side > 0 && config.box && std::abs(side / *config.box - 1) > tolerance)
            throw ConfigError(fmt::format("{}: key 'box': found {}, but {} has a box of side {}",
                                          config.file.string(), *config.box, of, side));
        if (!config.box && side > 0 && config.cosmology.given()) config.box = side;
    };
    if (as_isolated) return;
    for (const io::Snapshot& file : state.files) agree(file.header.box_size, file.file.string());
    agree(state.box_side, "the lattice");
    if (config.box) state.box_side = *config.box;
    if (config.cosmology.given() && !config.box)
        throw ConfigError(fmt::format("{}: cosmology.omega_m is given without a box; expected the key box",
                                      config.file.string()));
    if (!config.box) return;
    for (io::Snapshot& file : state.files) wrap_into({*config.box}, file.particles, file.file);
}

/// What the user says of the time of a file, `told`, has to be what the file says, which may be in single
/// precision or rounded when it was written.
void expect_time_of_file(const StartingState& state, double told)
{
    constexpr double rounding_of_files = 1e-6;
    const double found = *state.time_of_file;
    if (std::abs(told - found) <= rounding_of_files * std::abs(found)) return;
    const double unit = state.units.from_internal(Quantity::time);
    throw ConfigError(fmt::format(
        "{}: key 'run.start_time': found {:.9g}, but the file of the particles has the time {:.9g}",
        state.config.file.string(), told * unit, found * unit));
}

/// The masses that a universe asks for, and the time at which a run without a file begins.
void settle_universe(StartingState& state)
{
    Config& config = state.config;
    const Config internal = to_internal(config, state.units);
    if (internal.start_time && state.time_of_file) expect_time_of_file(state, *internal.start_time);
    state.time = state.time_of_file.value_or(internal.start_time.value_or(0));
    const auto is_field = [](const ics::Component& c) { return c.model == ics::Model::cosmological; };
    if (!config.cosmology.given() && std::ranges::any_of(state.conditions.components, is_field))
        throw ConfigError(
            fmt::format("{}: model cosmological needs cosmology.omega_m", config.file.string()));
    if (!config.cosmology.given()) return;
    if (!(state.time > 0))
        throw ConfigError(
            fmt::format("{}: no file of particles states a scale factor; expected run.start_time, as z=49",
                        config.file.string()));
    for (ics::Component& component : state.conditions.components) {
        if (component.model != ics::Model::cosmological) continue;
        ics::check_config(state.conditions);  // before its files are read
        component.mass = cosmic_mass(internal, state.units);
        auto& field = component.own.get<ics::CosmologicalField>();
        state.conditions.universe = universe_at_start(internal, state.units, state.time, field.order > 0);
        read_field_inputs(field, *state.conditions.universe, state.notes);
        ics::expect_possible(*state.conditions.universe, field, state.conditions.seed);
    }
    double mass = 0;
    for (const ics::Component& component : state.conditions.components) mass += ics::carried_mass(component);
    state.mass_factor = mass_correction(internal, state.units, mass);
    constexpr double rounding = 1e-12;
    if (std::abs(state.mass_factor - 1) > rounding)
        state.notes.push_back(fmt::format(
            "masses are multiplied by 1 {} {:.3g}, so that the box holds omega_m = {}",
            state.mass_factor > 1 ? '+' : '-', std::abs(state.mass_factor - 1), *config.cosmology.omega_m));
}

/// The tile of a field on a glass that no file gives.
void make_glass_of(const ics::Component& component, ics::Config& conditions)
{
    const auto& field = component.own.get<ics::CosmologicalField>();
    if (field.load != ics::Load::glass || !field.load_file.empty()) return;
    const int tiles = ics::glass_tiles(field);
    conditions.universe->tile = {make_glass(field.grid / tiles, conditions.seed), tiles};
}

/// G = 1, with the lengths and masses for which the numbers of a file with nbody_scales stand.
RunUnits nbody_units(const io::SnapshotHeader& header)
{
    RunUnits units;
    if (!header.units) return units;
    units.system.length_cm = header.units->length_cm * header.nbody_scales->length;
    units.system.mass_g = header.units->mass_g * header.nbody_scales->mass;
    return units;
}

UnitScales internal_scales(const io::CoefficientFile& file, const RunUnits& units)
{
    if (!file.units) return {.time = std::sqrt(file.gravitational_constant)};
    const UnitScales scales = units.to_file(*file.units);
    return {.length = 1 / scales.length, .mass = 1 / scales.mass, .time = 1 / scales.time};
}

std::string text_of(const RunUnits& units)
{
    return units.nbody ? "nbody (G = 1)"
                       : fmt::format("{}, {}, {}", units.name(Quantity::length), units.name(Quantity::mass),
                                     units.name(Quantity::velocity));
}

/// Throws ConfigError when units that were given for a file without any contradict its mean density, and
/// others fit.
void expect_density_fits(const io::Snapshot& file, const RunUnits& given)
{
    const auto fitting = io::units_by_density(file);
    if (!fitting) return;
    const auto ratio = given.nbody ? std::optional<double>() : io::density_ratio(file, given.system);
    if (ratio && io::possible_density(*ratio)) return;
    throw ConfigError(fmt::format(
        "{}: units: found {}, but in them the mean density of the box is {} of Omega0 rho_crit; expected "
        "units: {}, in which it is {:.4g}. Leave `units` out, or give these",
        file.file.string(), text_of(given), ratio ? fmt::format("{:.4g}", *ratio) : "an unknown part",
        fitting->text, io::density_ratio(file, fitting->units).value_or(0)));
}

}  // namespace

void expect_isolated(const std::filesystem::path& path, const io::SnapshotHeader& header,
                     std::string_view what)
{
    if (!header.comoving && header.box_size <= 0) return;
    throw ConfigError(
        fmt::format("{}: is {} (Redshift {}, Omega0 {}, BoxSize {}); {} in physical "
                    "coordinates. --as-isolated takes its numbers as they are",
                    path.string(), header.comoving ? "comoving" : "periodic", header.redshift, header.omega0,
                    header.box_size, what));
}

RunUnits file_units(const io::Snapshot& file, const std::optional<RunUnits>& configured,
                    std::vector<std::string>& notes)
{
    const bool physical = configured && !configured->nbody;
    if (file.header.nbody_scales && !physical) return nbody_units(file.header);
    if (file.header.units && !(file.header.units_decided && configured)) return {false, *file.header.units};
    if (configured) expect_density_fits(file, *configured);
    if (configured) {
        notes.push_back(fmt::format(
            "the {} file carries no units: its numbers are taken in the units that were given", file.format));
        return *configured;
    }
    if (const auto ratio = io::density_ratio(file, galactic_units);
        ratio && *ratio > 1 && !file.format.starts_with("tipsy"))
        throw ConfigError(fmt::format(
            "{}: names no units, and its mean density, {:.4g} of Omega0 rho_crit when lengths "
            "are in kpc and {:.4g} "
            "when they are in Mpc, fits neither; expected `units` in a configuration, else --units",
            file.file.string(), *ratio, *ratio * 1e-9));
    return assumed_units(file, notes);
}

StartingState plan_starting_state(const Config& config, bool as_isolated, const SnapshotReader& read)
{
    StartingState state;
    const auto& components = config.initial_conditions.components;
    if (components.empty())
        throw ConfigError(fmt::format("{}: initial_conditions are missing", config.file.string()));

    std::vector<io::Snapshot>& files = state.files;
    files.resize(components.size());
    std::vector<RunUnits> units_of_files(components.size());
    std::optional<RunUnits> run_units = config.units;
    for (std::size_t k = 0; k < components.size(); ++k) {
        if (components[k].component.model != ics::Model::file) continue;
        files[k] = read ? read(components[k].file) : io::read_snapshot(components[k].file);
        for (const std::string& note : files[k].notes)
            state.notes.push_back(components[k].file.string() + ": " + note);
        for (const std::string& field : files[k].dropped_fields)
            state.notes.push_back(
                fmt::format("{}: {} is not carried along", components[k].file.string(), field));
        if (!as_isolated) expect_fits(config, components[k].file, files[k].header);
        if (config.cosmology.given() && !files[k].header.units) {
            const Config internal = to_internal(config, *config.units);
            units_of_files[k] = {false, units_by_box(files[k], internal, *config.units)};
            state.notes.push_back(fmt::format("{} names no units: its box is taken for that of the run",
                                              components[k].file.string()));
            continue;
        }
        units_of_files[k] = file_units(
            files[k], config.cosmology.given() ? std::optional<RunUnits>() : config.units, state.notes);
        if (!files[k].header.units && !config.units)
            state.doubt = fmt::format("{} names no units, and {} were assumed: `units` says otherwise",
                                      components[k].file.string(), text_of(units_of_files[k]));
        if (!run_units) run_units = units_of_files[k];
    }
    state.units = run_units.value_or(RunUnits{});

    state.config = with_units(config, state.units);
    settle_softening_of_files(state, files, units_of_files);
    const Config internal = to_internal(state.config, state.units);
    ics::Config& conditions = state.conditions;
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
        if (components.size() == 1 && files[k].header.comoving == config.cosmology.given())
            state.time_of_file = files[k].header.time;
    }
    settle_box(state, as_isolated);
    settle_universe(state);
    state.n_particles = ics::particle_count(conditions);
    settle_galaxy_mass(state.config, conditions, state.units);
    plan_shift(state);
    return state;
}

void make_particles(StartingState& planned, const ics::ReportListener& tell)
{
    for (const ics::Component& component : planned.conditions.components)
        if (component.model == ics::Model::cosmological) make_glass_of(component, planned.conditions);
    planned.particles = ics::make_initial_conditions(planned.conditions, tell, adapt_spheres);
    planned.conditions = {};
    planned.files.clear();
    if (planned.shift) shift(planned.particles, *planned.shift);
    if (planned.config.box) wrap(Box{planned.box_side}, planned.particles);
    if (planned.config.cosmology.given()) make_comoving(planned.particles, planned.time, planned.mass_factor);
}

std::size_t bytes_at_start(const Config& internal, std::uint64_t n)
{
    const std::size_t particles = n * Particles::bytes_per_particle();
    std::size_t files = 0, fields = 0;
    for (const auto& component : internal.initial_conditions.components) {
        const ics::Model model = component.component.model;
        if (model == ics::Model::file) files = particles;
        if (model == ics::Model::cosmological)
            fields = ics::field_bytes(component.component.own.get<ics::CosmologicalField>(), n);
    }
    return particles + files + fields;
}

StartingState make_starting_state(const Config& config, bool as_isolated)
{
    StartingState state = plan_starting_state(config, as_isolated);
    make_particles(state);
    return state;
}

std::string settle_solver(Config& config, Backend where, std::uint64_t n)
{
    std::string& solver = config.gravity.solver;
    if (solver != gravity::automatic_solver) return {};
    solver = config.box ? "treepm" : gravity::settled_solver(solver, where, config.precision, n);
    return fmt::format("gravity.solver: auto is {} for {} particles on {}", solver, n, name_of(where));
}

void load_coefficients(Config& internal, const RunUnits& units)
{
    auto& components = internal.initial_conditions.components;
    for (std::size_t k = 0; k < components.size(); ++k) {
        if (!is_expanded(internal, k)) continue;
        const std::filesystem::path path = expansion_of(internal, k).coefficients;
        if (path.empty()) continue;
        io::CoefficientFile file = io::read_coefficients(path);
        file.name = path.string();  // as messages show it
        components[k].coefficients = scaled(to_series(file), internal_scales(file, units));
    }
}

}  // namespace aureole::run

#include "sim/run/diagnostics/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace aureole::run {
namespace {

constexpr std::size_t largest_listed = 10;
constexpr double absent = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> energy_columns(const LogChoice& choice)
{
    std::vector<std::string> columns{"time",
                                     "kinetic",
                                     "potential",
                                     "total",
                                     "relative_error",
                                     "virial_ratio",
                                     "momentum_x",
                                     "momentum_y",
                                     "momentum_z",
                                     "angular_momentum_x",
                                     "angular_momentum_y",
                                     "angular_momentum_z",
                                     "lagrangian_01",
                                     "lagrangian_10",
                                     "lagrangian_50",
                                     "lagrangian_90",
                                     "external_work",
                                     "recentring_jump"};
    if (choice.rotating) columns.emplace_back("jacobi");
    if (!choice.expansions) return columns;
    columns.emplace_back("momentum_drift");
    for (const int component : *choice.expansions)
        for (const char* name : {"centre_offset", "shell_power"})
            columns.push_back(fmt::format("{}_{}", name, component));
    return columns;
}

std::vector<std::string> timings_columns()
{
    std::vector<std::string> columns{"time", "step"};
    for (auto name : phase_names) columns.push_back(std::string(name) + "_seconds");
    columns.insert(columns.end(), rank_columns.begin(), rank_columns.end());
    return columns;
}

std::vector<std::string> orbit_columns()
{
    return {"time",          "component",    "x", "y", "z", "vx", "vy", "vz", "bound_mass", "lagrangian_10",
            "lagrangian_50", "lagrangian_90"};
}

std::vector<std::string> shape_columns()
{
    return {"time",      "component", "radius",    "members",    "b_to_a",     "c_to_a",
            "longest_x", "longest_y", "longest_z", "shortest_x", "shortest_y", "shortest_z"};
}

std::vector<std::string> perturber_columns() { return {"time", "x", "y", "z", "vx", "vy", "vz"}; }

std::vector<std::string> halo_columns()
{
    std::vector<std::string> columns{"time", "number", "groups"};
    for (std::size_t k = 1; k <= largest_listed; ++k)
        for (const char* name : {"size", "x", "y", "z"}) columns.push_back(fmt::format("{}_{}", name, k));
    return columns;
}

/// How much of a log was there; nothing for one that is new.
std::optional<std::uint64_t> bytes_of(const char* name, const DiagnosticsState* earlier)
{
    if (!earlier || !earlier->bytes.contains(name)) return {};
    return earlier->bytes.at(name);
}

}  // namespace

bool is_log(const std::string& name)
{
    for (const char* known :
         {"energy.csv", "timings.csv", "orbit.csv", "shapes.csv", "halos.csv", "perturber.csv", bar_log_name})
        if (name == known) return true;
    return false;
}

std::optional<RotatingField> rotating_field(const Config& internal)
{
    if (internal.gravity.perturber.mass) return {};  // it moves, too
    std::optional<RotatingField> found;
    for (const gravity::FieldConfig& field : internal.gravity.fields) {
        const gravity::FieldPlacement& at = field.placement;
        if (dot(at.velocity, at.velocity) > 0 || !at.path_times.empty() || at.growth_start) return {};
        if (at.pattern_speed == 0) continue;
        if (found && (found->pattern_speed != at.pattern_speed || found->centre.x != at.centre.x ||
                      found->centre.y != at.centre.y))
            return {};
        found = RotatingField{at.pattern_speed, at.centre};
    }
    return found;
}

Diagnostics::Diagnostics(const std::filesystem::path& directory, const RunUnits& units,
                         const LogChoice& choice, const DiagnosticsState* earlier)
    : units_(units),
      rotating_(choice.rotating),
      expansions_(choice.expansions),
      energy_(directory / "energy.csv", energy_columns(choice), bytes_of("energy.csv", earlier)),
      timings_(directory / "timings.csv", timings_columns(), bytes_of("timings.csv", earlier)),
      orbit_(directory / "orbit.csv", orbit_columns(), bytes_of("orbit.csv", earlier)),
      shapes_(directory / "shapes.csv", shape_columns(), bytes_of("shapes.csv", earlier))
{
    if (choice.halos) halos_.emplace(directory / "halos.csv", halo_columns(), bytes_of("halos.csv", earlier));
    if (choice.perturber)
        perturber_.emplace(directory / "perturber.csv", perturber_columns(),
                           bytes_of("perturber.csv", earlier));
    if (!choice.bar.components.empty())
        bar_.emplace(directory, units, choice.bar, bytes_of(bar_log_name, earlier),
                     earlier ? std::span<const double>(earlier->bar) : std::span<const double>());
    if (!earlier) return;
    conservation_ = EnergyConservation(earlier->conservation);
    for (const auto& [name, bytes] : earlier->bytes) {
        if (files().contains(name)) continue;
        if (!is_log(name))
            throw IoError(fmt::format("{}: '{}' is no log of a run", directory.string(), name));
        cut_back(directory / name, bytes);
        resting_.emplace(name, bytes);
    }
}

std::map<std::string, const CsvFile*> Diagnostics::files() const
{
    std::map<std::string, const CsvFile*> files{{"energy.csv", &energy_},
                                                {"timings.csv", &timings_},
                                                {"orbit.csv", &orbit_},
                                                {"shapes.csv", &shapes_}};
    if (halos_) files.emplace("halos.csv", &*halos_);
    if (perturber_) files.emplace("perturber.csv", &*perturber_);
    if (bar_) files.emplace(bar_log_name, &bar_->file());
    return files;
}

std::vector<std::string> Diagnostics::names() const
{
    std::vector<std::string> names;
    for (const auto& [name, file] : files()) names.push_back(name);
    return names;
}

DiagnosticsState Diagnostics::state() const
{
    DiagnosticsState state{conservation_.state(), resting_, {}};
    if (bar_) state.bar = bar_->kept_state();
    for (const auto& [name, file] : files()) state.bytes.emplace(name, file->bytes());
    return state;
}

void Diagnostics::sync() const
{
    for (const auto& [name, file] : files()) file->sync();
}

void Diagnostics::record(Simulation& simulation, const Timers& timers, std::uint64_t step,
                         const Progress& progress)
{
    progress.at(0, "a record");
    const double time = simulation.time() * units_.from_internal(Quantity::time);
    // in a periodic box a component has no centre to look at
    const Box& box = simulation.frame().box;
    const std::span<const IndexRange> components =
        box.periodic() ? std::span<const IndexRange>() : simulation.component_ranges();
    const double* const own_potential =
        components.size() > 1 ? simulation.own_potentials(components) : simulation.view().potential;
    const Measurement measured =
        measurements_.measure(simulation.exec(), simulation.view(), box, components, own_potential, progress);
    if (bar_) bar_->measure(simulation);
    record_energy(simulation, measured);
    if (bar_) bar_->add();
    if (perturber_) record_perturber(time, simulation.perturber());
    record_orbits(simulation, measured.orbits);
    record_shapes(simulation, measured.orbits);
    std::vector<double> row{time, static_cast<double>(step)};
    for (std::size_t k = 0; k < phase_names.size(); ++k) row.push_back(timers.seconds(static_cast<Phase>(k)));
    std::ranges::copy(numbers_of(simulation.loads_of_ranks()), std::back_inserter(row));
    timings_.add(row);
}

namespace {

/// The potential energy of a cubic lattice of as many particles at rest, in comoving units: phi
/// = 2.8372974795 m / spacing at each site. It is no clustering, and constant.
double lattice_energy(double mass, std::size_t n, const Box& box)
{
    constexpr double lattice_constant = 2.8372974794806;
    const auto number = static_cast<double>(n);
    return mass * mass / number * lattice_constant * std::cbrt(number) / (2 * box.side);
}

/// What has no meaning in a box is not a number.
Energy within_box(Energy energy)
{
    energy.virial_ratio = absent;
    energy.angular_momentum = {absent, absent, absent};
    energy.lagrangian_radii.fill(absent);
    return energy;
}

}  // namespace

Energy record_energy_of(const Simulation& simulation, Energy energy, EnergyConservation& conservation)
{
    const EnergyBalance& balance = simulation.energy_balance();
    const bool expands = simulation.frame().clock.comoving();
    if (simulation.frame().box.periodic()) energy = within_box(energy);
    if (expands) {
        const double a = simulation.time();
        energy.kinetic /= a;
        energy.potential -= lattice_energy(energy.mass, simulation.size(), simulation.frame().box);
        energy.momentum = 1 / a * energy.momentum;
    }
    energy.potential += balance.terms.fixed_field;
    const double potential = std::abs(energy.potential);
    conservation.record(energy.total(), balance, expands ? potential : energy.kinetic + potential,
                        expands ? EnergyMeasure::largest : EnergyMeasure::first);
    return energy;
}

void Diagnostics::record_energy(const Simulation& simulation, const Measurement& measured)
{
    const EnergyBalance& balance = simulation.energy_balance();
    const Energy energy = record_energy_of(simulation, measured.energy, conservation_);
    const double v = units_.from_internal(Quantity::velocity), v2 = v * v;
    const Vec3 p = v * energy.momentum, l = v * energy.angular_momentum;
    std::vector<double> row{simulation.time() * units_.from_internal(Quantity::time),
                            v2 * energy.kinetic,
                            v2 * energy.potential,
                            v2 * energy.total(),
                            conservation_.error(),
                            energy.virial_ratio,
                            p.x,
                            p.y,
                            p.z,
                            l.x,
                            l.y,
                            l.z};
    row.insert(row.end(), energy.lagrangian_radii.begin(), energy.lagrangian_radii.end());
    row.push_back(v2 * balance.external_work);
    row.push_back(v2 * balance.terms.recentring_jumps);
    if (rotating_) {
        const Vec3 c = rotating_->centre, l0 = energy.angular_momentum, p0 = energy.momentum;
        const double about_centre = l0.z - (c.x * p0.y - c.y * p0.x);
        row.push_back(v2 * (energy.total() - rotating_->pattern_speed * about_centre));
    }
    add_expansions(row, simulation, measured);
    energy_.add(row);
}

/// |P| / (M sigma) with M sigma = sqrt(2 T M), and how each expansion fits.
void Diagnostics::add_expansions(std::vector<double>& row, const Simulation& simulation,
                                 const Measurement& measured)
{
    warnings_.clear();
    if (!expansions_) return;
    const Energy& energy = measured.energy;
    const double scale = std::sqrt(2 * energy.kinetic * energy.mass);
    row.push_back(scale > 0 ? std::sqrt(dot(energy.momentum, energy.momentum)) / scale : absent);
    const std::vector<ExpansionHealth> found =
        expansion_health(simulation.coefficients(), simulation.components(), measured.orbits);
    for (const int component : *expansions_) {
        const auto health = std::ranges::find(found, component, &ExpansionHealth::component);
        const bool is_there = health != found.end();
        row.push_back(is_there ? health->centre_offset : absent);
        row.push_back(is_there ? health->shell_power : absent);
    }
    warnings_ = doubts_.of(found);
}

void Diagnostics::record_perturber(double time, const std::optional<PhaseSpacePoint>& perturber)
{
    AUREOLE_EXPECT(perturber.has_value(), "the run has no perturber");
    const double v = units_.from_internal(Quantity::velocity);
    const auto [x, u] = *perturber;
    perturber_->add(std::array{time, x.x, x.y, x.z, v * u.x, v * u.y, v * u.z});
}

void Diagnostics::record_orbits(Simulation& simulation, const std::vector<ComponentOrbit>& orbits)
{
    const double time = simulation.time() * units_.from_internal(Quantity::time);
    const double v = units_.from_internal(Quantity::velocity);
    for (std::size_t k = 0; k < orbits.size(); ++k) {
        const ComponentOrbit& orbit = orbits[k];
        std::vector<double> row{time,
                                static_cast<double>(simulation.components()[k]),
                                orbit.centre.x,
                                orbit.centre.y,
                                orbit.centre.z,
                                v * orbit.velocity.x,
                                v * orbit.velocity.y,
                                v * orbit.velocity.z,
                                orbit.bound_mass};
        row.insert(row.end(), orbit.lagrangian_radii.begin(), orbit.lagrangian_radii.end());
        orbit_.add(row);
    }
}

void Diagnostics::record_shapes(Simulation& simulation, const std::vector<ComponentOrbit>& orbits)
{
    const double time = simulation.time() * units_.from_internal(Quantity::time);
    for (std::size_t k = 0; k < orbits.size(); ++k) {
        const ComponentShape& found = orbits[k].shape;
        const halo::Shape& shape = found.shape;
        const bool is_known = shape.b_to_a >= 0;
        const Vec3 none{absent, absent, absent}, longest = is_known ? shape.axis[0] : none,
                                                 shortest = is_known ? shape.axis[2] : none;
        shapes_.add(std::array{time, static_cast<double>(simulation.components()[k]), found.radius,
                               found.members, shape.b_to_a, shape.c_to_a, longest.x, longest.y, longest.z,
                               shortest.x, shortest.y, shortest.z});
    }
}

void Diagnostics::record_halos(double time, unsigned number, const Table& groups)
{
    AUREOLE_EXPECT(halos_.has_value(), "halos.csv is not open");
    std::vector<double> row{time * units_.from_internal(Quantity::time), static_cast<double>(number),
                            static_cast<double>(groups.rows)};
    const Column* length = groups.find("GroupLen");
    const Column* centre = groups.find("GroupPos");
    AUREOLE_EXPECT(length && centre, "the groups lack GroupLen or GroupPos");
    const auto& sizes = std::get<std::vector<std::int64_t>>(length->values);
    const auto& centres = std::get<std::vector<double>>(centre->values);
    for (std::size_t k = 0; k < largest_listed; ++k) {
        row.push_back(k < groups.rows ? static_cast<double>(sizes[k]) : absent);
        for (std::size_t axis = 0; axis < 3; ++axis)
            row.push_back(k < groups.rows ? centres[3 * k + axis] : absent);
    }
    halos_->add(row);
}

}  // namespace aureole::run

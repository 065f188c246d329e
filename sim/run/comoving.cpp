#include "sim/run/comoving.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

/// Internal numbers as those of a file without 1/h whose velocities are a times the peculiar ones.
constexpr double no_h = 0, momentum_exponent = -1;

io::SnapshotHeader internal_header(const Config& internal, double time)
{
    io::SnapshotHeader header;
    header.time = time;
    if (!internal.cosmology.given()) return header;
    const cosmology::Parameters universe = internal.cosmology.parameters();
    header.comoving = true;
    header.redshift = 1 / time - 1;
    header.omega0 = universe.omega_m;
    header.omega_lambda = universe.omega_de;
    header.omega_baryon = internal.cosmology.omega_b;
    header.hubble = *internal.cosmology.h;
    header.h_exponent = no_h;
    header.velocity_a_exponent = momentum_exponent;
    return header;
}

/// Length and mass of the run's units, with the velocity that makes G = 1.
UnitSystem unit_system_with_g_one(const RunUnits& units)
{
    const UnitSystem& s = units.system;
    return {s.length_cm, s.mass_g, std::sqrt(gravitational_constant_cgs * s.mass_g / s.length_cm)};
}

/// H0 in internal units.
double hubble_rate_of(const Config& internal, const RunUnits& units)
{
    return cosmology::hubble_rate_per_s(*internal.cosmology.h) * unit_system_with_g_one(units).time_s();
}

}  // namespace

Box box_of(const Config& internal) { return {internal.box.value_or(0)}; }

integrators::Frame frame_of(const Config& internal, double mass)
{
    const Box box = box_of(internal);
    if (!internal.cosmology.given()) return {{}, box};
    const cosmology::Parameters universe = internal.cosmology.parameters();
    const double density = mass / (box.side * box.side * box.side);
    const double hubble_rate = std::sqrt(8 * std::numbers::pi / 3 * density / universe.omega_m);
    return {{cosmology::Background(universe), hubble_rate}, box};
}

io::SnapshotContent file_frame(const Config& internal, const RunUnits& units, double time)
{
    constexpr double gadget_h = -1, gadget_velocity = 0.5;
    const FileUnits choice = internal.output.units;
    io::SnapshotContent content;
    content.header = internal_header(internal, time);
    content.scales = units.to_files(choice);
    content.header.units = units.of_files(choice);
    content.header.box_size = box_of(internal).side * content.scales.length;
    content.header.time *= content.scales.time;
    return with_exponents(std::move(content), gadget_h, gadget_velocity);
}

io::CatalogueContent catalogue_frame(const Config& internal, const RunUnits& units, double time)
{
    const io::SnapshotContent frame = file_frame(internal, units, time);
    io::CatalogueContent content{frame.header, frame.scales, {}};
    content.scales.velocity = units.to_files(internal.output.units).velocity;
    return content;
}

HaloContext halo_context(const Config& internal, const RunUnits& units, double time)
{
    HaloContext context;
    if (internal.cosmology.given())
        context =
            halo_context(internal_header(internal, time), unit_system_with_g_one(units), internal.halos);
    else if (internal.halos.reference_density)
        context.densities = halo::reference_densities(*internal.halos.reference_density);
    context.box = box_of(internal);
    return context;
}

UnitScales scales_of_comoving_file(const io::SnapshotHeader& header, const UnitSystem& of_file,
                                   const RunUnits& of_run)
{
    const double h = std::pow(header.hubble, header.h_exponent);
    const UnitSystem without_h{of_file.length_cm * h, of_file.mass_g * h, of_file.velocity_cm_per_s};
    UnitScales scales = of_run.to_file(without_h);
    scales.velocity /= std::pow(header.time, header.velocity_a_exponent);
    return scales;
}

void expect_same_universe(const std::filesystem::path& file, const io::SnapshotHeader& header,
                          const Config& config)
{
    constexpr double tolerance = 1e-3;
    if (!header.comoving)
        throw ConfigError(fmt::format(
            "{}: is not comoving (it states neither a redshift nor Omega0), and cosmology.omega_m "
            "asks for a run in comoving coordinates",
            file.string()));
    const auto compare = [&](const char* name, double found, const char* key, double expected) {
        if (found > 0 && std::abs(found / expected - 1) > tolerance)
            throw ConfigError(fmt::format("{}: {} is {}, but {} is {}: expected the same universe",
                                          file.string(), name, found, key, expected));
    };
    compare("Omega0", header.omega0, "cosmology.omega_m", *config.cosmology.omega_m);
    if (header.units) compare("HubbleParam", header.hubble, "cosmology.h", *config.cosmology.h);
}

void wrap_into(const Box& box, Particles& host, const std::filesystem::path& file)
{
    constexpr double tolerance = 0.05;  // displaced particles of initial conditions leave the box
    const double beyond = tolerance * box.side;
    bool from_zero = true, centred = true;
    std::size_t first = host.size();
    for (std::size_t i = 0; i < host.size(); ++i) {
        const Vec3 x = host.position.load(i);
        const double low = std::min({x.x, x.y, x.z}), high = std::max({x.x, x.y, x.z});
        from_zero = from_zero && low >= -beyond && high <= box.side + beyond;
        centred = centred && low >= -box.side / 2 - beyond && high <= box.side / 2 + beyond;
        if (!from_zero && !centred) {
            first = i;
            break;
        }
    }
    if (first < host.size()) {
        const Vec3 x = host.position.load(first);
        throw ConfigError(fmt::format(
            "{}: particle {} (id {}) has position ({:.6g}, {:.6g}, {:.6g}), expected all positions from 0 to "
            "{:.6g} (box), or all from {:.6g} to {:.6g}, with a twentieth of the side to spare",
            file.string(), first, host.id.host()[first], x.x, x.y, x.z, box.side, -box.side / 2,
            box.side / 2));
    }
    wrap(box, host);
}

void wrap(const Box& box, Particles& host)
{
    for (auto* axis : {&host.position.x, &host.position.y, &host.position.z})
        for (double& x : axis->host()) x = box.wrap(x);
}

double cosmic_mass(const Config& internal, const RunUnits& units)
{
    const double side = box_of(internal).side;
    const double density = cosmology::critical_density(hubble_rate_of(internal, units), 1);
    return *internal.cosmology.omega_m * density * side * side * side;
}

ics::Universe universe_at_start(const Config& internal, const RunUnits& units, double time,
                                bool needs_spectrum)
{
    constexpr double mpc_cm = 1e3 * kpc_cm;
    const double side = box_of(internal).side;
    return {.parameters = internal.cosmology.parameters(),
            .spectrum = needs_spectrum ? internal.cosmology.linear_spectrum()
                                       : cosmology::LinearSpectrum::power_law(0),
            .scale_factor = time,
            .hubble_rate = hubble_rate_of(internal, units),
            .side = side,
            .side_mpc_h = side * units.system.length_cm / mpc_cm * *internal.cosmology.h};
}

UnitSystem units_by_box(const io::Snapshot& file, const Config& internal, const RunUnits& units)
{
    double mass = 0;
    for (const double m : file.particles.mass.host()) mass += m;
    if (!internal.box || !(file.header.box_size > 0) || !(mass > 0))
        throw ConfigError(fmt::format(
            "{}: names no units, which would follow from the key box, its own box and its masses; found a "
            "box "
            "of {} and a mass of {} in the file{}",
            file.file.string(), file.header.box_size, mass, internal.box ? "" : ", and no key box"));
    const double length = *internal.box / file.header.box_size;
    RunUnits of_file = units;
    of_file.system.length_cm *= length;
    of_file.system.mass_g *= cosmic_mass(internal, units) / mass;
    return unit_system_with_g_one(of_file);
}

double mass_correction(const Config& internal, const RunUnits& units, double mass)
{
    constexpr double most = 1e-2;
    const double expected = cosmic_mass(internal, units), side = box_of(internal).side;
    const double factor = expected / mass;
    if (!(std::abs(factor - 1) <= most))
        throw ConfigError(fmt::format(
            "{}: the particles have the mass {:.8g} {}, but a box of side {:.6g} {} with omega_m {} and h {} "
            "holds {:.8g}: {:.3g} times as much; expected at most 1 % between them",
            internal.file.string(), mass, units.name(Quantity::mass), side, units.name(Quantity::length),
            *internal.cosmology.omega_m, *internal.cosmology.h, expected, factor));
    return factor;
}

void make_comoving(Particles& host, double a, double mass_factor)
{
    for (double& m : host.mass.host()) m *= mass_factor;
    for (auto* axis : {&host.velocity.x, &host.velocity.y, &host.velocity.z})
        for (double& v : axis->host()) v *= a;
}

}  // namespace aureole::run

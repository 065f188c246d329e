// Snapshots and coefficient files, by the program's own readers.
#include <nanobind/stl/complex.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.hpp"
#include "call.hpp"
#include "header.hpp"
#include "module.hpp"
#include "sim/analysis/expansion_file.hpp"
#include "sim/analysis/halo_catalogue.hpp"
#include "sim/analysis/halo_report.hpp"
#include "sim/io/fields/coefficient_file.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/run/file_softening.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::python {
namespace {

namespace fs = std::filesystem;

template <class T>
nb::object copy_of(const Buffer<T>& values)
{
    return to_numpy(std::vector<T>(values.data(), values.data() + values.size()));
}

/// x, y and z, one after another: (3, n), of which the transpose is an array (n, 3) in Fortran's order.
nb::object copy_of(const Vec3Buffer& values)
{
    std::vector<double> all;
    all.reserve(3 * values.x.size());
    for (const auto* axis : {&values.x, &values.y, &values.z})
        all.insert(all.end(), axis->data(), axis->data() + axis->size());
    return to_numpy(std::move(all), {3, values.x.size()});
}

/// A snapshot in its units, with what `aureole find` takes from it.
struct LoadedSnapshot {
    io::Snapshot snapshot;
    run::RunUnits units;
    run::HaloContext context;
    double softening = 0;
};

void determine_context(LoadedSnapshot& loaded)
{
    const io::SnapshotHeader& header = loaded.snapshot.header;
    loaded.context = run::halo_context(header, loaded.units.system, {});
    if (!loaded.units.nbody) return;  // with G = 1 the Hubble constant is unknown, and with it the densities
    const double a = header.comoving ? 1 / (1 + header.redshift) : 1;
    loaded.context.gravitational_constant = std::pow(a, -1 - 2 * header.velocity_a_exponent);
    loaded.context.densities = halo::unknown_reference_densities();
}

LoadedSnapshot load_snapshot(const fs::path& file, const std::string& given)
{
    const Call call;
    std::optional<run::RunUnits> units;
    if (!given.empty()) units = run::parse_config("units: " + given, "units", {}).units;
    LoadedSnapshot loaded{io::read_snapshot(file, io::SnapshotArrays::reading()), {}, {}};
    loaded.units = run::file_units(loaded.snapshot, units, loaded.snapshot.notes);
    if (loaded.units.nbody) io::restore_nbody_numbers(loaded.snapshot);
    determine_context(loaded);
    loaded.softening = run::halo_softening({}, loaded.snapshot);
    return loaded;
}

/// Multiplies by what brings internal numbers to the user's.
void scale_to_user(Particles& host, const run::RunUnits& units)
{
    const auto scale = [](Buffer<double>& values, double factor) {
        for (double& value : values.host()) value *= factor;
    };
    scale(host.mass, units.from_internal(Quantity::mass));
    for (auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
        scale(host.position.*axis, units.from_internal(Quantity::length));
        scale(host.velocity.*axis, units.from_internal(Quantity::velocity));
    }
}

/// From momenta to peculiar velocities, in a header that says so; lengths have the h of the units already.
void make_peculiar(io::Snapshot& snapshot, const run::CosmologyConfig& universe)
{
    io::SnapshotHeader& header = snapshot.header;
    header.comoving = true;
    header.redshift = 1 / header.time - 1;
    header.omega0 = universe.parameters().omega_m;
    header.omega_lambda = universe.parameters().omega_de;
    header.omega_baryon = universe.omega_b;
    header.hubble = *universe.h;
    header.h_exponent = header.velocity_a_exponent = 0;
    for (auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
        for (double& v : (snapshot.particles.velocity.*axis).host()) v /= header.time;
}

/// The initial conditions of a configuration, in its units.
LoadedSnapshot initial_conditions(const run::Config& config, bool as_isolated)
{
    run::StartingState state = run::make_starting_state(config, as_isolated);
    LoadedSnapshot made;
    made.snapshot.format = "initial conditions";
    made.snapshot.notes = std::move(state.notes);
    made.snapshot.particles = std::move(state.particles);
    scale_to_user(made.snapshot.particles, state.units);
    io::SnapshotHeader& header = made.snapshot.header;
    header.time = state.time * state.units.from_internal(Quantity::time);
    header.box_size = state.box_side * state.units.from_internal(Quantity::length);
    if (!state.units.nbody) header.units = state.units.system;
    if (state.units.comoving()) make_peculiar(made.snapshot, state.config.cosmology);
    made.units = state.units;
    determine_context(made);
    return made;
}

LoadedSnapshot initial_conditions_of_text(const std::string& text, const std::vector<std::string>& overrides,
                                          bool as_isolated)
{
    const Call call;
    return initial_conditions(run::parse_config(text, "initial_conditions", overrides), as_isolated);
}

LoadedSnapshot initial_conditions_of_file(const fs::path& file, const std::vector<std::string>& overrides,
                                          bool as_isolated)
{
    const Call call;
    return initial_conditions(run::load_config(file, overrides), as_isolated);
}

nb::dict halo_context(const LoadedSnapshot& loaded)
{
    nb::dict result;
    const run::HaloContext& context = loaded.context;
    result["G"] = context.gravitational_constant;
    result["velocity_factor"] = context.velocity_factor;
    result["softening"] = loaded.softening;
    const io::ColumnUnits names = run::unit_names(loaded.units, loaded.snapshot.header);
    result["unit_names"] = nb::make_tuple(nb::str(names.length.c_str()), nb::str(names.mass.c_str()),
                                          nb::str(names.velocity.c_str()));
    result["densities"] = std::isfinite(context.densities.critical)
                              ? nb::object(nb::make_tuple(context.densities.critical, context.densities.mean,
                                                          context.densities.virial))
                              : nb::none();
    return result;
}

void bind_snapshot(nb::module_& module)
{
    using L = LoadedSnapshot;
    nb::class_<L>(module, "LoadedSnapshot",
                  "A snapshot in memory; columns are copied when they are asked for.")
        .def("__len__", [](const L& s) { return s.snapshot.particles.size(); })
        .def_prop_ro("position", [](const L& s) { return copy_of(s.snapshot.particles.position); })
        .def_prop_ro("velocity", [](const L& s) { return copy_of(s.snapshot.particles.velocity); })
        .def_prop_ro("mass", [](const L& s) { return copy_of(s.snapshot.particles.mass); })
        .def_prop_ro("ids", [](const L& s) { return copy_of(s.snapshot.particles.id); })
        .def_prop_ro("types", [](const L& s) { return copy_of(s.snapshot.particles.type); })
        .def_prop_ro("components", [](const L& s) { return copy_of(s.snapshot.particles.component); })
        .def_prop_ro("has_velocities", [](const L& s) { return s.snapshot.has_velocities; })
        .def_prop_ro("format", [](const L& s) { return s.snapshot.format; })
        .def_prop_ro("notes", [](const L& s) { return s.snapshot.notes; })
        .def_prop_ro("dropped_fields", [](const L& s) { return s.snapshot.dropped_fields; })
        .def_prop_ro("header", [](const L& s) { return header_of(s.snapshot.header); })
        .def_prop_ro("nbody", [](const L& s) { return s.units.nbody; })
        .def_prop_ro(
            "units",
            [](const L& s) { return s.units.nbody ? nb::object(nb::none()) : units_of(s.units.system); })
        .def_prop_ro("halo_context", halo_context);
    module.def("load_snapshot", load_snapshot, nb::arg("path"), nb::arg("units"));
    module.def("initial_conditions_of_text", initial_conditions_of_text, nb::arg("text"),
               nb::arg("overrides"), nb::arg("as_isolated"));
    module.def("initial_conditions_of_file", initial_conditions_of_file, nb::arg("path"),
               nb::arg("overrides"), nb::arg("as_isolated"));
}

std::vector<std::complex<double>> complex_values(const nb::handle& list)
{
    return nb::cast<std::vector<std::complex<double>>>(list);
}

/// family, n_max, l_max, scale radius, G, units; and of each moment time, centre, values and variances, which
/// run over the rows l (l + 1) / 2 + m, in each over n.
nb::tuple read_coefficients(const fs::path& path)
{
    io::CoefficientFile file;
    {
        const Call call;
        file = run::restored_nbody(io::read_coefficients(path));
    }
    nb::list moments;
    for (io::CoefficientMoment& moment : file.moments)
        moments.append(
            nb::make_tuple(moment.time, nb::make_tuple(moment.centre.x, moment.centre.y, moment.centre.z),
                           to_numpy(std::move(moment.values)), to_numpy(std::move(moment.variances))));
    return nb::make_tuple(file.basis, file.n_max, file.l_max, file.scale, file.gravitational_constant,
                          units_of(file.units), moments);
}

void write_coefficients(const fs::path& path, const std::string& family, int n_max, int l_max, double scale,
                        double g, const nb::list& moments)
{
    io::CoefficientFile file;
    file.basis = family;
    file.eta = gravity::scf::eta_of(run::family_of(family));
    file.n_max = n_max;
    file.l_max = l_max;
    file.scale = scale;
    file.gravitational_constant = g;
    for (const nb::handle one : moments) {
        const auto centre = nb::cast<std::vector<double>>(one[1]);
        file.moments.push_back({nb::cast<double>(one[0]),
                                {centre.at(0), centre.at(1), centre.at(2)},
                                complex_values(one[2]),
                                complex_values(one[3])});
    }
    const Call call;
    io::write_coefficients(path, file);
}

}  // namespace

void bind_files(nb::module_& module)
{
    bind_snapshot(module);
    module.def("read_coefficients", read_coefficients, nb::arg("path"));
    module.def("write_coefficients", write_coefficients, nb::arg("path"), nb::arg("family"), nb::arg("n_max"),
               nb::arg("l_max"), nb::arg("scale_radius"), nb::arg("G"), nb::arg("moments"));
    bind_catalogue_files(module);
}

}  // namespace aureole::python

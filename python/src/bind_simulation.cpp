#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "sim/run/citations.hpp"
#include "simulation.hpp"

namespace aureole::python {
namespace {

namespace fs = std::filesystem;
using L = LiveSimulation;

std::unique_ptr<L> of_particles(const HostParticles& particles, double time, const std::string& settings,
                                const std::vector<std::string>& overrides)
{
    const Call call;
    return std::make_unique<L>(run::parse_config(settings, "Simulation", overrides), particles.copy(), time);
}

std::unique_ptr<L> of_configuration(const fs::path& file, const std::vector<std::string>& overrides,
                                    bool as_isolated)
{
    const Call call;
    return L::of_configuration(run::load_config(file, overrides), as_isolated);
}

std::unique_ptr<L> resumed(const fs::path& file)
{
    const Call call;
    return L::resumed(file);
}

void integrate(L& live, double until, nb::handle progress)
{
    const Call call(progress);
    live.integrate(until, call.progress());
}

nb::object vectors(const Vec3Buffer& from, double factor)
{
    std::vector<double> all;
    all.reserve(3 * from.x.size());
    for (const auto* axis : {&from.x, &from.y, &from.z})
        for (std::size_t i = 0; i < axis->size(); ++i) all.push_back(factor * axis->data()[i]);
    return to_numpy(std::move(all), {3, from.x.size()});
}

nb::object numbers(const Buffer<double>& from, double factor)
{
    std::vector<double> all(from.data(), from.data() + from.size());
    for (double& value : all) value *= factor;
    return to_numpy(std::move(all));
}

template <class T>
nb::object as_stored(const Buffer<T>& from)
{
    return to_numpy(std::vector<T>(from.data(), from.data() + from.size()));
}

/// Kinetic and potential energy, mass, momentum, angular momentum, centre of mass in the user's units, and
/// the relative error.
nb::tuple energy(L& live)
{
    run::Energy e;
    {
        const Call call;
        e = live.energy();
    }
    const double x = live.factor(Quantity::length), m = live.factor(Quantity::mass),
                 v = live.factor(Quantity::velocity);
    const auto scaled = [](Vec3 a, double by) { return nb::make_tuple(by * a.x, by * a.y, by * a.z); };
    return nb::make_tuple(m * v * v * e.kinetic, m * v * v * e.potential, live.energy_error(), m * e.mass,
                          scaled(e.momentum, m * v), scaled(e.angular_momentum, m * v * x),
                          scaled(e.centre_of_mass, x));
}

void set_state(L& live, const HostParticles& state, bool velocity)
{
    const Call call;
    AUREOLE_EXPECT(state.size() == live.size(), "pos: found {} particles, expected {}", state.size(),
                   live.size());
    const Particles copy = state.copy();
    live.set(&copy.position, velocity ? &copy.velocity : nullptr);
}

double acceleration_factor(const L& live)
{
    const double v = live.factor(Quantity::velocity);
    return v * v / live.factor(Quantity::length);
}

std::string citation_for(const run::Config& config, const std::string& version, bool bibtex)
{
    const auto methods = run::methods_of(config);
    return bibtex ? run::bibtex_of(methods, version) : run::citation_text(methods, version);
}
std::string citation(const std::string& configuration, const std::string& version, bool bibtex)
{
    const Call call;
    return citation_for(run::parse_config(configuration, "Simulation", {}), version, bibtex);
}
std::string citation_of_run(const fs::path& path, const std::string& version, bool bibtex)
{
    const Call call;
    return citation_for(run::configuration_of_run(path), version, bibtex);
}

void add_properties(nb::class_<L>& simulation)
{
    simulation.def("__len__", &L::size)
        .def_prop_ro("time", &L::time)
        .def_prop_ro("steps", &L::steps)
        .def_prop_ro("notes", &L::notes)
        .def_prop_ro("configuration", &L::configuration)
        .def_prop_ro("softening", &L::softening)
        .def_prop_ro("nbody", [](const L& live) { return live.units().nbody; })
        .def_prop_ro("G",
                     [](const L& live) {
                         return acceleration_factor(live) * live.factor(Quantity::length) *
                                live.factor(Quantity::length) / live.factor(Quantity::mass);
                     })
        .def_prop_ro("box", &L::box)
        .def_prop_ro("omega_m", &L::omega_m)
        .def_prop_ro("omega_lambda", &L::omega_lambda)
        .def_prop_ro("unit_names", [](const L& live) {
            const auto name = [&](Quantity q) { return live.units().name(q); };
            return nb::make_tuple(name(Quantity::length), name(Quantity::mass), name(Quantity::velocity),
                                  name(Quantity::time));
        });
}

void add_arrays(nb::class_<L>& simulation)
{
    simulation
        .def("position",
             [](L& live) { return vectors(live.particles().position, live.factor(Quantity::length)); })
        .def("velocity", [](L& live) { return vectors(live.particles().velocity, live.velocity_factor()); })
        .def("acceleration",
             [](L& live) { return vectors(live.particles().acceleration, acceleration_factor(live)); })
        .def("potential",
             [](L& live) {
                 const double v = live.factor(Quantity::velocity);
                 return numbers(live.particles().potential, v * v);
             })
        .def("mass", [](L& live) { return numbers(live.particles().mass, live.factor(Quantity::mass)); })
        .def("ids", [](L& live) { return as_stored(live.particles().id); })
        .def("types", [](L& live) { return as_stored(live.particles().type); })
        .def("components", [](L& live) { return as_stored(live.particles().component); });
}

void add_actions(nb::class_<L>& simulation)
{
    simulation.def("integrate", integrate, nb::arg("until"), nb::arg("progress").none())
        .def("set", set_state, nb::arg("state"), nb::arg("velocity"))
        .def("energy", energy)
        .def(
            "picture",
            [](L& live, const std::string& axis, const std::string& colour_by, unsigned pixels) {
                std::string png;
                {
                    const Call call;
                    png = live.picture(axis, colour_by, pixels);
                }
                return nb::bytes(png.data(), png.size());
            },
            nb::arg("axis"), nb::arg("colour_by"), nb::arg("pixels"))
        .def(
            "save",
            [](L& live, const fs::path& file) {
                const Call call;
                live.save(file);
            },
            nb::arg("path"))
        .def(
            "write_snapshot",
            [](L& live, const fs::path& file) {
                const Call call;
                live.write_snapshot(file);
            },
            nb::arg("path"));
}

}  // namespace

void bind_simulation(nb::module_& module)
{
    nb::class_<L> simulation(module, "LiveSimulation", "A simulation in memory.");
    add_properties(simulation);
    add_arrays(simulation);
    add_actions(simulation);
    module.def("simulation_of_particles", of_particles, nb::arg("particles"), nb::arg("time"),
               nb::arg("settings"), nb::arg("overrides"));
    module.def("simulation_of_configuration", of_configuration, nb::arg("path"), nb::arg("overrides"),
               nb::arg("as_isolated"));
    module.def("citation", citation, nb::arg("configuration"), nb::arg("version"), nb::arg("bibtex"));
    module.def("citation_of_run", citation_of_run, nb::arg("path"), nb::arg("version"), nb::arg("bibtex"));
    module.def("resume_simulation", resumed, nb::arg("path"));
}

}  // namespace aureole::python

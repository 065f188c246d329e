#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "device_arrays.hpp"
#include "module.hpp"
#include "sim/run/citations.hpp"
#include "simulation.hpp"

namespace aureole::python {
namespace {

namespace fs = std::filesystem;
using L = LiveSimulation;

std::unique_ptr<L> of_particles(const HostParticles& particles, double time, const std::string& settings,
                                const std::vector<std::string>& overrides, int device)
{
    const DeviceCall call(device);
    return std::make_unique<L>(run::parse_config(settings, "Simulation", overrides), particles.copy(), time,
                               device);
}

/// Of complete() particles. The start goes through the memory of the host, once.
std::unique_ptr<L> of_device_particles(const DeviceParticles& particles, double time,
                                       const std::string& settings, const std::vector<std::string>& overrides)
{
    const DeviceCall call(particles.device());
    return std::make_unique<L>(run::parse_config(settings, "Simulation", overrides), particles.to_host(),
                               time, particles.device());
}

std::unique_ptr<L> of_configuration(const fs::path& file, const std::vector<std::string>& overrides,
                                    bool as_isolated, int device)
{
    const DeviceCall call(device);
    return L::of_configuration(run::load_config(file, overrides), as_isolated, device);
}

int device_of(const run::RunState& state, const fs::path& file)
{
    if (state.backend == Backend::cpu) return -1;
    if (device::count() > 0) return 0;
    throw CudaError(fmt::format(
        "{}: written by a simulation on {}, and no CUDA device can be used here, {}; device='cpu' "
        "goes on with other last bits",
        file.string(), state.device, device::why_no_device()));
}

/// `device`: none for that of the simulation that was saved.
std::unique_ptr<L> resumed(const fs::path& file, std::optional<int> device)
{
    run::Checkpoint checkpoint;
    {
        const Call call;
        checkpoint = run::read_checkpoint(file);
        if (!device) device = device_of(checkpoint.state, file);
    }
    const DeviceCall call(*device);
    return L::resumed(std::move(checkpoint), file, *device);
}

void integrate(L& live, double until, nb::handle progress)
{
    const DeviceCall call(live.device(), progress);
    live.integrate(until, call.progress());
}

const Particles& on_host(L& live)
{
    const DeviceCall call(live.device());
    return live.particles();
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
        const DeviceCall call(live.device());
        e = live.energy();
    }
    const double x = live.factor(Quantity::length), m = live.factor(Quantity::mass),
                 v = live.factor(Quantity::velocity);
    const auto scaled = [](Vec3 a, double by) { return nb::make_tuple(by * a.x, by * a.y, by * a.z); };
    return nb::make_tuple(m * v * v * e.kinetic, m * v * v * e.potential, live.energy_error(), m * e.mass,
                          scaled(e.momentum, m * v), scaled(e.angular_momentum, m * v * x),
                          scaled(e.centre_of_mass, x));
}

/// Columns in the memory of the simulation.
void set_columns(L& live, const ConstParticlesView& state, bool velocity)
{
    AUREOLE_EXPECT(state.n == live.size(), "pos: found {} particles, expected {}", state.n, live.size());
    live.set(&state.position, velocity ? &state.velocity : nullptr);
}

void set_state(L& live, const HostParticles& state, bool velocity)
{
    const DeviceCall call(live.device());
    if (live.device() < 0) return set_columns(live, state.view(), velocity);
    const Particles copy = state.copy().copy_to(Backend::cuda);
    set_columns(live, copy.view(), velocity);
}

void set_device_state(L& live, const DeviceParticles& state, bool velocity)
{
    const DeviceCall call(live.device());
    set_columns(live, state.view(), velocity);
    call.finish();
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

template <class To, class From>
void copy_of(Exec exec, const From* from, Index n, Buffer<To>& to)
{
    static_assert(sizeof(To) == sizeof(From));
    if (exec.backend == Backend::cuda)
        device::copy(exec.stream, to.data(), from, n * sizeof(To));
    else
        std::memcpy(to.data(), from, n * sizeof(To));
}

/// A column of the present state, in the user's units, into an array (N, 3) or (N) on the simulation's
/// device.
void copy_column(L& live, const std::string& name, DeviceArray& to)
{
    const DeviceCall call(live.device());
    const ConstParticlesView from = live.view();
    const double v = live.factor(Quantity::velocity);
    const auto vectors = [&](const ConstVec3View& column, double factor) {
        interleave(call.exec(), column, from.n, factor, std::get<Buffer<double>>(to.values()).data());
    };
    const auto numbers = [&](const double* column, double factor) {
        double* const values = std::get<Buffer<double>>(to.values()).data();
        widen(call.exec(), {column, from.n, sizeof(double), NumberType::float64}, values);
        scale_values(call.exec(), values, from.n, factor);
    };
    AUREOLE_EXPECT(to.shape().at(0) == live.size(), "rows: found {}, expected {}", to.shape()[0],
                   live.size());
    if (name == "position") vectors(from.position, live.factor(Quantity::length));
    if (name == "velocity") vectors(from.velocity, live.velocity_factor());
    if (name == "acceleration") vectors(from.acceleration, acceleration_factor(live));
    if (name == "potential") numbers(from.potential, v * v);
    if (name == "mass") numbers(from.mass, live.factor(Quantity::mass));
    if (name == "ids") copy_of(call.exec(), from.id, from.n, std::get<Buffer<std::int64_t>>(to.values()));
    if (name == "types") copy_of(call.exec(), from.type, from.n, std::get<Buffer<std::uint8_t>>(to.values()));
    call.finish();
}

void add_properties(nb::class_<L>& simulation)
{
    simulation.def("__len__", &L::size)
        .def_prop_ro("time", &L::time)
        .def_prop_ro("steps", &L::steps)
        .def_prop_ro("device", &L::device)
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
             [](L& live) { return vectors(on_host(live).position, live.factor(Quantity::length)); })
        .def("velocity", [](L& live) { return vectors(on_host(live).velocity, live.velocity_factor()); })
        .def("acceleration",
             [](L& live) { return vectors(on_host(live).acceleration, acceleration_factor(live)); })
        .def("potential",
             [](L& live) {
                 const double v = live.factor(Quantity::velocity);
                 return numbers(on_host(live).potential, v * v);
             })
        .def("mass", [](L& live) { return numbers(on_host(live).mass, live.factor(Quantity::mass)); })
        .def("ids", [](L& live) { return as_stored(on_host(live).id); })
        .def("types", [](L& live) { return as_stored(on_host(live).type); })
        .def("components", [](L& live) { return as_stored(on_host(live).component); });
}

void add_actions(nb::class_<L>& simulation)
{
    simulation.def("integrate", integrate, nb::arg("until"), nb::arg("progress").none())
        .def("set", set_state, nb::arg("state"), nb::arg("velocity"))
        .def("set", set_device_state, nb::arg("state"), nb::arg("velocity"))
        .def("copy_column", copy_column, nb::arg("name"), nb::arg("to"))
        .def("energy", energy)
        .def(
            "picture",
            [](L& live, const std::string& axis, const std::string& colour_by, unsigned pixels) {
                std::string png;
                {
                    const DeviceCall call(live.device());
                    png = live.picture(axis, colour_by, pixels);
                }
                return nb::bytes(png.data(), png.size());
            },
            nb::arg("axis"), nb::arg("colour_by"), nb::arg("pixels"))
        .def(
            "save",
            [](L& live, const fs::path& file) {
                const DeviceCall call(live.device());
                live.save(file);
            },
            nb::arg("path"))
        .def(
            "write_snapshot",
            [](L& live, const fs::path& file) {
                const DeviceCall call(live.device());
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
               nb::arg("settings"), nb::arg("overrides"), nb::arg("device"));
    module.def("simulation_of_particles", of_device_particles, nb::arg("particles"), nb::arg("time"),
               nb::arg("settings"), nb::arg("overrides"));
    module.def("simulation_of_configuration", of_configuration, nb::arg("path"), nb::arg("overrides"),
               nb::arg("as_isolated"), nb::arg("device"));
    module.def("transferred_bytes", transferred_bytes);
    module.def("citation", citation, nb::arg("configuration"), nb::arg("version"), nb::arg("bibtex"));
    module.def("citation_of_run", citation_of_run, nb::arg("path"), nb::arg("version"), nb::arg("bibtex"));
    module.def("resume_simulation", resumed, nb::arg("path"), nb::arg("device").none());
}

}  // namespace aureole::python

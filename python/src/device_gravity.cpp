// Forces and expansions of particles on a CUDA device.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "device_arrays.hpp"
#include "force_config.hpp"
#include "gravity/scf/expansion.hpp"
#include "gravity/solver.hpp"
#include "module.hpp"
#include "sim/core/memory/counted_vector.hpp"
#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"

namespace aureole::python {
namespace {

namespace scf = gravity::scf;

constexpr double lowest = -std::numeric_limits<double>::infinity();

/// Accelerations and potentials of the targets of one evaluation, multiplied by a factor.
struct DeviceForces {
    Buffer<double> rows, potential;
    std::uint64_t not_finite = no_value;  ///< the first target whose acceleration or potential is not finite
    std::array<double, 3> its{};          ///< acceleration
};

void expect_finite(Exec exec, const Vec3View& acceleration, const double* potential, Index n,
                   DeviceForces& forces)
{
    const double* const axes[] = {acceleration.x, acceleration.y, acceleration.z};
    for (const double* values : {axes[0], axes[1], axes[2], potential})
        if (values) forces.not_finite = std::min(forces.not_finite, first_beyond(exec, values, n, lowest));
    if (forces.not_finite == no_value) return;
    for (int k = 0; k < 3; ++k) {
        const Buffer<double> one = copied(exec, axes[k] + forces.not_finite, 1);
        if (exec.backend == Backend::cuda) device::wait(exec.stream);
        forces.its.at(k) = one.to_vector()[0];
    }
}

/// Multiplies in place.
void scale(Exec exec, Buffer<double>& values, double factor)
{
    if (factor == 1) return;
    scale_values(exec, values.data(), static_cast<Index>(values.size()), factor);
}

DeviceForces evaluated(Exec exec, gravity::Solver& solver, const ConstParticlesView& view, Index n_sources,
                       bool with_potential, double factor)
{
    const Index first = n_sources < view.n ? n_sources : 0, n = view.n - first;
    if (n == 0) return {};
    const gravity::TargetRequest targets{{first, view.n}, {}};
    Vec3Buffer values(exec.backend, view.n);
    Buffer<double> potential(exec.backend, with_potential ? view.n : 0);
    solver.prepare(exec, view, {.sources = {0, n_sources}}, targets);
    solver.evaluate(exec, view, targets, {values.view(), potential.data()});
    const Vec3View all = values.view(), from{all.x + first, all.y + first, all.z + first};
    DeviceForces forces;
    expect_finite(exec, from, with_potential ? potential.data() + first : nullptr, n, forces);
    forces.rows = Buffer<double>(exec.backend, 3 * std::size_t{n});
    interleave(exec, from, n, factor, forces.rows.data());
    if (with_potential) {
        forces.potential = copied(exec, potential.data() + first, n);
        scale(exec, forces.potential, factor);
    }
    return forces;
}

/// Accelerations (n, 3), potentials (n) or None, and None or (target, its acceleration) of the first that is
/// not finite: as forces() of the host, times `factor`. `nowhere`: of no target.
nb::tuple device_forces(const DeviceParticles& particles, Index n_sources, const std::string& solver,
                        const std::array<double, n_particle_types>& softening, bool spline, double accuracy,
                        double opening_angle, bool mixed, bool with_potential, bool nowhere, double factor)
{
    const gravity::Config config = force_config(solver, softening, spline, accuracy, opening_angle, mixed);
    DeviceForces forces;
    const int device = particles.device();
    {
        const DeviceCall call(device);
        const auto of = gravity::make_solver(config);
        if (!nowhere)
            forces = evaluated(call.exec(), *of, particles.view(), n_sources, with_potential, factor);
        call.finish();
    }
    const std::size_t n = forces.rows.size() / 3;
    nb::object refused = nb::none();
    if (forces.not_finite != no_value) refused = nb::make_tuple(forces.not_finite, forces.its);
    nb::object potential = nb::none();
    if (with_potential) potential = nb::cast(DeviceArray(device, std::move(forces.potential), {n}));
    return nb::make_tuple(DeviceArray(device, std::move(forces.rows), {n, 3}), potential, refused);
}

/// Particle i is of sample i modulo their number.
Buffer<Component> sample_numbers(Exec exec, Index n, int samples)
{
    std::vector<Component> component(n);
    for (Index i = 0; i < n; ++i) component[i] = static_cast<Component>(i % static_cast<Index>(samples));
    return Buffer<Component>(exec.backend, std::span<const Component>(component));
}

/// As expand() of the host: coefficients are few, and come to the host.
nb::object device_expand(const DeviceParticles& particles, const scf::Basis& basis,
                         const scf::Symmetry& symmetry, const std::array<double, 3>& centre, bool mixed,
                         int samples)
{
    std::vector<double> all;
    {
        const DeviceCall call(particles.device());
        scf::Expansion expansion(basis, mixed ? Precision::mixed : Precision::double_precision, symmetry);
        ConstParticlesView view = particles.view();
        Buffer<Component> component;
        if (samples > 1) {
            component = sample_numbers(call.exec(), view.n, samples);
            view.component = component.data();
        }
        Buffer<double> coefficients;
        for (int k = 0; k < samples; ++k) {
            check_signals();
            expansion.expand(call.exec(), view, {.component = samples > 1 ? k : -1},
                             {centre[0], centre[1], centre[2]}, coefficients);
            call.finish();
            const std::vector<double> one = to_lowing(expansion.tables(), coefficients.to_vector());
            all.insert(all.end(), one.begin(), one.end());
        }
    }
    return to_numpy(std::move(all), {static_cast<std::size_t>(samples), basis.n_slots(),
                                     static_cast<std::size_t>(basis.n_max) + 1});
}

Vec3 sphere_on_gpu([[maybe_unused]] Exec exec, [[maybe_unused]] const ConstParticlesView& view)
{
    if constexpr (with_cuda) {
        const SphereMembers all{{0, view.n}};
        Buffer<std::byte> scratch(exec.backend, detail::shrinking_spheres_cuda_bytes(view.n, 1));
        Buffer<DeviceSphere> found(exec.backend, 1);
        detail::shrinking_spheres_cuda(exec.stream, view, std::span(&all, 1), scratch.data(), found.data());
        device::wait(exec.stream);
        return found.to_vector()[0].centre;
    }
    throw_not_built(Backend::cuda);
}

Vec3 sphere_on_host(const ConstParticlesView& view)
{
    memory::CountedVector<Index> all(view.n);
    for (Index i = 0; i < view.n; ++i) all[i] = i;
    const auto span = [&](const double* values) { return std::span(values, view.n); };
    return shrinking_sphere(
               {span(view.mass), span(view.position.x), span(view.position.y), span(view.position.z)},
               std::move(all))
        .centre;
}

std::array<double, 3> device_sphere_centre(const DeviceParticles& particles)
{
    const DeviceCall call(particles.device());
    const bool on_host = call.exec().backend == Backend::cpu;
    const Vec3 centre =
        on_host ? sphere_on_host(particles.view()) : sphere_on_gpu(call.exec(), particles.view());
    return {centre.x, centre.y, centre.z};
}

}  // namespace

void bind_device_gravity(nb::module_& module)
{
    module.def("device_forces", device_forces, nb::arg("particles"), nb::arg("n_sources"), nb::arg("solver"),
               nb::arg("softening"), nb::arg("spline"), nb::arg("accuracy"), nb::arg("opening_angle"),
               nb::arg("mixed"), nb::arg("potential"), nb::arg("nowhere"), nb::arg("factor"));
    module.def("expand", device_expand, nb::arg("particles"), nb::arg("basis"), nb::arg("symmetry"),
               nb::arg("centre"), nb::arg("mixed"), nb::arg("samples"));
    module.def("shrinking_sphere", device_sphere_centre, nb::arg("particles"));
}

}  // namespace aureole::python

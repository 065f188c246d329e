// Forces by the solvers, and expansions in basis functions.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <array>

#include "arrays.hpp"
#include "call.hpp"
#include "force_config.hpp"
#include "gravity/scf/expansion.hpp"
#include "gravity/solver.hpp"
#include "gravity/watched_solver.hpp"
#include "module.hpp"
#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"

namespace aureole::python {
namespace {

namespace scf = gravity::scf;

/// Accelerations (n, 3) and potentials (n) or None, G = 1: of the particles from `n_sources` on where these
/// are fewer than all, else of all.
nb::tuple forces(const HostParticles& particles, std::size_t n_sources, const std::string& solver,
                 const std::array<double, n_particle_types>& softening, bool spline, double accuracy,
                 double opening_angle, bool mixed, bool with_potential, nb::handle progress)
{
    const gravity::Config config = force_config(solver, softening, spline, accuracy, opening_angle, mixed);
    const std::size_t first = n_sources < particles.size() ? n_sources : 0, n = particles.size() - first;
    std::vector<double> acceleration, potentials;
    {
        const Call call(progress);
        const auto of = gravity::make_solver(config);
        if (auto* const watched = dynamic_cast<gravity::WatchedSolver*>(of.get()))
            watched->set_progress(call.progress().part(0.05, 1));
        const ConstParticlesView view = particles.view();
        const gravity::TargetRequest targets{{static_cast<Index>(first), view.n}, {}};
        Vec3Buffer values(Backend::cpu, particles.size());
        Buffer<double> potential(Backend::cpu, with_potential ? particles.size() : 0);
        if (n > 0) {
            call.progress().at(0, "order of the particles");
            of->prepare({}, view, {.sources = {0, static_cast<Index>(n_sources)}}, targets);
            of->evaluate({}, view, targets, {values.view(), potential.data()});
        }
        acceleration = rows_of(values, first, n);
        if (with_potential) potentials.assign(potential.data() + first, potential.data() + particles.size());
    }
    nb::object of_targets = with_potential ? to_numpy(std::move(potentials)) : nb::none();
    return nb::make_tuple(to_numpy(std::move(acceleration), {n, 3}), of_targets);
}

scf::Basis basis_of(bool clutton_brock, int n_max, int l_max, double scale_radius)
{
    const scf::Basis basis{clutton_brock ? scf::Family::clutton_brock : scf::Family::hernquist_ostriker,
                           n_max, l_max, scale_radius};
    scf::check_basis(basis, "the expansion");
    return basis;
}

Precision precision_of(bool mixed) { return mixed ? Precision::mixed : Precision::double_precision; }

/// S and T of Lowing et al. (2011) in the order of the slots, (samples, slots, n_max + 1): of all particles,
/// or of every samples-th particle, as `aureole expand` deals them out.
nb::object expand(const HostParticles& particles, const scf::Basis& basis, const scf::Symmetry& symmetry,
                  const std::array<double, 3>& centre, bool mixed, int samples, nb::handle progress)
{
    std::vector<double> all;
    {
        const Call call(progress);
        scf::Expansion expansion(basis, precision_of(mixed), symmetry);
        ConstParticlesView view = particles.view();
        std::vector<Component> component(samples > 1 ? view.n : 0);
        for (Index i = 0; i < component.size(); ++i)
            component[i] = static_cast<Component>(i % static_cast<Index>(samples));
        if (samples > 1) view.component = component.data();
        Buffer<double> coefficients;
        for (int k = 0; k < samples; ++k) {
            expansion.expand({}, view, {.component = samples > 1 ? k : -1}, {centre[0], centre[1], centre[2]},
                             coefficients, 1,
                             call.progress().part(k / double(samples), (k + 1) / double(samples)));
            const std::vector<double> one = to_lowing(expansion.tables(), coefficients.to_vector());
            all.insert(all.end(), one.begin(), one.end());
        }
    }
    return to_numpy(std::move(all), {static_cast<std::size_t>(samples), basis.n_slots(),
                                     static_cast<std::size_t>(basis.n_max) + 1});
}

/// A multiple of the blocks that are evaluated together, so that no bit depends on it.
constexpr std::size_t places_between_signals = 1 << 17;

/// Density, potential and acceleration (n, 3) at the places of `points`, G = 1.
nb::tuple expansion_field(const HostParticles& points, const scf::Basis& basis, const Numbers& coefficients,
                          const std::array<double, 3>& at, bool mixed)
{
    AUREOLE_EXPECT(coefficients.shape(0) == basis.size(), "coefficients: found {} numbers, expected {}",
                   coefficients.shape(0), basis.size());
    const std::size_t n = points.size();
    std::vector<double> density(n), potentials, accelerations;
    {
        const Call call;
        const Vec3 centre{at[0], at[1], at[2]};
        scf::Expansion expansion(basis, precision_of(mixed));
        const std::vector<double> orthonormal = from_lowing(
            expansion.tables(), {coefficients.data(), coefficients.data() + coefficients.shape(0)});
        const ConstParticlesView view = points.view();
        Vec3Buffer acceleration(Backend::cpu, n);
        Buffer<double> potential(Backend::cpu, n);
        const auto evaluate = [&](const std::vector<double>& values, Vec3View to) {
            const Buffer<double> there(Backend::cpu, std::span<const double>(values));
            for (std::size_t begin = 0; begin < n; begin += places_between_signals) {
                check_signals();
                const std::size_t end = std::min(n, begin + places_between_signals);
                expansion.field({}, view, {static_cast<Index>(begin), static_cast<Index>(end)}, centre, there,
                                {to, potential.data()});
            }
        };
        evaluate(density_coefficients(expansion.tables(), orthonormal), {});
        for (Index i = 0; i < n; ++i) {
            const Vec3 offset = view.position.load(i) - centre;
            // zero times the infinite profile of a cusp is no density, not NaN
            if (const double phi = potential.data()[i]; phi != 0)
                density[i] = scf::density(basis, std::sqrt(dot(offset, offset)), phi);
        }
        evaluate(orthonormal, acceleration.view());
        potentials.assign(potential.data(), potential.data() + n);
        accelerations = rows_of(acceleration, 0, n);
    }
    return nb::make_tuple(to_numpy(std::move(density)), to_numpy(std::move(potentials)),
                          to_numpy(std::move(accelerations), {n, 3}));
}

/// The potential energy -(1 / 2 a) sum A^2 of the coefficients of each l, G = 1.
nb::object energy_by_l(const scf::Basis& basis, const Numbers& coefficients)
{
    const std::vector<double> all =
        from_lowing(make_tables(basis), {coefficients.data(), coefficients.data() + coefficients.shape(0)});
    std::vector<double> energy;
    for (int l = 0; l <= basis.l_max; ++l) {
        std::vector<double> part(all.size());
        for (std::size_t k = basis.index(0, l * l); k < basis.index(0, (l + 1) * (l + 1)); ++k)
            part[k] = all[k];
        energy.push_back(potential_energy(basis, part));
    }
    return to_numpy(std::move(energy));
}

std::array<double, 3> sphere_centre(const HostParticles& particles)
{
    const Call call;
    const ConstParticlesView view = particles.view();
    memory::CountedVector<Index> all(view.n);
    for (Index i = 0; i < view.n; ++i) all[i] = i;
    const auto span = [&](const double* values) { return std::span(values, view.n); };
    const Vec3 centre = shrinking_sphere({span(view.mass), span(view.position.x), span(view.position.y),
                                          span(view.position.z)},
                                         std::move(all))
                            .centre;
    return {centre.x, centre.y, centre.z};
}

void bind_basis(nb::module_& module)
{
    nb::class_<scf::Basis>(module, "Basis", "A family of functions with its orders and scale radius.")
        .def(
            "__init__",
            [](scf::Basis* self, bool clutton_brock, int n_max, int l_max, double scale_radius) {
                new (self) scf::Basis(basis_of(clutton_brock, n_max, l_max, scale_radius));
            },
            nb::arg("clutton_brock"), nb::arg("n_max"), nb::arg("l_max"), nb::arg("scale_radius"));
    nb::class_<scf::Symmetry>(module, "Symmetry", "The angular functions that take part.")
        .def(
            "__init__",
            [](scf::Symmetry* self, bool even_l, bool even_m, bool axisymmetric, bool spherical) {
                new (self) scf::Symmetry{even_l, even_m, axisymmetric, spherical};
            },
            nb::arg("even_l"), nb::arg("even_m"), nb::arg("axisymmetric"), nb::arg("spherical"));
}

}  // namespace

void bind_gravity(nb::module_& module)
{
    bind_basis(module);
    module.def("forces", forces, nb::arg("particles"), nb::arg("n_sources"), nb::arg("solver"),
               nb::arg("softening"), nb::arg("spline"), nb::arg("accuracy"), nb::arg("opening_angle"),
               nb::arg("mixed"), nb::arg("potential"), nb::arg("progress").none());
    module.def("expand", expand, nb::arg("particles"), nb::arg("basis"), nb::arg("symmetry"),
               nb::arg("centre"), nb::arg("mixed"), nb::arg("samples"), nb::arg("progress").none());
    module.def("expansion_field", expansion_field, nb::arg("points"), nb::arg("basis"),
               nb::arg("coefficients"), nb::arg("centre"), nb::arg("mixed"));
    module.def("energy_by_l", energy_by_l, nb::arg("basis"), nb::arg("coefficients"));
    module.def("shrinking_sphere", sphere_centre, nb::arg("particles"));
}

}  // namespace aureole::python

#include "sim/run/diagnostics/measurement.hpp"

#include <algorithm>

#include "sim/run/diagnostics/measurement_kernels.hpp"

namespace aureole::run {
namespace {

using namespace detail;

/// The results in device memory, which travel together, and behind them the scratch of one step at a time.
struct Layout {
    std::size_t n_components, spheres, radii, shapes, bound, results, scratch = 0;

    Layout(std::size_t n, const Box& box, std::size_t components)
        : n_components(components),
          spheres(sizeof(EnergySums) + sizeof(Vec3)),
          radii(spheres + components * sizeof(DeviceSphere)),
          shapes(radii + (1 + components) * most_fractions * sizeof(double)),
          bound(shapes + components * sizeof(ComponentShape)),
          results((bound + components * sizeof(double) + 255) / 256 * 256)
    {
        if constexpr (with_cuda) {
            scratch = sum_energies_bytes(n);
            if (box.periodic()) return;
            scratch = std::max({scratch, find_radii_bytes(2 * n, 1 + components),
                                aureole::detail::shrinking_spheres_cuda_bytes(n, components),
                                sum_bound_mass_bytes(n, components), find_shapes_bytes(n, components)});
        }
    }
    std::size_t bytes() const { return results + scratch; }

    template <class T>
    static const T& at(const std::vector<std::byte>& results, std::size_t offset, std::size_t k = 0)
    {
        return reinterpret_cast<const T*>(results.data() + offset)[k];
    }
};

RadiusQuery radius_query(IndexRange range, const Vec3* centre, std::span<const double> fractions)
{
    RadiusQuery query{range, centre, static_cast<Index>(fractions.size()), {}};
    std::ranges::copy(fractions, query.fraction);
    return query;
}

}  // namespace

std::size_t Measurements::scratch_bytes(Backend where, std::size_t n, const Box& box,
                                        std::size_t n_components)
{
    if (where == Backend::cpu) return box.periodic() ? 0 : 2 * n * sizeof(Index);  // of a shrinking sphere
    return Layout(n, box, box.periodic() ? 0 : n_components).bytes();
}

memory::Part Measurements::memory(Backend where, std::size_t n, const Box& box, std::size_t n_components)
{
    memory::Part part{.what = "diagnostics", .knob = "fewer particles"};
    (where == Backend::cuda ? part.kept : part.passing) = scratch_bytes(where, n, box, n_components);
    return part;
}

Measurement Measurements::measure(Exec exec, const ConstParticlesView& particles, const Box& box,
                                  std::span<const IndexRange> components, const double* own_potential,
                                  const Progress& progress)
{
    AUREOLE_EXPECT(!box.periodic() || components.empty(),
                   "{} components in a periodic box, which have no centre there, expected none",
                   components.size());
    if (exec.backend == Backend::cuda)
        return measure_on_device(exec, particles, box, components, own_potential);
    Measurement result{measure_energy(particles, box), {}};
    for (const IndexRange range : components)
        result.orbits.push_back(measure_orbit(particles, range, own_potential, progress));
    return result;
}

Measurement Measurements::measure_on_device([[maybe_unused]] Exec exec,
                                            [[maybe_unused]] const ConstParticlesView& particles,
                                            [[maybe_unused]] const Box& box,
                                            [[maybe_unused]] std::span<const IndexRange> components,
                                            [[maybe_unused]] const double* own_potential)
{
    Measurement result;
    if constexpr (with_cuda) {
        const Layout layout(particles.n, box, components.size());
        scratch_.require(exec.backend, layout.bytes());
        std::byte* const at = scratch_.data();
        auto* const sums = reinterpret_cast<EnergySums*>(at);
        auto* const centre = reinterpret_cast<Vec3*>(at + sizeof(EnergySums));
        auto* const spheres = reinterpret_cast<DeviceSphere*>(at + layout.spheres);
        auto* const radii = reinterpret_cast<double*>(at + layout.radii);
        auto* const shapes = reinterpret_cast<ComponentShape*>(at + layout.shapes);
        auto* const bound = reinterpret_cast<double*>(at + layout.bound);
        std::byte* const scratch = at + layout.results;

        sum_energies(exec.stream, particles, scratch, sums, centre);
        std::vector<SphereMembers> members;
        std::vector<RadiusQuery> radius_queries{
            radius_query(IndexRange{}.clipped(particles.n), centre, lagrangian_fractions)};
        std::vector<ShapeQuery> shape_queries;
        std::vector<BoundQuery> bound_queries;
        for (std::size_t k = 0; k < components.size(); ++k) {
            members.push_back({components[k]});
            radius_queries.push_back(radius_query(components[k], &spheres[k].centre, orbit_fractions));
            shape_queries.push_back(
                {components[k], &spheres[k].centre, radii + (1 + k) * most_fractions + half_mass_fraction});
            bound_queries.push_back({components[k], &spheres[k]});
        }
        if (!components.empty())
            aureole::detail::shrinking_spheres_cuda(exec.stream, particles, members, scratch, spheres);
        if (!box.periodic()) find_radii(exec.stream, particles, radius_queries, scratch, radii);
        if (!components.empty()) {
            find_shapes(exec.stream, particles, shape_queries, scratch, shapes);
            sum_bound_mass(exec.stream, particles, own_potential, bound_queries, scratch, bound);
        }
        std::vector<std::byte> host(layout.results);
        device::copy(exec.stream, host.data(), at, layout.results);
        device::wait(exec.stream);

        result.energy = energy_of(Layout::at<EnergySums>(host, 0));
        const double* const radius = &Layout::at<double>(host, layout.radii);
        if (!box.periodic())
            std::copy_n(radius, lagrangian_fractions.size(), result.energy.lagrangian_radii.begin());
        for (std::size_t k = 0; k < components.size(); ++k) {
            const auto& sphere = Layout::at<DeviceSphere>(host, layout.spheres, k);
            const double* const first = radius + (1 + k) * most_fractions;
            result.orbits.push_back({.centre = sphere.centre,
                                     .velocity = sphere.velocity,
                                     .bound_mass = Layout::at<double>(host, layout.bound, k),
                                     .lagrangian_radii = {first, first + orbit_fractions.size()},
                                     .shape = Layout::at<ComponentShape>(host, layout.shapes, k)});
        }
    } else {
        throw_not_built(exec.backend);
    }
    return result;
}

}  // namespace aureole::run

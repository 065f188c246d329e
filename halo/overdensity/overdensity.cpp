// Checks of the query, thresholds in the order that the implementations want, and the choice between them.
#include "halo/overdensity/overdensity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/needed_arrays.hpp"
#include "halo/overdensity/overdensity_tasks.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

using detail::Threshold;

/// Checked before the parallel loops, where nothing may be thrown.
void expect_finite_places(const ConstParticlesView& host)
{
    Index bad = host.n;
#pragma omp parallel for reduction(min : bad) if (host.n > parallel_threshold)
    for (Index i = 0; i < host.n; ++i)
        if (!finite(host.position.load(i))) bad = std::min(bad, i);
    if (bad < host.n) detail::throw_bad_place(bad, host.id_of(bad));
}

void expect_centres(const OverdensityQueryView& query)
{
    const std::size_t n = query.centre.size();
    AUREOLE_EXPECT(query.expected_mass.empty() || query.expected_mass.size() == n,
                   "{} expected masses for {} centres", query.expected_mass.size(), n);
    for (std::size_t c = 0; c < n; ++c) AUREOLE_EXPECT(finite(query.centre[c]), "centre {} is not finite", c);
}

std::vector<Threshold> by_falling_density(std::span<const double> density)
{
    std::vector<Threshold> result;
    for (std::size_t k = 0; k < density.size(); ++k) {
        if (std::isnan(density[k])) continue;
        AUREOLE_EXPECT(density[k] > 0 && std::isfinite(density[k]),
                       "threshold density {} is {}, expected finite and above 0", k, density[k]);
        result.push_back({density[k], k});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Threshold& a, const Threshold& b) { return a.density > b.density; });
    return result;
}

}  // namespace

void detail::throw_bad_place(Index particle, std::uint64_t id)
{
    throw Error(fmt::format("particle {} (id {}) has a position that is not finite", particle, id));
}

struct OverdensitySearch::Memory {
    std::unique_ptr<detail::CudaSpheres> cuda;
};

OverdensitySearch::OverdensitySearch() = default;
OverdensitySearch::~OverdensitySearch() = default;
OverdensitySearch::OverdensitySearch(OverdensitySearch&&) noexcept = default;
OverdensitySearch& OverdensitySearch::operator=(OverdensitySearch&&) noexcept = default;

std::vector<OverdensitySphere> OverdensitySearch::spheres(Exec exec, const OverdensityQueryView& query,
                                                          const Progress& progress)
{
    std::vector<OverdensitySphere> result(query.centre.size() * query.density.size());
    spheres(exec, query, result, progress);
    return result;
}

void OverdensitySearch::spheres(Exec exec, const OverdensityQueryView& query,
                                std::span<OverdensitySphere> result, const Progress& progress)
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    expect_arrays(query.particles, exec.backend, "a search for spherical overdensities", {.mass = true});
    const std::size_t n = query.centre.size(), width = query.density.size();
    const std::vector<Threshold> thresholds = by_falling_density(query.density);
    expect_centres(query);
    AUREOLE_EXPECT(result.size() == n * width, "memory for {} spheres, {} centres and {} densities",
                   result.size(), n, width);
    std::ranges::fill(result, OverdensitySphere{nan, nan});
    if (n == 0 || thresholds.empty()) return;
    const detail::SphereTask task{query.particles,     query.box,      query.centre, thresholds,
                                  query.expected_mass, query.crossing, width};
    progress.at(0, "spherical overdensities");
    if (exec.backend == Backend::cpu) {
        expect_finite_places(query.particles);
        detail::spheres_cpu(task, result.data(), progress);
    } else {
        if constexpr (with_cuda) {
            if (!memory_) memory_ = std::make_unique<Memory>(Memory{detail::make_cuda_spheres()});
            memory_->cuda->run(exec, task, result.data());
        } else {
            throw_not_built(exec.backend);
        }
    }
}

std::vector<OverdensitySphere> overdensity_spheres(const OverdensityQuery& query)
{
    return OverdensitySearch().spheres({}, {query.particles.view(), query.box, query.centre, query.density,
                                            query.expected_mass, query.crossing});
}

}  // namespace aureole::halo

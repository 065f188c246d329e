#include "halo/catalogue/subhalo_spheres.hpp"

#include <algorithm>
#include <cmath>

#include "halo/overdensity/mass_sum.hpp"
#include "halo/overdensity/member_spheres.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr double slope_step = 1.25;  ///< M at D / 1.25 and 1.25 D gives d ln M / d ln D

class SphereComputation {
public:
    explicit SphereComputation(const SubhaloSphereQuery& query)
        : query_(query), children_(query.rows.size()), tidal_density_(query.rows.size(), unknown)
    {
        for (std::size_t k = 0; k < children_.size(); ++k)
            if (const std::int32_t parent = query.subhalos.parent[k]; parent >= 0)
                children_[static_cast<std::size_t>(parent)].push_back(k);
    }

    SubhaloSpheres run(const Progress& progress)
    {
        const std::size_t n = query_.rows.size();
        SubhaloSpheres result{std::vector<OverdensitySphere>(n * query_.thresholds.size()),
                              std::vector<double>(n, unknown)};
        const bool parallel = query_.subhalos.members.particle.size() > parallel_threshold;
        progress.at(0, "spheres of subhalos");
#pragma omp parallel for schedule(dynamic) if (parallel)
        for (std::size_t k = 0; k < n; ++k) measure(k, result);
        // now the density of every tide is known
        progress.at(0.5, "tidal radii of subhalos");
#pragma omp parallel for schedule(dynamic) if (parallel)
        for (std::size_t k = 0; k < n; ++k)
            if (tidal_density_[k] > 0) result.tidal_radius[k] = tidal_radius(k);
        return result;
    }

private:
    MemberSpheres members_of(std::size_t k) const
    {
        std::vector<RadialMass> members;
        members.reserve(query_.subhalos.members.size(k));
        for (const Index i : query_.subhalos.members.of(k)) {
            const Vec3 d = query_.box.nearest(query_.particles.position.load(i) - query_.rows[k].centre);
            members.push_back({dot(d, d), query_.particles.mass[i]});
        }
        return MemberSpheres(members);
    }

    void measure(std::size_t k, SubhaloSpheres& result)
    {
        const std::size_t width = query_.thresholds.size();
        if (width == 0 && children_[k].empty()) return;
        const MemberSpheres members = members_of(k);
        for (std::size_t t = 0; t < width; ++t)
            result.sphere[k * width + t] = sphere(members, query_.thresholds[t].density);
        for (const std::size_t child : children_[k]) tidal_density_[child] = tidal_density(members, k, child);
    }

    OverdensitySphere sphere(const MemberSpheres& members, double density) const
    {
        constexpr OverdensitySphere not_known{unknown, unknown};
        if (!std::isfinite(density)) return not_known;
        const OverdensitySphere found = members.of_density(density, query_.crossing);
        return query_.box.periodic() && found.radius > query_.box.side / 2 ? not_known : found;
    }

    /// Mean density of a subhalo inside its tidal radius; NaN or 0 where the parent raises no tide.
    double tidal_density(const MemberSpheres& parent, std::size_t host, std::size_t child) const
    {
        const Vec3 d = query_.box.nearest(query_.rows[child].centre - query_.rows[host].centre);
        const double distance = std::sqrt(dot(d, d));
        const double inner = parent.mass_within(distance / slope_step), mass = parent.mass_within(distance),
                     outer = parent.mass_within(distance * slope_step);
        if (!(mass > 0) || !(distance > 0)) return unknown;
        const double slope = inner > 0 ? std::log(outer / inner) / (2 * std::log(slope_step)) : 3;
        return (3 - std::min(slope, 3.0)) * mass / volume(distance * distance);
    }

    double tidal_radius(std::size_t k) const
    {
        const MemberSpheres members = members_of(k);
        return std::min(members.of_density(tidal_density_[k]).radius, members.extent());
    }

    const SubhaloSphereQuery& query_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<double> tidal_density_;
};

}  // namespace

SubhaloSpheres subhalo_spheres(const SubhaloSphereQuery& query, const Progress& progress)
{
    AUREOLE_EXPECT(query.rows.size() == query.subhalos.size(), "{} rows for {} subhalos", query.rows.size(),
                   query.subhalos.size());
    return SphereComputation(query).run(progress);
}

}  // namespace aureole::halo

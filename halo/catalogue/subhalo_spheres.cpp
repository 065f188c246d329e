#include "halo/catalogue/subhalo_spheres.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "halo/catalogue/catalogue_loops.hpp"
#include "halo/copy_bytes.hpp"
#include "halo/overdensity/member_spheres.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr double slope_step = 1.25;  ///< M at D / 1.25 and 1.25 D gives d ln M / d ln D

class SphereComputation {
public:
    SphereComputation(Exec exec, const SubhaloSphereQuery& query, Arena& arena)
        : exec_(exec), query_(query), arena_(arena)
    {
    }

    SubhaloSpheres run(const Progress& progress)
    {
        const std::size_t n = query_.rows.size(), width = query_.thresholds.size();
        SubhaloSpheres result{std::vector<OverdensitySphere>(n * width), std::vector<double>(n, unknown)};
        const bool any_inside = std::ranges::any_of(query_.parent, [](std::int32_t p) { return p >= 0; });
        if (n == 0 || (width == 0 && !any_inside)) return result;
        progress.at(0, "spheres of subhalos");
        arena_.reserve(subhalo_spheres_bytes(exec_.backend, query_.members.n_members));
        const Arena::Frame frame(arena_);
        const MemberSpheres members(exec_, radial_lists(), arena_);
        if (width > 0) result.sphere = spheres(members);
        if (!any_inside) return result;
        const std::vector<double> density = tidal_densities(members);
        progress.at(0.5, "tidal radii of subhalos");
        const std::vector<OverdensitySphere> tidal = members.of_densities(density);
        const std::vector<double> extent = members.extents();
        for (std::size_t k = 0; k < n; ++k)
            if (density[k] > 0) result.tidal_radius[k] = std::min(tidal[k].radius, extent[k]);
        return result;
    }

private:
    RadialLists radial_lists()
    {
        const MembersView& members = query_.members;
        std::vector<std::uint64_t> begin(query_.rows.size() + 1);
        copy_bytes(exec_, begin.data(), members.begin, begin.size() * sizeof begin[0]);
        std::uint64_t longest = 0;
        for (std::size_t k = 0; k + 1 < begin.size(); ++k)
            longest = std::max(longest, begin[k + 1] - begin[k]);
        std::vector<Vec3> centre;
        for (const HaloProperties& row : query_.rows) centre.push_back(row.centre);
        auto* const centres = arena_.take<Vec3>(centre.size());
        copy_bytes(exec_, centres, centre.data(), centre.size() * sizeof(Vec3));
        auto* const squared = arena_.take<double>(members.n_members);
        auto* const mass = arena_.take<double>(members.n_members);
        radial_masses(exec_, query_.particles, members, query_.box, centres, squared, mass);
        return {members, longest, squared, mass};
    }

    std::vector<OverdensitySphere> spheres(const MemberSpheres& members) const
    {
        constexpr OverdensitySphere not_known{unknown, unknown};
        std::vector<double> density;
        for (std::size_t k = 0; k < query_.rows.size(); ++k)
            for (const DensityThreshold& threshold : query_.thresholds)
                density.push_back(std::isfinite(threshold.density) ? threshold.density : unknown);
        std::vector<OverdensitySphere> found = members.of_densities(density, query_.crossing);
        for (std::size_t at = 0; at < found.size(); ++at) {
            const bool too_wide = query_.box.periodic() && found[at].radius > query_.box.side / 2;
            if (too_wide || std::isnan(density[at])) found[at] = not_known;
        }
        return found;
    }

    /// Mean densities of subhalos inside their tidal radii; NaN or not above 0 where no parent raises a tide.
    std::vector<double> tidal_densities(const MemberSpheres& members) const
    {
        std::vector<ListSphere> sphere;  // three for each that has a parent
        std::vector<double> distance;
        for (std::size_t k = 0; k < query_.rows.size(); ++k) {
            if (query_.parent[k] < 0) continue;
            const auto parent = static_cast<Index>(query_.parent[k]);
            const Vec3 d = query_.box.nearest(query_.rows[k].centre - query_.rows[parent].centre);
            distance.push_back(std::sqrt(dot(d, d)));
            const double radii[3] = {distance.back() / slope_step, distance.back(),
                                     distance.back() * slope_step};
            for (const double radius : radii) sphere.push_back({parent, radius * radius});
        }
        const std::vector<double> mass = members.masses_within(sphere);
        std::vector<double> density(query_.rows.size(), unknown);
        std::size_t next = 0;
        for (std::size_t k = 0; k < density.size(); ++k) {
            if (query_.parent[k] < 0) continue;
            density[k] = tidal_density(std::span(mass).subspan(3 * next, 3), distance[next]);
            ++next;
        }
        return density;
    }

    /// From masses of the parent inside, at, and outside of the distance.
    static double tidal_density(std::span<const double> mass, double distance)
    {
        if (!(mass[1] > 0) || !(distance > 0)) return unknown;
        const double slope = mass[0] > 0 ? std::log(mass[2] / mass[0]) / (2 * std::log(slope_step)) : 3;
        return (3 - std::min(slope, 3.0)) * mass[1] / volume(distance * distance);
    }

    Exec exec_;
    const SubhaloSphereQuery& query_;
    Arena& arena_;
};

}  // namespace

SubhaloSpheres subhalo_spheres(Exec exec, const SubhaloSphereQuery& query, const Progress& progress)
{
    AUREOLE_EXPECT(query.rows.size() == query.members.n_lists && query.rows.size() == query.parent.size(),
                   "{} rows and {} parents for {} subhalos", query.rows.size(), query.parent.size(),
                   query.members.n_lists);
    for (const std::int32_t parent : query.parent)
        AUREOLE_EXPECT(parent < static_cast<std::int64_t>(query.rows.size()), "parent {} of {} subhalos",
                       parent, query.rows.size());
    Arena arena(exec.backend);
    return SphereComputation(exec, query, arena).run(progress);
}

std::size_t subhalo_spheres_bytes(Backend where, std::size_t n)
{
    constexpr std::size_t columns = 2 * sizeof(double), rounding = std::size_t{1} << 14;
    return n * columns + MemberSpheres::scratch_bytes(where, n) + rounding;
}

}  // namespace aureole::halo

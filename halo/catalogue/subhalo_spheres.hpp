// Spherical overdensities and tidal radii of subhalos, from bound members alone: in all particles the sphere
// of a satellite would be that of its host.
#pragma once

#include <span>
#include <vector>

#include "halo/groups_view.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "halo/properties/halo_properties.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

struct SubhaloSphereQuery {
    ConstParticlesView particles;
    MembersView members;                             ///< of the subhalos, where the particles are
    std::span<const std::int32_t> parent;            ///< row of each one's parent, -1 for none
    std::span<const HaloProperties> rows;            ///< of the subhalos: their centres
    std::span<const DensityThreshold> thresholds{};  ///< those that are not numbers give NaN
    Box box{};
    Crossing crossing = Crossing::outermost;
};

struct SubhaloSpheres {
    /// [row * number of thresholds + threshold]; NaN where the sphere would be wider than the periodic box.
    std::vector<OverdensitySphere> sphere;
    /// r_t with m(<r_t) / r_t^3 = (3 - d ln M / d ln D) M(<D) / D^3: where the acceleration towards a subhalo
    /// on a circular orbit equals the tidal one of its parent (King 1962 for any spherical host, as reviewed
    /// by van den Bosch et al. 2018). m and M are bound members about the centres of subhalo and parent, D is
    /// the distance of these, r_t the outermost such radius and no larger than the extent of the members. NaN
    /// without a parent, or where no member of it is nearer to its centre than D.
    std::vector<double> tidal_radius;
};

/// Particles and members are in the memory that `exec` runs in, and stay there: some numbers per row travel.
/// Equal bit for bit on both backends, where rows are, and for any number of threads. Cost: a radix sort of
/// the members. Throws aureole::Error for numbers of rows that do not fit. `progress` is called before the
/// spheres and before the tidal radii.
SubhaloSpheres subhalo_spheres(Exec exec, const SubhaloSphereQuery& query, const Progress& progress = {});

/// Bytes of scratch for `n` members, for the memory forecast.
std::size_t subhalo_spheres_bytes(Backend where, std::size_t n);

}  // namespace aureole::halo

// Spherical overdensity masses (Lacey & Cole 1994): spheres about given centres, in all particles, that end
// where the mean density inside falls to a threshold. Cost: a sort of all particles; then, for every centre,
// a few hundred nodes of a tree and the particles within the sphere and somewhat beyond. crossing.hpp says
// what exactly that means.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "halo/overdensity/crossing.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// M(<R) = 4 pi / 3 density R^3, exactly: R lies between the last particle inside and the next.
/// No sphere (both 0): no particle (with mass) reaches the density (outermost), or the nearest do not
/// (innermost). Unknown (both NaN): the density is NaN, or the sphere would be wider than the periodic box.
struct OverdensitySphere {
    double mass, radius;
};

struct OverdensityQuery {
    const Particles& particles;  ///< in host memory; all of them count
    Box box{};
    std::span<const Vec3> centre;     ///< anywhere: wrapped into a periodic box
    std::span<const double> density;  ///< thresholds, in the particles' units, in any order
    /// One per centre, or none: a guess of the mass at the lowest threshold. For innermost crossings a good
    /// one saves time and none changes more than the last digits; outermost ones do without.
    std::span<const double> expected_mass{};
    Crossing crossing = Crossing::outermost;
};

/// The same for particles where `Exec` computes; centres, densities and masses are in host memory.
struct OverdensityQueryView {
    ConstParticlesView particles;  ///< all of them count
    Box box{};
    std::span<const Vec3> centre;
    std::span<const double> density;
    std::span<const double> expected_mass{};
    Crossing crossing = Crossing::outermost;
};

/// Entry [centre * n_densities + k] is the sphere of density[k]. Bit-equal for any number of threads. Throws
/// aureole::Error for a density that is zero, negative or infinite, for positions that are not finite, and,
/// where the outermost crossing is asked for, for masses that are infinite.
std::vector<OverdensitySphere> overdensity_spheres(const OverdensityQuery& query);

/// The same spheres on either backend, of exactly the same particles. Those of outermost crossings are equal
/// to the bit (sums of integers; radii are computed on the host), of innermost ones to round-off. Always
/// throws for masses that are infinite on the GPU.
class OverdensitySearch {
public:
    OverdensitySearch();
    ~OverdensitySearch();
    OverdensitySearch(OverdensitySearch&&) noexcept;
    OverdensitySearch& operator=(OverdensitySearch&&) noexcept;

    /// Memory on the GPU, 96 bytes per particle and a few megabytes, is kept for the next call.
    /// `progress` is called before the search, and on the CPU between large spheres and blocks of others.
    std::vector<OverdensitySphere> spheres(Exec exec, const OverdensityQueryView& query,
                                           const Progress& progress = {});
    /// The same into `result`, one for each centre and density.
    void spheres(Exec exec, const OverdensityQueryView& query, std::span<OverdensitySphere> result,
                 const Progress& progress = {});

private:
    struct Memory;
    std::unique_ptr<Memory> memory_;
};

}  // namespace aureole::halo

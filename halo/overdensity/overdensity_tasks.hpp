// What both implementations of the search for spheres take: on the host and on the GPU.
#pragma once

#include <memory>
#include <span>

#include "halo/overdensity/overdensity.hpp"

namespace aureole::halo::detail {

/// A threshold that is a number. They come by falling density: those that spheres reach first.
struct Threshold {
    double density;
    std::size_t place;
};

/// A query that was checked: there is a centre and a threshold, all densities are above 0.
struct SphereTask {
    ConstParticlesView particles;
    Box box;
    std::span<const Vec3> centre;
    std::span<const Threshold> thresholds;
    std::span<const double> expected_mass;  ///< one per centre, or none
    Crossing crossing;
    std::size_t n_densities;  ///< of a centre, with those that are unknown
};

/// Both write result[centre * n_densities + place] of every threshold, in host memory, where it is known; the
/// rest is NaN already. Positions are finite.
void spheres_cpu(const SphereTask& task, OverdensitySphere* result, const Progress& progress);

/// Particles in the memory of the GPU; checks their positions itself.
class CudaSpheres {
public:
    virtual ~CudaSpheres() = default;
    virtual void run(Exec exec, const SphereTask& task, OverdensitySphere* result) = 0;
};
std::unique_ptr<CudaSpheres> make_cuda_spheres();

[[noreturn]] void throw_bad_place(Index particle, std::uint64_t id);

}  // namespace aureole::halo::detail

// The numbers of one record of a run: energies, and an orbit for each component.
#pragma once

#include <span>

#include "sim/core/buffer.hpp"
#include "sim/core/memory/memory_part.hpp"
#include "sim/core/progress.hpp"
#include "sim/run/diagnostics/energy.hpp"
#include "sim/run/diagnostics/orbit.hpp"

namespace aureole::run {

struct Measurement {
    Energy energy;
    std::vector<ComponentOrbit> orbits;  ///< in the order of the ranges
};

/// Measures states wherever the particles are, and keeps its scratch.
class Measurements {
public:
    /// measure_energy() of all particles, and measure_orbit() of each component; these ranges do not overlap,
    /// and there may be none, as in a periodic box, which has no centre.
    /// `own_potential`, of each range by itself, is in the memory of the particles and indexed as they are.
    /// On a GPU the particles stay there and a kilobyte travels: the same numbers to rounding, and equal bits
    /// for equal input. Cost O(N) for each of some hundred shrinkings of a sphere; on the CPU `progress` is
    /// called before each.
    Measurement measure(Exec exec, const ConstParticlesView& particles, const Box& box,
                        std::span<const IndexRange> components, const double* own_potential,
                        const Progress& progress = {});

    /// Bytes on `where` for `n` particles, for the memory forecast: kept on a GPU; on a CPU freed after each
    /// record, when one component holds all of them. In a periodic box `n_components` does not matter.
    static std::size_t scratch_bytes(Backend where, std::size_t n, const Box& box, std::size_t n_components);
    static memory::Part memory(Backend where, std::size_t n, const Box& box, std::size_t n_components);

private:
    Measurement measure_on_device(Exec exec, const ConstParticlesView& particles, const Box& box,
                                  std::span<const IndexRange> components, const double* own_potential);

    Buffer<std::byte> scratch_;
};

}  // namespace aureole::run

#include "gravity/treepm/short_range.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::gravity::treepm {

void set_source_masses(Exec exec, const ConstParticlesView& particles, const Selection& sources, double* mass)
{
    for_each(exec, particles.n, [=] AUREOLE_HD(Index i) { mass[i] = 0; });
    for_each(exec, sources.size(),
             [=] AUREOLE_HD(Index k) { mass[sources[k]] = particles.mass[sources[k]]; });
}

}  // namespace aureole::gravity::treepm

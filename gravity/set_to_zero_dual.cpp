#include "gravity/set_to_zero.hpp"

#include "sim/core/for_each_dual.hpp"

namespace aureole::gravity {

void set_to_zero(Exec exec, const Selection& targets, const ForceOutputs& outputs)
{
    const Selection at = targets;
    const ForceOutputs to = outputs;
    for_each(exec, at.size(), [=] AUREOLE_HD(Index k) {
        to.acceleration.store(at[k], {0, 0, 0});
        if (to.potential) to.potential[at[k]] = 0;
    });
}

}  // namespace aureole::gravity

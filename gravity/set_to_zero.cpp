#include "gravity/set_to_zero.hpp"

#include <algorithm>

#include "sim/core/buffer.hpp"

namespace aureole::gravity {

void set_to_zero(const ParticlesView& p, IndexRange targets, bool potential)
{
    Buffer<double> host(Backend::cpu, targets.size());
    std::ranges::fill(host.host(), 0.0);
    const Buffer<double> zero = host.copy_to(p.where);
    for (double* array : {p.acceleration.x, p.acceleration.y, p.acceleration.z, p.potential}) {
        if (array == p.potential && !potential) continue;
        if (p.where == Backend::cpu)
            std::fill_n(array + targets.begin, zero.size(), 0.0);
        else
            device::copy(array + targets.begin, zero.data(), zero.size() * sizeof(double));
    }
}

}  // namespace aureole::gravity

// Space cut into domains with about equal numbers of particles.
#pragma once

#include "halo/parts/domain_map.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

/// A map with the memory of its table.
class SpaceCuts {
public:
    /// Without cuts: one domain. `low` and `high` are corners of what all wrapped positions are in.
    SpaceCuts(const Box& box, Vec3 low, Vec3 high, double linking_length);

    /// Cuts space into `n_parts` domains with about equally many of `particles`, which lie where they say;
    /// coincident ones stay together. 2^17 of them are looked at. `exec` is where the map is used.
    void cut(Exec exec, const ConstParticlesView& particles, int n_parts);

    const DomainMap& map() const { return map_; }
    int size() const { return map_.n_cuts + 1; }

private:
    void make_table(Exec exec, std::size_t n);

    DomainMap map_;
    double side_ = 0;  ///< of the cube
    Buffer<std::uint8_t> table_;
};

}  // namespace aureole::halo

// Space cut into domains with about equal numbers of particles.
#pragma once

#include <vector>

#include "halo/parts/domain_map.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

inline constexpr std::size_t most_samples = std::size_t{1} << 13;  ///< parts are even to a percent or two

/// A map with the memory of its table.
class SpaceCuts {
public:
    /// Without cuts: one domain. `low` and `high` are corners of what all wrapped positions are in.
    void set_space(const Box& box, Vec3 low, Vec3 high, double linking_length);

    /// Cuts space into `n_parts` domains with about equally many of `particles`, which lie where they say;
    /// coincident ones stay together. At most 2^14 of them are looked at. `exec` is where the map is used.
    void cut(Exec exec, const ConstParticlesView& particles, int n_parts);

    /// Keys of one in `stride` particles, rising.
    std::vector<std::uint64_t> sample(Exec exec, const ConstParticlesView& particles, Index stride);
    /// The same cuts by the samples of all ranks, one after the other; `n` is the number of particles that
    /// the map is for.
    void cut_by(Exec exec, std::vector<std::uint64_t> samples, int n_parts, std::size_t n);

    const DomainMap& map() const { return map_; }
    int size() const { return map_.n_cuts + 1; }

private:
    void make_table(Exec exec, std::size_t n);

    DomainMap map_;
    double side_ = 0;  ///< of the cube
    Buffer<std::uint8_t> table_;
    Buffer<std::byte> sample_;  ///< on its way through a sort
};

}  // namespace aureole::halo

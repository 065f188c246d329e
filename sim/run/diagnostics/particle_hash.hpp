// The hash of one particle, on both backends.
#pragma once

#include <cstdint>
#include <cstring>

#include "sim/core/particles_view.hpp"

namespace aureole::run {

namespace detail {

inline constexpr std::uint64_t hash_key = 0x243f6a8885a308d3;  ///< where every chain begins: digits of pi

/// A permutation of the 64-bit numbers that spreads every bit over all.
AUREOLE_HD inline std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/// In the sequence of the words, so that exchanged values count.
class HashChain {
public:
    AUREOLE_HD explicit HashChain(std::uint64_t start) : state_(mixed(start)) {}
    AUREOLE_HD void add(std::uint64_t word) { state_ = mixed(state_ ^ word); }
    AUREOLE_HD void add(double value)
    {
        std::uint64_t word;
        std::memcpy(&word, &value, sizeof word);
        add(word);
    }
    AUREOLE_HD void add(Vec3 v)
    {
        add(v.x);
        add(v.y);
        add(v.z);
    }
    AUREOLE_HD std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_;
};

AUREOLE_HD inline std::uint64_t particle_hash(const ConstParticlesView& p, Index i)
{
    HashChain chain(hash_key);
    chain.add(p.id_of(i));
    chain.add(std::uint64_t{p.type_of(i)});
    chain.add(p.mass[i]);
    chain.add(p.position.load(i));
    chain.add(p.velocity.load(i));
    return chain.value();
}

/// The sum of particle_hash() of particles in device memory, added to `*sum`, which is there too. Nothing is
/// waited for (state_hash_cuda.cu).
void add_particle_hashes(CUstream_st* stream, const ConstParticlesView& particles, std::uint64_t* sum);

}  // namespace detail

}  // namespace aureole::run

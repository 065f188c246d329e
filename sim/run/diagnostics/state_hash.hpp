// One number for the state of all particles: runs that end with equal hashes ended with equal bits.
#pragma once

#include <cstdint>
#include <string>

#include "sim/core/particles.hpp"

namespace aureole::run {

/// The sum modulo 2^64, over all particles, of a hash of id, type, mass, position and velocity as stored:
/// It does not depend on the order of the particles, on the number of threads or on the backend, and it
/// changes (except in one case in 2^64) when a single bit of one particle changes. Each hash is a chain of
/// SplitMix64 steps (Steele, Lea & Flood 2014), of which each is one to one in the word it takes. The
/// particles are in the memory that `exec` runs in, of which eight bytes come to the host; O(N), 65 bytes a
/// particle.
std::uint64_t state_hash(Exec exec, const ConstParticlesView& particles);

/// Of host particles.
std::uint64_t state_hash(const Particles& host);

/// "state hash 0123456789abcdef (900 particles)"
std::string state_hash_text(Exec exec, const ConstParticlesView& particles);
std::string state_hash_text(const Particles& host);

}  // namespace aureole::run

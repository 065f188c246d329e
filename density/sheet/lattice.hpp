// The initial lattice of a particle set, from its ids: which particle started where. Ids count the sites of a
// cube of n^3, from 0 or 1, one axis running fastest; which one is seen in the positions. O(N).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "density/sheet/lattice_view.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::density {

/// What is known of the ids; the rest is detected.
struct LatticeChoice {
    std::optional<std::string> axes{};        ///< the axes from slowest to fastest, as "xyz" for z fastest
    std::optional<std::uint64_t> first_id{};  ///< of site 0
    Index every = 1;                          ///< only every k-th site along each axis; divides the side
};

struct Lattice {
    Index side = 0;  ///< sites along an axis, those left by `every`
    Buffer<Index> particle;
    std::string axes;            ///< from slowest to fastest
    std::uint64_t first_id = 0;  ///< of site 0
    double tetrahedron_mass = 0;
    double particle_mass = 0;

    std::uint64_t cubes() const { return std::uint64_t{side} * side * side; }
    LatticeView view() const { return {side, particle.data()}; }
};

/// The lattice of host particles in a periodic box. Throws aureole::Error when they are no complete lattice:
/// a number that is no cube, ids that are missing or there twice (how many and the first), several types,
/// masses that differ, positions that are not finite or far outside the box, neighbours by id that are no
/// neighbours in space. An order of axes that is given is not questioned.
Lattice make_lattice(const ParticlesView& particles, Box box, const LatticeChoice& choice = {});

/// Throws aureole::Error naming the first particle that is not finite or lies more than a box outside the
/// box.
void expect_inside(const ParticlesView& particles, Box box);

}  // namespace aureole::density

// The initial (Lagrangian) lattice of a particle set, found from its ids. Ids number the n^3 sites of a cube
// from 0 or 1 with one axis running fastest; which axis that is follows from the positions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "density/sheet/lattice_blocks.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::density {

/// What is known of the numbering; the rest is detected.
struct LatticeChoice {
    std::optional<std::string> axes{};        ///< axes from slowest to fastest: "xyz" when z is fastest
    std::optional<std::uint64_t> first_id{};  ///< of site 0
    Index every = 1;  ///< uses every k-th site along each axis only; must divide the side
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

/// The lattice of host particles in a periodic box; reads masses, positions, ids, and types where there are
/// any. Throws aureole::Error unless particles are a complete lattice: their number is a cube, each id is
/// there once, they have one type and one mass, positions are finite and at most a box side outside, and
/// neighbours by id are neighbours in space. An order of axes in `choice` is not checked. Cost: O(N).
Lattice make_lattice(const ConstParticlesView& particles, Box box, const LatticeChoice& choice = {});

/// Throws aureole::Error naming the first particle whose position is not finite or more than a box side
/// outside the box.
void expect_inside(const ConstParticlesView& particles, Box box);

}  // namespace aureole::density

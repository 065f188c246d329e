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

// The steps of make_lattice() for particles that are spread over ranks (density/ranks).

/// Throws Error unless the box is periodic and host particles have ids, one type, one mass and positions at
/// most a box side outside.
void expect_of_one_sheet(const ConstParticlesView& particles, Box box);
/// The mass of a tetrahedron where every k-th site is used.
double tetrahedron_mass_of(double particle_mass, Index every);
/// The side of a lattice of n particles; throws Error unless that is a cube of at least 2.
Index side_of_cube(std::uint64_t n);
/// Throws Error unless `axes` are x, y and z in some order.
void expect_axes(const std::string& axes);
/// Throws Error unless every k-th site of `side` is a lattice.
void expect_every(Index every, Index side);

/// The lines of sites along one stride of the ids by which the order of axes is found; in large lattices they
/// are a sample. Sites are numbered by their ids.
class LineSample {
public:
    LineSample(Index side, Index of_stride);

    Index count() const { return count_; }
    /// Site i of sampled line k.
    std::size_t site(Index k, Index i) const
    {
        const Index line = k * step_;
        return std::size_t{line / stride_} * stride_ * side_ + line % stride_ + std::size_t{i} * stride_;
    }
    bool has(std::size_t site) const
    {
        const std::size_t line = site / (std::size_t{stride_} * side_) * stride_ + site % stride_;
        return line % step_ == 0;
    }

private:
    Index side_, stride_, step_, count_;
};

/// The axes along which ids differ by n^2, n and 1, from the positions of sites by id; asks for those of
/// sampled lines only, from several threads. Throws Error when ids do not number a lattice of the box.
std::string detected_axes(Box box, Index side, const std::function<Vec3(std::size_t site)>& position);

/// Throws aureole::Error naming the first particle whose position is not finite or more than a box side
/// outside the box.
void expect_inside(const ConstParticlesView& particles, Box box);

}  // namespace aureole::density

// The sheet at given points: which tetrahedra hold each of them, and from those density, velocity,
// dispersion and number of streams (Abel, Hahn & Kaehler 2012). Points stand in a tree,
// each cube of the lattice asks it for the points in its bounding box, and signs of exact determinants
// decide: O((N + P) log P + candidates). Nothing is interpolated on a grid. A GPU finds who holds whom, and
// the host makes the numbers of it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "density/sheet/lattice.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::density {

/// One tetrahedron at a point.
struct Stream {
    std::uint64_t tetrahedron;  ///< 6 times its lattice cube, z fastest, plus its number in the cube
    double density;             ///< its mass over its volume
    Vec3 velocity;              ///< linear in the tetrahedron
    int orientation;            ///< 1 or -1, turned inside out; they add up to 1 at every point
};

/// The streams at a point together.
struct PointField {
    Index streams = 0;
    double density = 0;
    Vec3 velocity{};        ///< mass-weighted mean; NaN without mass
    double dispersion = 0;  ///< between streams, one-dimensional: sqrt((<v^2> - <v>^2) / 3); NaN
                            ///< without mass
};

/// Of n points: those of point i are streams[first[i]] to streams[first[i + 1]], by tetrahedron.
struct StreamsAtPoints {
    std::vector<std::size_t> first;  ///< n + 1
    std::vector<Stream> streams;

    std::span<const Stream> at(std::size_t point) const
    {
        return std::span(streams).subspan(first[point], first[point + 1] - first[point]);
    }
};

/// Sums run in the order that is given, so equal streams give equal bits.
PointField field_of(std::span<const Stream> streams);

/// Host particles and their order in the lattice, which others hold.
struct SampledSheet {
    ParticlesView particles;
    Box box;
    const Lattice& lattice;
};

/// The streams at host points; images outside the box count as those inside. A point on a face is moved by
/// an infinitely small step that is the same for both sides, and tetrahedra without volume hold nothing, so
/// the number is odd. `progress` is told the fraction done. The bits are the same on each backend, for any
/// number of threads and any order of particles. Throws aureole::Error for points that are not finite or more
/// than a box outside and for velocities that are not finite, naming the first.
StreamsAtPoints streams_at(Exec exec, const SampledSheet& sheet, std::span<const Vec3> points,
                           const std::function<void(double)>& progress = {});

/// What that takes beyond particles, points and streams, bytes; streams are 16 bytes each on a device.
struct PointsMemory {
    std::size_t tree;    ///< of the points, on the host and on the device
    std::size_t chunks;  ///< of the lattice on their way to the device; 0 where there is none
};

PointsMemory points_memory(Backend backend, Index lattice_side, std::size_t n_points);

}  // namespace aureole::density

// Loops of maps and ellipses over particles on the sky, on either backend. Sums are over pieces of fixed
// length, in order, so that their bits depend neither on threads nor on blocks. All pointers are in the
// memory of the backend.
#pragma once

#include "sim/analysis/disk_view.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::run {

/// From where lengths and velocities count, and the directions of the sky in the same axes.
struct SkyAxes {
    Vec3 centre, velocity, right, up, towards;
};

/// Where project() writes.
struct SkyTargets {
    double *mass, *x, *y, *velocity;
};

/// Every particle on the sky. Cost n.
void project(Exec exec, const DiskView& disk, const SkyAxes& axes, const SkyTargets& to);

/// The number of the pixel of each particle, x fastest, side^2 outside of the map; order[i] = i. Cost n.
void find_pixels(Exec exec, const SkyPoints& sky, double width, int side, std::uint64_t* pixel, Index* order);

/// The square of each distance from the centre, in bits that sort as it does; order[i] = i. Cost n.
void find_distances(Exec exec, const SkyPoints& sky, std::uint64_t* distance, Index* order);

/// first[k] for k from 0 to n_keys: how many of the n sorted keys are below k. Cost n_keys log n.
void find_firsts(Exec exec, Index n, const std::uint64_t* sorted, Index n_keys, Index* first);

/// Particles that one thread adds up.
inline constexpr Index line_piece = 128, ring_piece = 256, ring_group = 64;

inline constexpr Index line_terms = 5;  ///< sums of a piece of a line

/// The velocities of a pixel: particles begin to end, cut into pieces first to last.
struct SkyLine {
    Index begin, end, first, last;
    double mass, mean, dispersion;  ///< moments; NaN without mass, the last for one particle
    LineOfSight shape;
    Index fitting;  ///< 1 while the shape is iterated
};

struct LinePiece {
    Index line, begin, end;
};

/// The lines of a map: `mass` and `velocity` in the order of the pixels, line_terms `sums` a piece.
struct SkyLines {
    const double *mass, *velocity;
    Index n_lines, n_pieces;
    SkyLine* line;
    const LinePiece* piece;
    double* sums;
};

/// Sets the moments of all lines, and the shapes to these. Cost: three passes over the particles.
void find_moments(Exec exec, const SkyLines& lines);

/// One step of the shapes of the lines that are `fitting`. Cost: a pass over their particles.
void improve_shapes(Exec exec, const SkyLines& lines);

/// *n += lines that are `fitting`.
void count_fitting(Exec exec, const SkyLines& lines, Index* n);

/// What lies between two ellipses of one shape.
struct EllipticalRing {
    double mass, xx, xy, yy, cos4;
    std::int64_t count;
};

AUREOLE_HD inline void add(EllipticalRing& to, const EllipticalRing& other)
{
    to.mass += other.mass;
    to.xx += other.xx;
    to.xy += other.xy;
    to.yy += other.yy;
    to.cos4 += other.cos4;
    to.count += other.count;
}

/// Between the semi-major axes a0 and a1, of axis ratio `ratio` along (cosine, sine): pieces `first` to
/// `last` of the particles in the order of their distances, whose sums begin at `sums`, and in groups at
/// `groups`.
struct RingTask {
    double cosine, sine, ratio, a0, a1;
    Index first, last, sums, groups;
};

/// Sums of pieces, n_sums in all, and of groups of ring_group pieces, n_groups in all. `sky` is in the order
/// of distances; tasks rise in `sums` and `groups`. Cost: the particles of the pieces.
void sum_rings(Exec exec, const SkyPoints& sky, Index n_tasks, const RingTask* tasks, Index n_sums,
               EllipticalRing* sums, Index n_groups, EllipticalRing* groups);

/// edge[k] = the square of the distance of the first particle of piece k.
void find_edges(Exec exec, const SkyPoints& sky, double* edge);

}  // namespace aureole::run

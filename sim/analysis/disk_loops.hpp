// Loops over the particles of a disk, on either backend. Sums are over pieces of fixed length, in order, so
// that their bits depend neither on threads nor on blocks. All pointers are in the memory of the backend.
#pragma once

#include "sim/analysis/bar_pattern.hpp"
#include "sim/analysis/disk_view.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/sums/order_free_sum.hpp"

namespace aureole::run {

/// Particles that one thread adds up.
inline constexpr Index disk_piece = 512;

inline Index disk_pieces(Index n) { return n / disk_piece + (n % disk_piece > 0 ? 1 : 0); }

/// A mass with its momentum, or an angular momentum without mass.
struct DiskSum {
    double mass;
    Vec3 vector;
};

/// counted[i] = 1 for the particles with a type of `types` and one of the `n_components` components, 0 of
/// which mean all. Cost n.
void find_members(Exec exec, const ConstParticlesView& particles, std::uint8_t types,
                  const Component* components, Index n_components, std::uint8_t* counted);

/// The ids of the particles with these numbers, and the numbers themselves. Cost n.
void find_ids(Exec exec, const ConstParticlesView& particles, Index n, const Index* number, std::uint64_t* id,
              Index* order);

/// Masses, positions and velocities of the particles with these numbers. Cost n.
struct DiskTargets {
    double* mass;
    Vec3 *position, *velocity;
};
void take_members(Exec exec, const ConstParticlesView& particles, Index n, const Index* number,
                  const DiskTargets& to);

/// Coordinates one by one. Cost n.
void split_positions(Exec exec, const DiskView& disk, double* x, double* y, double* z);

/// Distances from the centre, in bits that sort as they do; order[i] = i. Cost n.
void find_disk_radii(Exec exec, const DiskView& disk, Vec3 centre, std::uint64_t* radius, Index* order);

/// Masses and momenta of the first n particles of `order`, of each piece. Cost n.
void sum_momenta(Exec exec, const DiskView& disk, Index n, const Index* order, DiskSum* sums);

/// Angular momenta within `reach` of the centre, of each piece. Cost N.
void sum_angular_momenta(Exec exec, const DiskView& disk, Vec3 centre, Vec3 velocity, double reach,
                         DiskSum* sums);

/// Places and velocities in the coordinates of the frame, the distance from its axis in bits that sort as
/// they do, and order[i] = i. Cost n.
void find_in_frame(Exec exec, const DiskView& disk, const DiskFrame& frame, const DiskTargets& to,
                   std::uint64_t* radius, Index* order);

/// Particles in that order, whose radii are in bits. Cost n.
void take_in_order(Exec exec, const DiskView& from, const std::uint64_t* bits, const Index* order,
                   const DiskTargets& to, double* radius);

/// Particles of a sorted disk that are added up: in pieces, and these in groups, from the numbers given on.
struct DiskRange {
    Index begin, end, pieces, groups;
};

inline constexpr Index range_piece = 64, range_group = 128;

/// Ranges with the room for their sums, `width` for each piece and group; groups[g * width + k] is sum k.
struct RangeSums {
    Index n_ranges, n_pieces, n_groups;
    const DiskRange* range;
    double *pieces, *groups;
};

/// Of one range: what its sums of squares are about.
struct RangeMeans {
    Vec3 velocity;  ///< R, phi, z
    double height;
};

/// The sums of find_moments() by their places: mass and its square, mass times v_R, v_phi, v_z and z, times
/// cosine and sine of m phi for m = 1 to 4, times x^2, x y and y^2, times z cos(2 phi) and z sin(2 phi).
struct MomentPlaces {
    static constexpr int mass = 0, square = 1, velocity = 2, height = 5, harmonics = 6, plane = 14,
                         bending = 17, width = 19;
};

/// Sums of ranges; those of particles at R = 0 have no v_R, v_phi and azimuth. Cost n each.
void sum_moments(Exec exec, const DiskView& disk, const RangeSums& to);
/// Mass times the squares of v_R, v_phi and v_z about the means, v_R v_phi, z^2: five.
void sum_squares(Exec exec, const DiskView& disk, const RangeSums& to, const RangeMeans* means);
/// The five PatternTerms.
void sum_pattern(Exec exec, const DiskView& disk, const RangeSums& to, const PatternRegion& region, int m);
/// The squares of what each particle adds to amplitude, phase and speed: three.
void sum_pattern_squares(Exec exec, const DiskView& disk, const RangeSums& to, const PatternRegion& region,
                         int m, const PatternSlopes& slopes);

/// The bits of |z - mean height of the range| of all particles of the ranges, which cover the disk, and their
/// numbers; then the number of the range of the particles in this order. Cost n log n_ranges.
void find_heights(Exec exec, const DiskView& disk, const RangeSums& of, const RangeMeans* means,
                  std::uint64_t* height, Index* order);
void find_ranges(Exec exec, Index n, const RangeSums& of, const Index* order, std::uint64_t* range);

/// half[r]: the height within which half of the mass[r] of range r lies, whose particles are in the order of
/// their heights; the mean of two neighbours where it lies between them. Takes the pieces of `of`. Cost n.
void find_half_heights(Exec exec, const DiskView& disk, const RangeSums& of, const RangeMeans* means,
                       const Index* order, const double* mass, double* half);

/// On a GPU, where a thread takes `of_one_thread` particles: sums of integers, whose bits no order changes.
inline constexpr Index of_one_thread = 64;

/// How exponents are kept where threads share the greatest of them.
AUREOLE_HD inline std::int32_t exponent_of(std::uint64_t kept)
{
    return 2048 - static_cast<std::int32_t>(kept);
}

/// `exponent` becomes 2048 - the greatest sum_exponent() of the masses. Cost n.
void find_mass_exponent(Exec exec, const ConstParticlesView& particles, std::uint64_t* exponent);

/// What lies between one radius and the next, in `copies` copies that are added up in the first. Cost n.
void sum_shells(Exec exec, const ConstParticlesView& particles, Vec3 centre, Index n_radii,
                const double* radii, const std::uint64_t* exponent, Index copies, OrderFreeSum* shells);

/// Terms of mass and angular momentum: their exponents as above, and a bit for each component and type that
/// there is, 8 component + type.
inline constexpr int n_momentum_terms = 4, n_kind_words = 8192;
struct MomentumScales {
    std::uint64_t exponent[n_momentum_terms], kinds[n_kind_words];
};
struct MomentumSums {
    std::int64_t count;
    OrderFreeSum term[n_momentum_terms];
};
void find_momentum_scales(Exec exec, const ConstParticlesView& particles, const DiskFrame& frame,
                          MomentumScales* scales);
/// Of each of the kinds, in copies: sums[copy * n_kinds + kind]. Cost n n_kinds.
void sum_kinds(Exec exec, const ConstParticlesView& particles, const DiskFrame& frame,
               const MomentumScales* scales, Index n_kinds, const Index* kinds, Index copies,
               MomentumSums* sums);

/// Mass and angular momentum of one particle about the centre of the frame.
struct MomentumTerms {
    double term[n_momentum_terms];
};
AUREOLE_HD inline MomentumTerms momentum_terms(const ConstParticlesView& particles, Vec3 centre,
                                               Vec3 velocity, Index i)
{
    const Vec3 v = (particles.velocity.absent() ? Vec3{} : particles.velocity.load(i)) - velocity;
    const Vec3 l = particles.mass[i] * cross(particles.position.load(i) - centre, v);
    return {{particles.mass[i], l.x, l.y, l.z}};
}

/// to[i] = from[order[i]] of up to three arrays, of which those with a null `to` are left out. Cost n.
struct Gathered {
    const double* from[3];
    double* to[3];
};
void gather(Exec exec, Index n, const Index* order, const Gathered& arrays);

}  // namespace aureole::run

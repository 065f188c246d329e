// The bar of a disk: Fourier amplitudes in rings, strength, length, buckling, and the pattern speed of one
// snapshot (Dehnen, Semczuk & Schoenrich 2023). The disk is in its own frame, sorted by radius
// (disk_frame.hpp), on the backend of `exec`. Cost O(N).
//
// Convention: A_m = |sum mass exp(i m phi)| / sum mass, so that a surface density ~ 1 + e cos 2 phi has A_2 =
// e / 2. N equal masses without a bar have a mean A of sqrt(pi / 4 N).
#pragma once

#include <limits>
#include <string>

#include "sim/analysis/bar_pattern.hpp"
#include "sim/analysis/disk_moments.hpp"
#include "sim/core/table.hpp"

namespace aureole::run {

inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// The pattern of one snapshot with standard errors from the covariance of the particles' terms.
struct Pattern {
    double amplitude = not_measured,
           amplitude_error = not_measured;                    ///< of the window: sqrt(C^2 + S^2) / sum mass W
    double phase = not_measured, phase_error = not_measured;  ///< atan2(S, C) / m
    double speed = not_measured, speed_error = not_measured;  ///< (C dS/dt - S dC/dt) / (m (C^2 + S^2))
};

/// NaN where the amplitude is zero.
Pattern pattern_of(Exec exec, const DiskView& disk, const PatternRegion& region, int m);

/// What a bar has to be for its pattern speed to be given: the criteria of the authors' published program.
struct BarCriteria {
    double amplitude = 0.1;         ///< least A2max
    double along = 0.025;           ///< least A2 of the rings that belong to the bar
    double phase_spread = 10;       ///< of these rings, at most, degrees
    double extent = 0.2;            ///< least log10(r1 / r0)
    std::size_t particles = 50000;  ///< least number between r0 and r1
};

enum class BarStatus { measured, too_weak, too_short, too_few_particles };

struct Bar {
    double a2_max =
        not_measured;  ///< largest A2 of the rings whose median R is below 2.4 times that of the disk
    double noise = not_measured;  ///< mean A2 that the particles of that ring have without a bar
    double r_max = not_measured;  ///< median R of that ring
    BarStatus status = BarStatus::too_weak;
    PatternRegion region;  ///< the adjacent rings with the criteria's A2 and phases
    Pattern pattern;       ///< NaN for A2max below the criterion; speeds are NaN unless measured
    // Lengths, counted outwards from r_max; NaN for A2max below the criterion and where the disk ends before.
    double length_half = not_measured;   ///< where A2 falls to half of A2max
    double length_phase = not_measured;  ///< where the phase is 10 degrees from that at r_max
    double length_axes =
        not_measured;  ///< where b/a of all particles within R is least, to grow again outside
    // Within r1; NaN for A2max below the criterion.
    double buckling = not_measured;    ///< |sum mass z exp(2 i phi)| / sum mass, a length
    double flattening = not_measured;  ///< sigma_z / sigma_R; below about 0.3 unstable (Raha et al. 1991)
    std::size_t particles = 0;         ///< of the whole disk
};

/// `rings` are those of `disk` and `moments` theirs. A disk without particles has NaN everywhere.
Bar measure_bar(Exec exec, const DiskView& disk, const std::vector<DiskRing>& rings,
                const std::vector<RingMoments>& moments, const BarCriteria& criteria = {});

/// "measured", or which criterion is not met, with both numbers.
std::string bar_status_text(const Bar& bar, const BarCriteria& criteria);

/// One row with all numbers of the bar and of the frame. Pattern speeds have the dimension of velocity /
/// length; angles are in radians from the frame's x axis; Status counts as BarStatus does.
Table bar_table(const Bar& bar, const DiskFrame& frame, double time);

/// The paper that measured speeds are to be cited with.
inline constexpr char pattern_speed_citation[] =
    "Dehnen, W., Semczuk, M., Schoenrich, R. 2023, MNRAS 518, 2712, doi:10.1093/mnras/stac3184";

}  // namespace aureole::run

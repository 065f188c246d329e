// What a pair adds to the field of the mesh: with the scale r_s of the split and u = r / (2 r_s)
//     acceleration  m d (1/r^3 - F(r^2)),   F = (erf u - 2 u / sqrt(pi) exp(-u^2)) / r^3,
//     potential    -m (1/r - V(r^2)),       V = erf(u) / r,
// which is the whole pair less what the mesh has of it (Hockney & Eastwood 1981; Springel 2005), or with F
// and V of gravity/mesh/compact_split.hpp. They are entire functions of r^2, so polynomials stand for them,
// to 2e-8 of their values at 0 where the cut is at most 7 r_s.
#pragma once

#include <array>
#include <vector>

#include "gravity/mesh/compact_split.hpp"

namespace aureole::gravity::treepm {

/// F and V as polynomials of t = per_square r^2 - 1, the coefficient of t^k at [k], for r up to `reach`.
struct SplitCoefficients {
    std::vector<double> force, potential;
    double per_square;
};
SplitCoefficients split_coefficients(double split, double reach, int degree);
SplitCoefficients split_coefficients(const CompactSplit& split, double reach, int degree);

/// What the mesh has of a pair: the field of Gaussian clouds, or of clouds that end at the cut.
enum class SplitShape { gaussian, compact };

class SplitPair {
public:
    static constexpr int degree = 16;
    static constexpr double beyond_cut = 1.15;  ///< the polynomials serve to so many times the cut

    SplitPair() = default;
    /// `split` is r_s; pairs farther apart than `cut` add nothing.
    SplitPair(double split, double cut, SplitShape shape = SplitShape::gaussian);

    double split() const { return split_; }
    double cut() const { return cut_; }
    SplitShape shape() const { return shape_; }

    /// To be multiplied by the cut: no target of a cell may be farther away. Compact clouds would not end.
    double reach() const { return shape_ == SplitShape::compact ? 1 : beyond_cut; }

    /// The polynomials up to a distance, lengths in such units.
    SplitCoefficients coefficients(double reach, int terms, double unit) const;

    /// F, and its first and second derivative by r^2.
    struct Smooth {
        double value, slope, curvature;
    };
    Smooth smooth(double r2) const
    {
        const double t = r2 * per_square_ - 1;
        Smooth s{force_[degree], 0, 0};
        for (int k = degree - 1; k >= 0; --k) {
            s.curvature = s.curvature * t + s.slope;
            s.slope = s.slope * t + s.value;
            s.value = s.value * t + force_[k];
        }
        return {s.value, per_square_ * s.slope, 2 * per_square_ * per_square_ * s.curvature};
    }
    double force(double r2) const { return horner(force_, r2); }
    double potential(double r2) const { return horner(potential_, r2); }

private:
    using Coefficients = std::array<double, degree + 1>;

    double horner(const Coefficients& c, double r2) const
    {
        const double t = r2 * per_square_ - 1;
        double sum = c[degree];
        for (int k = degree - 1; k >= 0; --k) sum = sum * t + c[k];
        return sum;
    }

    Coefficients force_{}, potential_{};  ///< of powers of t, r^2 = (t + 1) / per_square_
    double per_square_ = 0, split_ = 0, cut_ = 0;
    SplitShape shape_ = SplitShape::gaussian;
};

}  // namespace aureole::gravity::treepm

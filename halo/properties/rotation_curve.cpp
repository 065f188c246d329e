// M(<=r) / r inside a bin lies between the mass before it over its upper edge and the mass after it over its
// lower edge: bins whose upper bound is below another's lower bound need no look inside.
#include "halo/properties/rotation_curve.hpp"

#include <algorithm>
#include <cmath>

namespace aureole::halo {
namespace {

/// The search for the largest M(<=r) / r, kept as its square: M^2 / r^2.
class MaximumSearch {
public:
    explicit MaximumSearch(RadialBins& bins) : bins_(bins), least_(least_for_maximum(bins.size()))
    {
        std::size_t count = 0;
        double inside = 0;
        for (std::size_t bin = 0; bin < bins_.n_bins(); ++bin) {
            count += bins_.size(bin);
            inside += bins_.mass(bin);
            // not bin 0, where distances can be zero
            if (bin > 0 && bins_.size(bin) > 0 && count >= least_)
                reached_ = std::max(reached_, inside * inside / bins_.high(bin));
        }
    }

    void run(RotationCurve& curve)
    {
        std::size_t count = 0;
        double inside = 0;
        for (std::size_t bin = 0; bin < bins_.n_bins(); ++bin) {
            const double after = inside + bins_.mass(bin);
            if (count + bins_.size(bin) >= least_ && may_exceed(after, bins_.low(bin)))
                look_inside(bin, count, inside);
            count += bins_.size(bin);
            inside = after;
        }
        curve.max_mass_per_radius = std::sqrt(best_);
        curve.max_radius = std::sqrt(at_);
    }

private:
    bool may_exceed(double mass, double squared) const
    {
        constexpr double rounding = 1 + 1e-12;
        return squared == 0 || mass * mass / squared * rounding >= std::max(best_, reached_);
    }

    void look_inside(std::size_t bin, std::size_t count, double inside)
    {
        for (const RadialMass& entry : bins_.sorted(bin)) {
            inside += entry.mass;
            if (++count < least_ || entry.squared == 0) continue;
            const double value = inside * inside / entry.squared;
            if (value > best_) {
                best_ = value;
                at_ = entry.squared;
            }
        }
    }

    RadialBins& bins_;
    std::size_t least_;
    double reached_ = 0;  ///< the maximum is no less
    double best_ = 0, at_ = 0;
};

/// The squared distance at which the mass inside first reaches `part`.
double radius_of(RadialBins& bins, double part)
{
    double inside = 0, squared = 0;
    for (std::size_t bin = 0; bin < bins.n_bins(); ++bin) {
        if (bins.size(bin) == 0) continue;
        if (inside + bins.mass(bin) >= part) {
            for (const RadialMass& entry : bins.sorted(bin)) {
                inside += entry.mass;
                squared = entry.squared;
                if (inside >= part) break;
            }
            break;
        }
        inside += bins.mass(bin);
    }
    return std::sqrt(squared);
}

}  // namespace

RotationCurve rotation_curve(RadialBins& bins, double total)
{
    RotationCurve curve;
    MaximumSearch(bins).run(curve);
    curve.half_mass_radius = radius_of(bins, half_of(total));
    curve.extent = std::sqrt(bins.farthest_squared());
    return curve;
}

}  // namespace aureole::halo

// The natural cubic spline through a table. O(n) to make, O(log n) to evaluate; host memory.
#pragma once

#include <span>
#include <vector>

namespace aureole {

class CubicSpline {
public:
    /// Through y(x); x rises. Throws ArgumentError for fewer than two points, for arrays of different sizes,
    /// and for x that does not rise.
    CubicSpline(std::span<const double> x, std::span<const double> y);

    struct Sample {
        double value, slope;
    };

    /// Beyond the ends it goes on straight.
    Sample at(double x) const;

    /// The second derivative at each point.
    std::span<const double> curvature() const noexcept { return curvature_; }

private:
    std::vector<double> x_, y_, curvature_;
};

}  // namespace aureole

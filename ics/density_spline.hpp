// A tabulated density between and within its rows: a cubic spline of ln rho in ln r, a parabola in the cells
// at its ends, so that two derivatives are continuous. Inside the first row the slope tends as r^2 to that of
// a core or a cusp, which slope and curvature at the first row give.
#pragma once

#include "ics/density.hpp"

namespace aureole::ics {

class DensitySpline final : public Density {
public:
    /// Radii are multiplied by `scale`. At least 2 rows; radii grow, all numbers are positive.
    DensitySpline(const DensityTable& table, double scale);

    LocalDensity at(double radius) const override;  ///< at most the last row's

    /// d ln rho / d ln r at the centre: at most 0.
    double inner_slope() const { return inner_slope_; }

private:
    LocalDensity within_cell(std::size_t k, double s) const;

    std::vector<double> s_, y_;      ///< ln r, ln rho
    std::vector<double> curvature_;  ///< second derivatives at the rows
    double inner_slope_;
    LocalDensity first_;  ///< at the first row
};

}  // namespace aureole::ics

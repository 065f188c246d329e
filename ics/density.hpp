// Spherical densities with their derivatives, all that an inversion needs to know of a model.
#pragma once

#include <memory>

#include "ics/component.hpp"

namespace aureole::ics {

/// The density at a radius and how it falls there.
struct LocalDensity {
    double value;      ///< rho
    double slope;      ///< d ln rho / d ln r
    double curvature;  ///< d2 ln rho / d (ln r)2
};

class Density {
public:
    virtual ~Density() = default;
    virtual LocalDensity at(double radius) const = 0;  ///< radius above 0
};

/// Untruncated.
std::unique_ptr<Density> plummer_density(double mass, double scale_radius);
std::unique_ptr<Density> hernquist_density(double mass, double scale_radius);

/// How a nfw ends, in Component::own; the setting `tail`.
enum class Tail {
    exponential,  ///< r^e exp(-r / truncation_width) beyond truncation_radius; `mass` is what lies inside it
    gaussian      ///< times exp(-(r / truncation_radius)^2) everywhere; `mass` is the total
};
struct TailConfig {
    Tail tail = Tail::exponential;
};

/// With their tails, mass as in Component.
std::unique_ptr<Density> nfw_density(const Component& component);
std::unique_ptr<Density> table_density(const Component& component);

/// That of the component's model; nullptr where it is no sphere, or one without a density to invert.
std::unique_ptr<Density> make_density(const Component& component);

/// Where a nfw's or table's exponential tail begins.
double tail_radius(const Component& component);

/// Radii from where 1e-13 of the mass is left inside to where it is left outside, or to 1e8 of the model's
/// own size for tails that fall as powers; each 1/64 larger than the last. Where a tail begins is one of
/// them, with more beside it.
std::vector<double> radial_grid(const Component& component, const Density& density);

// A tabulated density between and within its rows: a cubic spline of ln rho in ln r, a parabola in the cells
// at its ends, so that two derivatives are continuous. Inside the first row the slope tends as r^2 to that of
// a core or a cusp, which slope and curvature at the first row give.

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

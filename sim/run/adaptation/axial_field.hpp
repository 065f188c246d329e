// The field of mass that is symmetric about the z axis and about the plane z = 0, by multipoles of even order
// l about the origin: Phi(r, theta) = sum of Phi_l(r) P_l(cos theta). G = 1.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/core/vec3.hpp"

namespace aureole::run {

/// Radii, evenly spaced in ln r, between which multipoles are known.
class AxialGrid {
public:
    AxialGrid(double first, double last, int radii);

    std::size_t size() const { return radii_.size(); }
    double radius(std::size_t k) const { return radii_[k]; }
    double step() const { return step_; }  ///< of ln r

    /// How many of the radii are at most r.
    std::size_t cell(double r) const;
    double ln_first() const { return ln_first_; }

private:
    std::vector<double> radii_;
    double ln_first_, step_;
};

/// Sums over mass from which a field follows: for each cell and even l the multipoles of what lies in the
/// cell about its outer and about its inner radius. Sums of two sets are those of their union.
class AxialMoments {
public:
    AxialMoments(const AxialGrid& grid, int largest_order);

    void add(double mass, double r, double cosine);  ///< a ring at r > 0
    void add(const AxialMoments& other);

    /// Goes to `other` by a part of the way.
    void approach(const AxialMoments& other, double part);
    void drop_flatness();  ///< keeps l = 0 alone

    int orders() const { return orders_; }  ///< even ones from 0 on
    double outwards(std::size_t cell, int order) const { return sums_[at(cell, order)]; }
    double inwards(std::size_t cell, int order) const { return sums_[at(cell, order) + 1]; }

private:
    std::size_t at(std::size_t cell, int order) const
    {
        return 2 * (cell * static_cast<std::size_t>(orders_) + static_cast<std::size_t>(order));
    }

    const AxialGrid* grid_;
    int orders_;
    std::vector<double> sums_;
};

/// Phi_l and dPhi_l / d ln r at the radii, cubic between them; inside the first radius as of mass of one
/// density, outside of the last as of a point. Its force is the gradient of its potential.
class AxialField {
public:
    AxialField(const AxialGrid& grid, int largest_order);

    /// Of mass inside and outside of each radius.
    void add(const AxialMoments& moments);

    /// Another field times `round` for l = 0, and times `flat` for all others.
    void add(const AxialField& other, double round, double flat);

    void add_point(double mass, double softening);  ///< Plummer's

    /// Orders that are less than 1e-7 of the whole at a radius and beside it are left out from now on.
    void drop_negligible_orders();

    double potential(Vec3 x) const;
    Vec3 acceleration(Vec3 x) const;
    double circular_speed2(double r) const;  ///< of the spherical part
    double first_radius() const { return grid_->radius(0); }

private:
    struct Value {
        double value, slope;  ///< Phi_l, d Phi_l / d ln r
    };
    struct Place;
    Place place(double r) const;
    Value at(const Place& place, int order) const;
    const Value& stored(std::size_t k, int order) const
    {
        return values_[k * static_cast<std::size_t>(orders_) + static_cast<std::size_t>(order)];
    }

    const AxialGrid* grid_;
    int orders_;
    std::vector<Value> values_;
    std::vector<int> used_;  ///< orders at each radius
};

}  // namespace aureole::run

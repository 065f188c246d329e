#include "sim/run/adaptation/axial_field.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/numerics/portable_math.hpp"

namespace aureole::run {

AxialGrid::AxialGrid(double first, double last, int radii)
    : ln_first_(portable::log(first)), step_(portable::log(last / first) / (radii - 1))
{
    for (int k = 0; k < radii; ++k) radii_.push_back(portable::exp(ln_first_ + k * step_));
}

std::size_t AxialGrid::cell(double r) const
{
    if (r < radii_.front()) return 0;
    if (r >= radii_.back()) return radii_.size();
    auto k = static_cast<std::size_t>(
        std::clamp((portable::log_in_loops(r) - ln_first_) / step_, 0.0, static_cast<double>(size() - 2)));
    if (r < radii_[k]) --k;  // the logarithm's last bit
    if (r >= radii_[k + 1]) ++k;
    return k + 1;
}

AxialMoments::AxialMoments(const AxialGrid& grid, int largest_order)
    : grid_(&grid),
      orders_(largest_order / 2 + 1),
      sums_((grid.size() + 1) * 2 * static_cast<std::size_t>(orders_), 0.0)
{
}

void AxialMoments::add(double mass, double r, double cosine)
{
    const std::size_t cell = grid_->cell(r);
    const double outer = cell < grid_->size() ? r / grid_->radius(cell) : 0;
    const double inner = cell > 0 ? grid_->radius(cell - 1) / r : 0;
    const double outer2 = outer * outer, inner2 = inner * inner;
    double up = mass, down = mass * inner, before = 0, legendre = 1;  // P_(l - 1) and P_l
    double* sum = &sums_[at(cell, 0)];
    for (int order = 0; order < orders_; ++order, sum += 2) {
        sum[0] += up * legendre;
        sum[1] += down * legendre;
        up *= outer2;
        down *= inner2;
        const int l = 2 * order;
        const double next = ((2 * l + 1) * cosine * legendre - l * before) / (l + 1);
        const double after = ((2 * l + 3) * cosine * next - (l + 1) * legendre) / (l + 2);
        before = next;
        legendre = after;
    }
}

void AxialMoments::add(const AxialMoments& other)
{
    for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += other.sums_[k];
}

void AxialMoments::approach(const AxialMoments& other, double part)
{
    for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += part * (other.sums_[k] - sums_[k]);
}

void AxialMoments::drop_flatness()
{
    for (std::size_t cell = 0; cell <= grid_->size(); ++cell)
        for (std::size_t k = at(cell, 1); k < at(cell + 1, 0); ++k) sums_[k] = 0;
}

AxialField::AxialField(const AxialGrid& grid, int largest_order)
    : grid_(&grid),
      orders_(largest_order / 2 + 1),
      values_(grid.size() * static_cast<std::size_t>(orders_), Value{0, 0}),
      used_(grid.size(), orders_)
{
}

void AxialField::add(const AxialMoments& moments)
{
    const std::size_t n = grid_->size();
    const double ratio = grid_->radius(0) / grid_->radius(1);
    double ratio_to_l = 1;
    for (int order = 0; order < std::min(orders_, moments.orders()); ++order) {
        const int l = 2 * order;
        const auto add_at = [&](std::size_t k, double value, double slope) {
            Value& v = values_[k * static_cast<std::size_t>(orders_) + static_cast<std::size_t>(order)];
            v.value += value;
            v.slope += slope;
        };
        double inside = 0, outside = 0;
        for (std::size_t k = 0; k < n; ++k) {
            inside = inside * ratio_to_l * ratio + moments.outwards(k, order) / grid_->radius(k);
            add_at(k, -inside, (l + 1) * inside);
        }
        for (std::size_t k = n; k-- > 0;) {
            outside = outside * ratio_to_l + moments.inwards(k + 1, order) / grid_->radius(k);
            add_at(k, -outside, -l * outside);
        }
        ratio_to_l *= ratio * ratio;
    }
}

void AxialField::add(const AxialField& other, double round, double flat)
{
    for (std::size_t k = 0; k < grid_->size(); ++k)
        for (int order = 0; order < std::min(orders_, other.orders_); ++order) {
            const double factor = order == 0 ? round : flat;
            Value& v = values_[k * static_cast<std::size_t>(orders_) + static_cast<std::size_t>(order)];
            v.value += factor * other.stored(k, order).value;
            v.slope += factor * other.stored(k, order).slope;
        }
}

void AxialField::add_point(double mass, double softening)
{
    for (std::size_t k = 0; k < grid_->size(); ++k) {
        const double r2 = grid_->radius(k) * grid_->radius(k), d2 = r2 + softening * softening;
        Value& v = values_[k * static_cast<std::size_t>(orders_)];
        v.value -= mass / std::sqrt(d2);
        v.slope += mass * r2 / (d2 * std::sqrt(d2));
    }
}

void AxialField::drop_negligible_orders()
{
    constexpr double negligible = 1e-7;
    std::vector<int> needed(grid_->size(), 1);
    for (std::size_t k = 0; k < grid_->size(); ++k) {
        const double whole = negligible * std::abs(stored(k, 0).slope);
        for (int order = 1; order < orders_; ++order)
            if (std::abs(stored(k, order).slope) > whole || std::abs(stored(k, order).value) > whole)
                needed[k] = order + 1;
    }
    for (std::size_t k = 0; k < needed.size(); ++k)
        used_[k] = std::max(needed[k], needed[std::min(k + 1, needed.size() - 1)]);
}

/// Weights of the values at two radii and of their slopes, and those of the derivative.
struct AxialField::Place {
    std::size_t k;
    double value0, value1, slope0, slope1;
    double d_value, d_slope0, d_slope1;
    double inside2;  ///< (r / first radius)^2 inside of it, else 0
    double outside;  ///< last radius / r outside of it, else 0
};

AxialField::Place AxialField::place(double r) const
{
    Place p{};
    const std::size_t cell = grid_->cell(r);
    if (cell == 0) {
        p.inside2 = r / grid_->radius(0) * (r / grid_->radius(0));
        return p;
    }
    p.k = std::min(cell - 1, grid_->size() - 1);
    if (cell == grid_->size()) {
        p.outside = grid_->radius(p.k) / r;
        return p;
    }
    const double h = grid_->step();
    const double t = (portable::log_in_loops(r) - grid_->ln_first()) / h - static_cast<double>(p.k),
                 u = 1 - t;
    p.value1 = t * t * (3 - 2 * t);
    p.value0 = 1 - p.value1;
    p.slope0 = h * t * u * u;
    p.slope1 = -h * t * t * u;
    p.d_value = 6 * t * u / h;
    p.d_slope0 = u * (1 - 3 * t);
    p.d_slope1 = t * (3 * t - 2);
    return p;
}

AxialField::Value AxialField::at(const Place& p, int order) const
{
    const Value& a = stored(p.k, order);
    if (p.inside2 > 0) {
        if (order == 0) return {a.value - a.slope / 2 * (1 - p.inside2), a.slope * p.inside2};
        return {a.value * p.inside2, 2 * a.value * p.inside2};
    }
    if (p.outside > 0) {
        double power = p.outside;
        for (int k = 0; k < order; ++k) power *= p.outside * p.outside;
        return {a.value * power, -(2 * order + 1) * a.value * power};
    }
    const Value& b = stored(p.k + 1, order);
    return {p.value0 * a.value + p.value1 * b.value + p.slope0 * a.slope + p.slope1 * b.slope,
            p.d_value * (b.value - a.value) + p.d_slope0 * a.slope + p.d_slope1 * b.slope};
}

double AxialField::potential(Vec3 x) const
{
    const double r = std::sqrt(dot(x, x)), cosine = x.z / r;
    const Place p = place(r);
    double sum = 0, before = 0, legendre = 1;
    for (int order = 0; order < used_[p.k]; ++order) {
        sum += at(p, order).value * legendre;
        const int l = 2 * order;
        const double next = ((2 * l + 1) * cosine * legendre - l * before) / (l + 1);
        const double after = ((2 * l + 3) * cosine * next - (l + 1) * legendre) / (l + 2);
        before = next;
        legendre = after;
    }
    return sum;
}

Vec3 AxialField::acceleration(Vec3 x) const
{
    const double r2 = dot(x, x), inverse = 1 / std::sqrt(r2), r = r2 * inverse, cosine = x.z * inverse;
    const Place p = place(r);
    double by_ln_r = 0, by_cosine = 0;                                 // of Phi
    double odd = 0, legendre = 1, odd_derivative = 0, derivative = 0;  // P_(l-1), P_l, and theirs
    const int used = used_[p.k];
    for (int order = 0; order < used; ++order) {
        const Value v = at(p, order);
        by_ln_r += v.slope * legendre;
        by_cosine += v.value * derivative;
        const int l = 2 * order;
        const double next = ((2 * l + 1) * cosine * legendre - l * odd) / (l + 1);
        odd_derivative += (2 * l + 1) * legendre;  // P'_(l+1) = P'_(l-1) + (2 l + 1) P_l
        const double after = ((2 * l + 3) * cosine * next - (l + 1) * legendre) / (l + 2);
        derivative += (2 * l + 3) * next;
        odd = next;
        legendre = after;
    }
    const double radial = (by_ln_r - cosine * by_cosine) / r2, vertical = by_cosine * inverse;
    return {-radial * x.x, -radial * x.y, -radial * x.z - vertical};
}

double AxialField::circular_speed2(double r) const { return at(place(r), 0).slope; }

}  // namespace aureole::run

#include "ics/density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ics/sphere.hpp"
#include "sim/core/portable_math.hpp"

namespace aureole::ics {
namespace {

using std::numbers::pi;

/// rho = rho_0 x^-inner (1 + x)^(inner - outer), x = r / a: Hernquist (1, 4), NFW (1, 3).
class DoublePowerLaw final : public Density {
public:
    DoublePowerLaw(double amplitude, double scale_radius, int outer)
        : amplitude_(amplitude), a_(scale_radius), outer_(outer)
    {
    }

    LocalDensity at(double radius) const override
    {
        const double x = radius / a_, y = 1 / (1 + x), steeper = outer_ - 1;
        double value = amplitude_ / x;
        for (int k = 1; k < outer_; ++k) value *= y;
        return {value, -1 - steeper * x * y, -steeper * x * y * y};
    }

private:
    double amplitude_, a_;
    int outer_;
};

class PlummerDensity final : public Density {
public:
    PlummerDensity(double mass, double scale_radius)
        : central_(3 * mass / (4 * pi * scale_radius * scale_radius * scale_radius)), a_(scale_radius)
    {
    }

    LocalDensity at(double radius) const override
    {
        const double x2 = radius / a_ * (radius / a_), y = 1 / (1 + x2);
        return {central_ * y * y * std::sqrt(y), -5 * x2 * y, -10 * x2 * y * y};
    }

private:
    double central_, a_;
};

/// A density times `amplitude` up to `radius`; beyond it r^e exp(-r / width) with the e that keeps the slope
/// (Kazantzidis, Magorrian & Moore 2004).
class WithTail final : public Density {
public:
    WithTail(std::unique_ptr<Density> inner, double radius, double width)
        : inner_(std::move(inner)),
          radius_(radius),
          width_(width),
          edge_(inner_->at(radius)),
          power_(edge_.slope + radius / width)
    {
    }

    void multiply(double factor) { amplitude_ *= factor; }

    LocalDensity at(double radius) const override
    {
        if (radius <= radius_) {
            LocalDensity inside = inner_->at(radius);
            inside.value *= amplitude_;
            return inside;
        }
        const double exponent = power_ * portable::log(radius / radius_) - (radius - radius_) / width_;
        return {amplitude_ * edge_.value * portable::exp(exponent), power_ - radius / width_,
                -radius / width_};
    }

private:
    std::unique_ptr<Density> inner_;
    double radius_, width_;
    LocalDensity edge_;
    double power_, amplitude_ = 1;
};

std::unique_ptr<Density> with_tail(std::unique_ptr<Density> shape, const Component& c)
{
    const double radius = tail_radius(c);
    auto density =
        std::make_unique<WithTail>(std::move(shape), radius, c.truncation_width.value_or(0.1 * radius));
    const MassTable mass(*density, radial_grid(c, *density));
    density->multiply(c.mass / mass.enclosed_mass(radius));
    return density;
}

}  // namespace

double tail_radius(const Component& c)
{
    return c.truncation_radius ? *c.truncation_radius : c.table.radius.back() * c.scale_radius;
}

std::unique_ptr<Density> plummer_density(double mass, double a)
{
    return std::make_unique<PlummerDensity>(mass, a);
}

std::unique_ptr<Density> hernquist_density(double mass, double a)
{
    return std::make_unique<DoublePowerLaw>(mass / (2 * pi * a * a * a), a, 4);
}

std::unique_ptr<Density> nfw_density(const Component& c)
{
    return with_tail(std::make_unique<DoublePowerLaw>(1, c.scale_radius, 3), c);
}

std::unique_ptr<Density> table_density(const Component& c)
{
    return with_tail(std::make_unique<DensitySpline>(c.table, c.scale_radius), c);
}

std::unique_ptr<Density> make_density(const Component& c)
{
    const auto model = make_model(c);
    return model->sphere() ? model->sphere()->density(c) : nullptr;
}

std::vector<double> radial_grid(const Component& c, const Density& density)
{
    constexpr double ratio = 1 + 1.0 / 64, negligible = 1e-13, farthest = 1e8;
    const auto model = make_model(c);
    const bool has_tail = model->sphere() && model->sphere()->has_tail();
    const double own = has_tail ? tail_radius(c) : c.scale_radius;
    const auto mass_near = [&](double r) { return r * r * r * density.at(r).value; };
    double largest = mass_near(own);
    std::vector<double> radii{own};
    while (radii.back() > own / (farthest * farthest * farthest)) {
        radii.push_back(radii.back() / ratio);
        const double here = mass_near(radii.back());
        largest = std::fmax(largest, here);
        if (here < negligible * largest) break;
    }
    std::reverse(radii.begin(), radii.end());
    while (radii.back() < own * farthest && mass_near(radii.back()) > negligible * largest)
        radii.push_back(radii.back() * ratio);
    // the curvature jumps where a tail begins, so f has a root's edge there: cells halved towards it resolve
    // it
    if (has_tail)
        for (double step = 1.0 / 128; step > 1e-5; step /= 2)
            for (double side : {-1, 1}) radii.push_back(own * (1 + side * step));
    std::sort(radii.begin(), radii.end());
    return radii;
}

}  // namespace aureole::ics

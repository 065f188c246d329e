#include "ics/density_tails.hpp"

#include "ics/sphere.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

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

/// A density times exp(-(r / radius)^2).
class WithGaussian final : public Density {
public:
    WithGaussian(std::unique_ptr<Density> inner, double radius) : inner_(std::move(inner)), radius_(radius) {}

    LocalDensity at(double radius) const override
    {
        const double x = radius / radius_, x2 = x * x;
        constexpr double nothing = 650;
        const LocalDensity inside = inner_->at(radius);
        return {x2 > nothing ? 0 : inside.value * portable::exp(-x2), inside.slope - 2 * x2,
                inside.curvature - 4 * x2};
    }

private:
    std::unique_ptr<Density> inner_;
    double radius_;
};

class Scaled final : public Density {
public:
    Scaled(std::unique_ptr<Density> inner, double factor) : inner_(std::move(inner)), factor_(factor) {}

    LocalDensity at(double radius) const override
    {
        LocalDensity here = inner_->at(radius);
        here.value *= factor_;
        return here;
    }

private:
    std::unique_ptr<Density> inner_;
    double factor_;
};

}  // namespace

std::unique_ptr<Density> with_tail(std::unique_ptr<Density> shape, const Component& c)
{
    const double radius = tail_radius(c);
    auto density =
        std::make_unique<WithTail>(std::move(shape), radius, c.truncation_width.value_or(0.1 * radius));
    const MassTable mass(*density, radial_grid(c, *density));
    density->multiply(c.mass / mass.enclosed_mass(radius));
    return density;
}

std::unique_ptr<Density> with_gaussian(std::unique_ptr<Density> shape, const Component& c)
{
    return with_total_mass(std::make_unique<WithGaussian>(std::move(shape), *c.truncation_radius), c);
}

std::unique_ptr<Density> with_total_mass(std::unique_ptr<Density> shape, const Component& c)
{
    const std::vector<double> radii = radial_grid(c, *shape);
    const double found = MassTable(*shape, radii).enclosed_mass(radii.back());
    return std::make_unique<Scaled>(std::move(shape), c.mass / found);
}

}  // namespace aureole::ics

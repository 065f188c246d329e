#include "ics/disk/disk_profile.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

using std::numbers::pi;

/// a beta(a / 2) - 1 with beta(x) = 1/x - 1/(x + 1) + 1/(x + 2) - ..., in which a sech^2 disk's transform is
/// written: its asymptotic series for large a, below it the recurrence beta(x) = 1 / x - beta(x + 1).
double sech2_transform(double a)
{
    constexpr double large = 30;
    double sign = 1, sum = 0, b = a;
    for (; b < large; b += 2) {
        sum += sign * 2 / b;
        sign = -sign;
    }
    constexpr std::array<double, 8> tangent_numbers{1,      2,        16,         272,
                                                    7936.0, 353792.0, 22368256.0, 1903757312.0};
    double series = 0;
    for (std::size_t n = tangent_numbers.size(); n-- > 0;) series = tangent_numbers[n] - series / (b * b);
    series /= b;
    if (b == a) return series;
    return a * (sum + sign * (1 + series) / b) - 1;
}

}  // namespace

double decayed(double x) { return x < -690 ? 0 : portable::exp(x); }

double VerticalProfile::density(double z) const
{
    const double x = z / height_;
    if (shape_ == VerticalShape::exponential) return decayed(-x) / (2 * height_);
    const double e = decayed(-2 * x), f = 1 + e;
    return 2 * e / (f * f * height_);
}

double VerticalProfile::slope(double z) const
{
    const double x = z / height_;
    if (shape_ == VerticalShape::exponential) return -density(z) / height_;
    const double e = decayed(-2 * x);
    return -2 * density(z) / height_ * (1 - e) / (1 + e);
}

double VerticalProfile::inside(double z) const
{
    const double x = z / height_;
    if (shape_ == VerticalShape::exponential) return 1 - decayed(-x);
    const double e = decayed(-2 * x);
    return (1 - e) / (1 + e);
}

double VerticalProfile::height_holding(double part) const
{
    if (shape_ == VerticalShape::exponential) return -height_ * portable::log(1 - part);
    return height_ / 2 * portable::log((1 + part) / (1 - part));
}

double VerticalProfile::transform(double k) const
{
    const double a = k * height_;
    return shape_ == VerticalShape::exponential ? 1 / (1 + a) : sech2_transform(a);
}

double DiskProfile::surface_density(double radius) const
{
    return mass / (2 * pi * scale_length * scale_length) * decayed(-radius / scale_length);
}

double DiskProfile::mass_within(double radius) const
{
    const double x = radius / scale_length;
    return mass * (1 - (1 + x) * decayed(-x));
}

DiskProfile disk_profile(const Component& component)
{
    const DiskConfig& config = component.own.get<DiskConfig>();
    AUREOLE_EXPECT(config.profile.has_value(), "a disk without a vertical profile");
    return {component.mass, config.scale_length, {*config.profile, config.scale_height}};
}

namespace {

class Monopole final : public Density {
public:
    explicit Monopole(const DiskProfile& profile) : profile_(profile) {}

    /// (1 / r) times the integral of Sigma(sqrt(r^2 - z^2)) h(z) over z from 0 to r, with z = r (1 - u^2).
    LocalDensity at(double r) const override
    {
        const VerticalProfile& h = profile_.vertical;
        if (r > 60 * profile_.scale_length + 4 * h.edge()) return {0, 0, 0};
        const auto integrand = [&](double u) {
            const double z = r * (1 - u * u), radius = r * u * std::sqrt(2 - u * u);
            return 2 * u * profile_.surface_density(radius) * h.density(z);
        };
        double sum = 0, from = 1;  // z = 0
        for (double heights : {0.5, 1.0, 2.0, 3.5, 5.5, 8.0, 12.0, 20.0, 32.0}) {
            const double z = heights * h.height();
            if (z >= r) break;
            const double to = std::sqrt(1 - z / r);
            sum += integral_24(to, from, integrand);
            from = to;
        }
        return {sum + integral_24(0, from, integrand), 0, 0};
    }

private:
    DiskProfile profile_;
};

}  // namespace

std::unique_ptr<Density> disk_monopole(const DiskProfile& profile)
{
    return std::make_unique<Monopole>(profile);
}

std::vector<double> disk_monopole_radii(const DiskProfile& profile)
{
    constexpr double ratio = 1 + 1.0 / 64;
    const double shorter = std::fmin(profile.scale_length, profile.vertical.height());
    std::vector<double> radii{1e-4 * shorter};
    const double last = 60 * profile.scale_length + 4 * profile.vertical.edge();
    while (radii.back() < last) radii.push_back(radii.back() * ratio);
    return radii;
}

}  // namespace aureole::ics

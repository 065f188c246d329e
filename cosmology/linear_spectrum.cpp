#include "cosmology/linear_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "cosmology/background.hpp"
#include "sim/core/error.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"

namespace aureole::cosmology {
namespace {

using std::numbers::pi;

/// T_0 of equation 19 of Eisenstein & Hu; q is k in units of the scale of equality.
double smooth_transfer(double q, double alpha, double beta)
{
    const double c = 14.2 / alpha + 386 / (1 + 69.9 * std::pow(q, 1.08));
    const double l = std::log(2.718282 + 1.8 * beta * q);
    return l / (l + c * q * q);
}

}  // namespace

EisensteinHu::EisensteinHu(const MatterContent& content) : h_(content.h)
{
    expect_positive(content.h, "h");
    expect_positive(content.omega_m, "Omega_m");
    expect_positive(content.omega_b, "Omega_b");
    expect_positive(content.t_cmb, "the temperature of the background");
    if (!(content.omega_b < content.omega_m))
        throw ConfigError(fmt::format("Omega_b is {}, expected less than Omega_m, which is {}",
                                      content.omega_b, content.omega_m));
    const double m = content.omega_m * content.h * content.h, b = content.omega_b * content.h * content.h;
    const double theta = content.t_cmb / 2.7, theta4 = std::pow(theta, -4);
    const double f = baryon_fraction_ = b / m;
    const double z_equality = 2.5e4 * m * theta4;
    k_equality_ = 0.0746 * m / (theta * theta);
    const double b1 = 0.313 * std::pow(m, -0.419) * (1 + 0.607 * std::pow(m, 0.674));
    const double b2 = 0.238 * std::pow(m, 0.223);
    const double drag =
        1 + 1291 * std::pow(m, 0.251) / (1 + 0.659 * std::pow(m, 0.828)) * (1 + b1 * std::pow(b, b2));
    const auto ratio_at = [&](double z) { return 31.5 * b * theta4 * 1000 / z; };  // baryons over photons
    const double r_drag = ratio_at(drag), r_equality = ratio_at(z_equality);
    sound_horizon_ =
        2 / (3 * k_equality_) * std::sqrt(6 / r_equality) *
        std::log((std::sqrt(1 + r_drag) + std::sqrt(r_drag + r_equality)) / (1 + std::sqrt(r_equality)));
    k_silk_ = 1.6 * std::pow(b, 0.52) * std::pow(m, 0.73) * (1 + std::pow(10.4 * m, -0.95));
    const double a1 = std::pow(46.9 * m, 0.670) * (1 + std::pow(32.1 * m, -0.532));
    const double a2 = std::pow(12 * m, 0.424) * (1 + std::pow(45 * m, -0.582));
    alpha_c_ = std::pow(a1, -f) * std::pow(a2, -f * f * f);
    const double c1 = 0.944 / (1 + std::pow(458 * m, -0.708)), c2 = std::pow(0.395 * m, -0.0266);
    beta_c_ = 1 / (1 + c1 * (std::pow(1 - f, c2) - 1));
    const double y = z_equality / drag, root = std::sqrt(1 + y);
    const double g = y * (-6 * root + (2 + 3 * y) * std::log((root + 1) / (root - 1)));
    alpha_b_ = 2.07 * k_equality_ * sound_horizon_ * std::pow(1 + r_drag, -0.75) * g;
    beta_b_ = 0.5 + f + (3 - 2 * f) * std::sqrt(17.2 * m * 17.2 * m + 1);
    beta_node_ = 8.41 * std::pow(m, 0.435);
}

double EisensteinHu::transfer(double k) const
{
    const double per_mpc = k * h_, q = per_mpc / (13.41 * k_equality_), x = per_mpc * sound_horizon_;
    const double share = 1 / (1 + std::pow(x / 5.4, 4));
    const double cold =
        share * smooth_transfer(q, 1, beta_c_) + (1 - share) * smooth_transfer(q, alpha_c_, beta_c_);
    const double y = x / std::cbrt(1 + std::pow(beta_node_ / x, 3));
    const double wave = y > 0 ? std::sin(y) / y : 1;
    const double baryons =
        wave * (smooth_transfer(q, 1, 1) / (1 + std::pow(x / 5.2, 2)) +
                alpha_b_ / (1 + std::pow(beta_b_ / x, 3)) * std::exp(-std::pow(per_mpc / k_silk_, 1.4)));
    return baryon_fraction_ * baryons + (1 - baryon_fraction_) * cold;
}

/// P(k) without its amplitude.
struct LinearSpectrum::Shape {
    virtual ~Shape() = default;
    virtual double operator()(double k) const = 0;
};

namespace {

/// The natural cubic spline of ln P in ln k; beyond the ends the straight lines that continue it.
class Spline {
public:
    Spline(std::span<const double> k, std::span<const double> power)
    {
        for (std::size_t row = 0; row < k.size(); ++row) {
            x_.push_back(std::log(k[row]));
            y_.push_back(std::log(power[row]));
        }
        set_curvatures();
    }

    double at(double x) const
    {
        const std::size_t last = x_.size() - 1;
        if (x <= x_.front()) return y_.front() + (x - x_.front()) * slope(0, x_.front());
        if (x >= x_.back()) return y_.back() + (x - x_.back()) * slope(last - 1, x_.back());
        const auto above = std::ranges::upper_bound(x_, x);
        const auto i = static_cast<std::size_t>(above - x_.begin()) - 1;
        const double h = x_[i + 1] - x_[i], a = (x_[i + 1] - x) / h, b = 1 - a;
        return a * y_[i] + b * y_[i + 1] +
               ((a * a * a - a) * curvature_[i] + (b * b * b - b) * curvature_[i + 1]) * h * h / 6;
    }

private:
    double slope(std::size_t i, double x) const
    {
        const double h = x_[i + 1] - x_[i], a = (x_[i + 1] - x) / h, b = 1 - a;
        return (y_[i + 1] - y_[i]) / h +
               ((1 - 3 * a * a) * curvature_[i] + (3 * b * b - 1) * curvature_[i + 1]) * h / 6;
    }

    /// Solves the tridiagonal equations of continuous slopes.
    void set_curvatures()
    {
        const std::size_t n = x_.size();
        curvature_.assign(n, 0);
        std::vector<double> ratio(n, 0);
        for (std::size_t i = 1; i + 1 < n; ++i) {
            const double below = x_[i] - x_[i - 1], above = x_[i + 1] - x_[i];
            const double pivot = 2 * (below + above) - below * ratio[i - 1];
            ratio[i] = above / pivot;
            curvature_[i] = (6 * ((y_[i + 1] - y_[i]) / above - (y_[i] - y_[i - 1]) / below) -
                             below * curvature_[i - 1]) /
                            pivot;
        }
        for (std::size_t i = n - 1; i-- > 1;) curvature_[i] -= ratio[i] * curvature_[i + 1];
    }

    std::vector<double> x_, y_, curvature_;
};

void expect_rows(std::span<const double> k, std::span<const double> power)
{
    if (k.size() != power.size() || k.size() < 4)
        throw ConfigError(
            fmt::format("a spectrum of {} wave numbers and {} values, expected at least four of both",
                        k.size(), power.size()));
    for (std::size_t row = 0; row < k.size(); ++row) {
        if (!(k[row] > 0 && std::isfinite(k[row])) || !(power[row] > 0 && std::isfinite(power[row])))
            throw ConfigError(
                fmt::format("row {} of the spectrum has k = {} and P = {}, expected positive numbers", row,
                            k[row], power[row]));
        if (row > 0 && !(k[row] > k[row - 1]))
            throw ConfigError(fmt::format("row {} of the spectrum has k = {} after {}, expected rising ones",
                                          row, k[row], k[row - 1]));
    }
}

/// 3 (sin x - x cos x) / x^3; by its series where the difference cancels.
double top_hat(double x)
{
    if (x < 0.1) return 1 - x * x / 10 * (1 - x * x / 28 * (1 - x * x / 54));
    return 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

/// x dW / dx.
double top_hat_slope(double x)
{
    if (x < 0.1) return -x * x / 5 * (1 - x * x / 14 * (1 - x * x / 36));
    return 3 * std::sin(x) / x - 3 * top_hat(x);
}

}  // namespace

LinearSpectrum::LinearSpectrum(std::shared_ptr<const Shape> shape, double first, double last)
    : shape_(std::move(shape)), first_(first), last_(last)
{
}

LinearSpectrum LinearSpectrum::eisenstein_hu(const MatterContent& content, double spectral_index)
{
    struct Fit : Shape {
        EisensteinHu fit;
        double n;
        Fit(const MatterContent& of, double index) : fit(of), n(index) {}
        double operator()(double k) const override
        {
            const double transfer = fit.transfer(k);
            return std::pow(k, n) * transfer * transfer;
        }
    };
    return {std::make_shared<Fit>(content, spectral_index), 0, std::numeric_limits<double>::infinity()};
}

LinearSpectrum LinearSpectrum::table(std::span<const double> k, std::span<const double> power)
{
    struct Table : Shape {
        Spline spline;
        Table(std::span<const double> at, std::span<const double> values) : spline(at, values) {}
        double operator()(double k) const override { return std::exp(spline.at(std::log(k))); }
    };
    expect_rows(k, power);
    return {std::make_shared<Table>(k, power), k.front(), k.back()};
}

LinearSpectrum LinearSpectrum::power_law(double n)
{
    struct PowerLaw : Shape {
        double n;
        explicit PowerLaw(double index) : n(index) {}
        double operator()(double k) const override { return std::pow(k, n); }
    };
    if (!(n > -3 && n < 1))
        throw ConfigError(fmt::format("the index of a power law is {}, expected between -3 and 1", n));
    return {std::make_shared<PowerLaw>(n), 0, std::numeric_limits<double>::infinity()};
}

double LinearSpectrum::operator()(double k) const { return amplitude_ * (*shape_)(k); }

namespace {

/// Panels of the integrals over x = k R: a quarter of x, a quarter of the period of W^2, and where the
/// spectrum may have acoustic oscillations (period 0.06 h/Mpc) a third of theirs.
double panel_end(double x, double radius)
{
    constexpr double oscillating = 3, fine = 0.02;  // h/Mpc
    double width = std::min(x / 4, pi / 2);
    if (x < oscillating * radius) width = std::min(width, fine * radius);
    return x + width;
}

}  // namespace

/// 1 / (2 pi^2) int k^3 P W w d ln k, with w = W, or x W' for the slope. Beyond the last panels, whose
/// weights fall so that the end does not cut an oscillation, W^2 is 9 / (2 x^4) on average, and W x W' is -2
/// W^2.
double LinearSpectrum::moment(double radius, bool slope) const
{
    constexpr double first = 1e-26, last = 1000;
    const auto integrand = [&](double x) {
        const double k = x / radius, w = top_hat(x);
        return k * k * k * (*this)(k)*w * (slope ? top_hat_slope(x) : w) / x;
    };
    const auto panel = [&](double& x) {
        const double begin = x;
        x = panel_end(x, radius);
        return integral(begin, x, integrand);
    };
    double sum = 0, x = first;
    while (x < last) sum += panel(x);
    const double next = panel(x), middle = x, after = panel(x);
    sum += 0.75 * next + 0.25 * after;
    const double tail = integral(0.0, 1.0, [&](double u) {
        const double at = middle / u, k = at / radius;
        return k * k * k * (*this)(k)*4.5 / (at * at * at * at) / u;
    });
    return (sum + (slope ? -2 : 1) * tail) / (2 * pi * pi);
}

double LinearSpectrum::sigma(double radius) const
{
    expect_positive(radius, "the radius of a sphere");
    return std::sqrt(moment(radius, false));
}

LinearSpectrum::Fluctuations LinearSpectrum::fluctuations(double radius) const
{
    expect_positive(radius, "the radius of a sphere");
    const double variance = moment(radius, false);
    return {std::sqrt(variance), moment(radius, true) / variance};
}

LinearSpectrum LinearSpectrum::with_sigma_8(double sigma_8) const
{
    expect_positive(sigma_8, "sigma_8");
    const double ratio = sigma_8 / sigma(8);
    return scaled(ratio * ratio);
}

LinearSpectrum LinearSpectrum::scaled(double factor) const
{
    expect_positive(factor, "the amplitude of a spectrum");
    LinearSpectrum result = *this;
    result.amplitude_ *= factor;
    return result;
}

double primordial_amplitude(double a_s, double spectral_index, double pivot, const MatterContent& content,
                            double suppression)
{
    expect_positive(a_s, "A_s");
    expect_positive(pivot, "the pivot scale");
    constexpr double light = 299792.458;      // km/s
    const double hubble_scale = 100 / light;  // H0 / c in h/Mpc
    const double ratio = suppression / (content.omega_m * hubble_scale * hubble_scale);
    return 8 * pi * pi / 25 * a_s * ratio * ratio * std::pow(pivot / content.h, 1 - spectral_index);
}

}  // namespace aureole::cosmology

#include "ics/galaxy_spheres.hpp"

#include <limits>
#include <numbers>

#include "ics/check_config.hpp"
#include "ics/density_tails.hpp"
#include "ics/sphere.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

using std::numbers::pi;

/// rho ~ r^-gamma (r + a)^(gamma - 4), (3 - gamma) M a / 4 pi (Dehnen 1993).
class DehnenDensity final : public Density {
public:
    DehnenDensity(double mass, double scale_radius, double gamma)
        : amplitude_((3 - gamma) * mass / (4 * pi * scale_radius * scale_radius * scale_radius)),
          a_(scale_radius),
          gamma_(gamma)
    {
    }

    LocalDensity at(double radius) const override
    {
        const double x = radius / a_, y = 1 / (1 + x), steeper = 4 - gamma_;
        const double exponent = -gamma_ * portable::log(x) - steeper * portable::log(1 + x);
        return {amplitude_ * portable::exp(exponent), -gamma_ - steeper * x * y, -steeper * x * y * y};
    }

private:
    double amplitude_, a_, gamma_;
};

/// rho ~ exp(-(2 / alpha) (r / r_2)^alpha), r_2 where the slope is -2 (Einasto 1965).
class EinastoDensity final : public Density {
public:
    EinastoDensity(double scale_radius, double alpha) : a_(scale_radius), alpha_(alpha) {}

    LocalDensity at(double radius) const override
    {
        const double power = portable::exp(alpha_ * portable::log(radius / a_));
        constexpr double nothing = 680;
        const double exponent = 2 / alpha_ * (power - 1);  // 1 at the scale radius
        const double value = exponent > nothing ? 0 : portable::exp(-exponent);
        return {value, -2 * power, -2 * alpha_ * power};
    }

private:
    double a_, alpha_;
};

/// rho ~ 1 / ((1 + x) (1 + x^2)) (Burkert 1995).
class BurkertDensity final : public Density {
public:
    explicit BurkertDensity(double scale_radius) : a_(scale_radius) {}

    LocalDensity at(double radius) const override
    {
        const double x = radius / a_, y = 1 / (1 + x), y2 = 1 / (1 + x * x), x2 = x * x * y2;
        return {y * y2, -x * y - 2 * x2, -x * y * y - 4 * x2 * y2};
    }

private:
    double a_;
};

/// rho ~ x^-p exp(-b x^(1/n)), x = r / R_e, p = 1 - 0.6097 / n + 0.05463 / n^2: seen from outside nearly
/// Sersic's law (Prugniel & Simien 1997, with the p of Lima Neto, Gerbal & Marquez 1999).
class SersicDensity final : public Density {
public:
    SersicDensity(double effective_radius, double n)
        : radius_(effective_radius), n_(n), b_(sersic_b(n)), p_(1 - 0.6097 / n + 0.05463 / (n * n))
    {
    }

    LocalDensity at(double radius) const override
    {
        const double x = portable::log(radius / radius_), steep = b_ * portable::exp(x / n_);
        constexpr double nothing = 680;
        const double exponent = -p_ * x - steep;
        const double value = exponent < -nothing ? 0 : portable::exp(exponent);
        return {value, -p_ - steep / n_, -steep / (n_ * n_)};
    }

private:
    double radius_, n_, b_, p_;
};

/// As `table`: steeper cusps make inversions inaccurate.
constexpr double steepest_cusp = 2.5;

bool is_cusp(double gamma) { return gamma >= 0 && gamma < steepest_cusp; }
bool is_einasto_index(double alpha) { return alpha >= 0.1 && alpha <= 2; }
bool is_sersic_index(double n) { return n >= 0.6 && n <= 10; }

/// Spheres that fall faster than any power: the mass is the total.
void expect_no_truncation(const std::string& where, const char* model, const Component& c)
{
    if (c.truncation_radius || c.truncation_width)
        refuse(where, fmt::format("truncation_radius or truncation_width is set, but {} falls by itself; "
                                  "remove it",
                                  model));
}

class Dehnen final : public SphereModel {
public:
    std::unique_ptr<Density> density(const Component& c) const override
    {
        return std::make_unique<DehnenDensity>(c.mass, c.scale_radius, c.own.get<DehnenConfig>().gamma);
    }

private:
    void check_shape(const std::string& where, const Component& c) const override
    {
        const double gamma = c.own.get<DehnenConfig>().gamma;
        if (!is_cusp(gamma))
            refuse(where,
                   fmt::format("dehnen.gamma is {}, expected 0 to less than {}", gamma, steepest_cusp));
    }
};

class Einasto final : public SphereModel {
public:
    bool has_tail() const override { return true; }
    double outer_radius(const Component&) const override { return std::numeric_limits<double>::infinity(); }
    std::unique_ptr<Density> density(const Component& c) const override
    {
        return with_total_mass(
            std::make_unique<EinastoDensity>(c.scale_radius, c.own.get<EinastoConfig>().alpha), c);
    }

private:
    void check_shape(const std::string& where, const Component& c) const override
    {
        const double alpha = c.own.get<EinastoConfig>().alpha;
        if (!is_einasto_index(alpha))
            refuse(where, fmt::format("einasto.alpha is {}, expected 0.1 to 2", alpha));
        expect_no_truncation(where, "an einasto", c);
    }
};

class Sersic final : public SphereModel {
public:
    bool has_tail() const override { return true; }
    double outer_radius(const Component&) const override { return std::numeric_limits<double>::infinity(); }
    std::unique_ptr<Density> density(const Component& c) const override
    {
        return with_total_mass(std::make_unique<SersicDensity>(c.scale_radius, c.own.get<SersicConfig>().n),
                               c);
    }

private:
    void check_shape(const std::string& where, const Component& c) const override
    {
        const double n = c.own.get<SersicConfig>().n;
        if (!is_sersic_index(n)) refuse(where, fmt::format("sersic.n is {}, expected 0.6 to 10", n));
        expect_no_truncation(where, "a sersic", c);
    }
};

class Burkert final : public SphereModel {
public:
    bool has_tail() const override { return true; }
    double outer_radius(const Component&) const override { return std::numeric_limits<double>::infinity(); }
    std::unique_ptr<Density> density(const Component& c) const override
    {
        return with_tail(std::make_unique<BurkertDensity>(c.scale_radius), c);
    }

private:
    void check_shape(const std::string& where, const Component& c) const override
    {
        if (!c.truncation_radius)
            refuse(where, "has no truncation_radius: mass is what lies inside it, a smooth tail follows");
    }
};

}  // namespace

std::unique_ptr<ComponentModel> make_dehnen_model() { return std::make_unique<Dehnen>(); }
std::unique_ptr<ComponentModel> make_einasto_model() { return std::make_unique<Einasto>(); }
std::unique_ptr<ComponentModel> make_burkert_model() { return std::make_unique<Burkert>(); }
std::unique_ptr<ComponentModel> make_sersic_model() { return std::make_unique<Sersic>(); }

double sersic_b(double n)
{
    const double power = 2 * n - 1;
    const auto light = [&](double t) { return portable::exp(power * portable::log(t) - t); };
    // t = b w^4 inside, where the root of t at 0 is smooth; outside as far as light matters
    const auto inside = [&](double b) {
        const auto integrand = [&](double w) { return 4 * b * w * w * w * light(b * w * w * w * w); };
        double sum = 0;
        for (int k = 0; k < 8; ++k) sum += integral_24(k / 8.0, (k + 1) / 8.0, integrand);
        return sum;
    };
    const auto outside = [&](double b) {
        double sum = 0;
        for (int k = 0; k < 20; ++k) sum += integral_24(b + 6 * k, b + 6 * (k + 1), light);
        return sum;
    };
    double b = 2 * n - 1.0 / 3 + 4 / (405 * n);  // Ciotti & Bertin (1999)
    constexpr int newtons_steps = 4;
    for (int k = 0; k < newtons_steps; ++k) b -= (inside(b) - outside(b)) / (2 * light(b));
    return b;
}

std::vector<Setting<Component>> dehnen_settings()
{
    return model_settings<DehnenConfig>(
        "dehnen",
        {setting("gamma", Quantity::number, &DehnenConfig::gamma,
                 "of the cusp r^-gamma: 1 is hernquist, 2 is Jaffe's", {is_cusp, "0 to less than 2.5"})});
}

std::vector<Setting<Component>> einasto_settings()
{
    return model_settings<EinastoConfig>(
        "einasto", {setting("alpha", Quantity::number, &EinastoConfig::alpha,
                            "of exp(-(2 / alpha) (r / scale_radius)^alpha); the mass is the total",
                            {is_einasto_index, "0.1 to 2"})});
}

std::vector<Setting<Component>> sersic_settings()
{
    return model_settings<SersicConfig>(
        "sersic",
        {setting(
            "n", Quantity::number, &SersicConfig::n,
            "Sersic's index: 4 is de Vaucouleurs' law, 1 an exponential; scale_radius is R_e, within which "
            "half of the mass is seen; the mass is the total",
            {is_sersic_index, "0.6 to 10"})});
}

}  // namespace aureole::ics

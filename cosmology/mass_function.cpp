#include "cosmology/mass_function.hpp"

#include <cmath>
#include <numbers>

#include "cosmology/background.hpp"
#include "sim/core/error.hpp"

namespace aureole::cosmology {
namespace {

using std::numbers::pi;

double press_schechter(double sigma, double)
{
    const double d = collapse_threshold / sigma;
    return std::sqrt(2 / pi) * d * std::exp(-d * d / 2);
}

double sheth_tormen(double sigma, double)
{
    constexpr double a = 0.707, p = 0.3;
    const double d = collapse_threshold / sigma;
    return 0.3222 * std::sqrt(2 * a / pi) * (1 + std::pow(a * d * d, -p)) * d * std::exp(-a * d * d / 2);
}

double jenkins(double sigma, double)
{
    return 0.315 * std::exp(-std::pow(std::abs(0.61 - std::log(sigma)), 3.8));
}

double warren(double sigma, double)
{
    return 0.7234 * (std::pow(sigma, -1.625) + 0.2538) * std::exp(-1.1982 / (sigma * sigma));
}

double watson(double sigma, double)
{
    return 0.282 * (std::pow(1.406 / sigma, 2.163) + 1) * std::exp(-1.210 / (sigma * sigma));
}

double crocce(double sigma, double z)
{
    const double a = 1.37 * std::pow(1 + z, -0.15), b = 0.30 * std::pow(1 + z, -0.084);
    return 0.58 * std::pow(1 + z, -0.13) * (std::pow(sigma, -a) + b) *
           std::exp(-1.036 * std::pow(1 + z, -0.024) / (sigma * sigma));
}

double tinker(double sigma, double z)
{
    const double alpha = std::pow(10, -std::pow(0.75 / std::log10(200.0 / 75), 1.2));
    const double a = 1.47 * std::pow(1 + z, -0.06), b = 2.57 * std::pow(1 + z, -alpha);
    return 0.186 * std::pow(1 + z, -0.14) * (std::pow(sigma / b, -a) + 1) * std::exp(-1.19 / (sigma * sigma));
}

}  // namespace

Registry<Multiplicity>& multiplicities()
{
    static Registry<Multiplicity> registry(
        "mass function", {{"press_schechter", "Press & Schechter (1974)", press_schechter},
                          {"sheth_tormen", "Sheth & Tormen (1999)", sheth_tormen},
                          {"jenkins", "Jenkins et al. (2001), friends-of-friends groups", jenkins},
                          {"warren", "Warren et al. (2006), friends-of-friends groups", warren},
                          {"watson", "Watson et al. (2013), friends-of-friends groups", watson},
                          {"crocce", "Crocce et al. (2010), friends-of-friends groups", crocce},
                          {"tinker", "Tinker et al. (2008), spheres of 200 times the mean density", tinker}});
    return registry;
}

double mean_matter_density(double omega_m)
{
    return 2.77536627e11 * omega_m;  // 3 H0^2 / (8 pi G) in h^2 Msun/Mpc^3
}

MassFunction::MassFunction(const LinearSpectrum& today, double omega_m, double growth, double z)
    : today_(today), density_(mean_matter_density(omega_m)), growth_(growth), z_(z)
{
    expect_positive(omega_m, "Omega_m");
    expect_positive(growth, "the growth factor");
    expect_positive(1 + z, "1 + z");
}

double MassFunction::radius(double mass) const { return std::cbrt(3 * mass / (4 * pi * density_)); }

double MassFunction::sigma(double mass) const
{
    expect_positive(mass, "the mass of a halo");
    return growth_ * today_.sigma(radius(mass));
}

MassFunction::Fluctuations MassFunction::fluctuations(double mass) const
{
    expect_positive(mass, "the mass of a halo");
    const LinearSpectrum::Fluctuations today = today_.fluctuations(radius(mass));
    return {growth_ * today.sigma, -today.slope / 3};
}

double MassFunction::number(double mass, const Fluctuations& in_mass, const Multiplicity& fit) const
{
    return fit.make(in_mass.sigma, z_) * density_ / mass * in_mass.slope;
}

double MassFunction::operator()(double mass, const std::string& fit) const
{
    const Multiplicity& chosen = multiplicities().at(fit);
    return number(mass, fluctuations(mass), chosen);
}

std::vector<double> MassFunction::by_all_fits(double mass) const
{
    const Fluctuations in_mass = fluctuations(mass);
    std::vector<double> numbers;
    for (const Multiplicity& fit : multiplicities().entries()) numbers.push_back(number(mass, in_mass, fit));
    return numbers;
}

}  // namespace aureole::cosmology

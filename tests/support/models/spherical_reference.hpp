// Masses and Jeans dispersions of a sphere from its density alone, by sums over a fine logarithmic grid: a
// reference that shares no code with the models.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "sim/core/vec3.hpp"

namespace aureole::test {

/// A function of radius, linear in ln r between 40 001 radii from 1e-7 to 1e7.
class RadialFunction {
public:
    static constexpr int n = 40000;
    static double radius_at(int k) { return 1e-7 * std::exp(k * step); }

    double operator()(double r) const
    {
        const double x = std::fmin(std::fmax(std::log(r * 1e7) / step, 0.0), n - 1e-6);
        const int k = static_cast<int>(x);
        return values[k] + (x - k) * (values[k + 1] - values[k]);
    }

    static constexpr double step = 32.236191301916641 / n;  // ln 1e14
    std::vector<double> values = std::vector<double>(n + 1);
};

class SphericalReference {
public:
    /// `shape` times the factor that puts `mass` inside `radius`.
    SphericalReference(std::function<double(double)> shape, double mass, double radius)
        : shape_(std::move(shape))
    {
        const auto shell = [&](double r) { return 4 * 3.14159265358979323846 * r * r * r * shape_(r); };
        for (int k = 1; k <= RadialFunction::n; ++k)
            mass_.values[k] = mass_.values[k - 1] + RadialFunction::step / 2 *
                                                        (shell(RadialFunction::radius_at(k - 1)) +
                                                         shell(RadialFunction::radius_at(k)));
        factor_ = mass / mass_(radius);
        for (double& value : mass_.values) value *= factor_;
    }

    double density(double r) const { return factor_ * shape_(r); }
    double mass(double r) const { return mass_(r); }
    double total_mass() const { return mass_.values.back(); }

    /// <v_r^2> of an Osipkov-Merritt model with this anisotropy radius (0: isotropic) in the field of
    /// `total_mass`: (r^2 + r_a^2) rho <v_r^2> = int_r^infinity (r^2 + r_a^2) rho M / r^2 dr.
    RadialFunction radial_dispersion(const std::function<double(double)>& total_mass, double ra) const
    {
        const auto weight = [&](double r) { return (ra > 0 ? 1 + r * r / (ra * ra) : 1) * density(r); };
        const auto integrand = [&](double r) { return weight(r) * total_mass(r) / r; };
        RadialFunction result;
        double sum = 0;
        for (int k = RadialFunction::n; k-- > 0;) {
            const double r = RadialFunction::radius_at(k);
            sum += RadialFunction::step / 2 * (integrand(r) + integrand(RadialFunction::radius_at(k + 1)));
            result.values[k] = weight(r) > 0 ? sum / weight(r) : 0;
        }
        return result;
    }

private:
    std::function<double(double)> shape_;
    RadialFunction mass_;
    double factor_ = 1;
};

/// Hernquist (1990), Plummer (1911) and cut-off NFW shapes, for the reference.
inline std::function<double(double)> hernquist_shape(double a)
{
    return [a](double r) { return 1 / (r * std::pow(r + a, 3)); };
}
inline std::function<double(double)> plummer_shape(double a)
{
    return [a](double r) { return std::pow(r * r + a * a, -2.5); };
}
/// Kazantzidis et al. (2004), eqs. 1 to 3: NFW to `edge`, then r^e exp(-r / width).
inline std::function<double(double)> nfw_shape(double a, double edge, double width)
{
    return [=](double r) {
        const double c = edge / a, power = -(1 + 3 * c) / (1 + c) + edge / width;
        if (r <= edge) return 1 / (r / a * std::pow(1 + r / a, 2));
        return std::pow(r / edge, power) * std::exp(-(r - edge) / width) / (c * std::pow(1 + c, 2));
    };
}

}  // namespace aureole::test

#include "gravity/external/friction.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"

namespace aureole::gravity {
namespace {

constexpr double ln_step = 0.01;
constexpr int n_rows = 2764;  ///< twelve decades: ln 10^12 / ln_step

/// The radius about which a table is made; nothing for a field that is not spherical.
std::optional<double> radius_of(const FieldPotential& host)
{
    return std::visit(
        []<class P>(const P& p) -> std::optional<double> {
            if constexpr (requires { p.scale_radius; }) return p.scale_radius;
            if constexpr (std::is_same_v<P, LogarithmicPotential>)
                if (p.axis_ratio == 1 && p.flattening == 1) return p.core_radius > 0 ? p.core_radius : 1.0;
            return {};
        },
        host);
}

double density_at(const FieldPotential& host, double r)
{
    // off the axes, where a cusp is smooth in every direction
    const double along = r / std::sqrt(3.0);
    return std::visit([=](const auto& p) { return density_of(p, {along, along, along}); }, host);
}

/// dPhi/dr.
double slope_at(const FieldPotential& host, double r)
{
    return std::visit([=](const auto& p) { return gradient_of(p, {r, 0, 0}).slope.x; }, host);
}

}  // namespace

std::optional<double> mass_inside(const FieldPotential& host, double radius)
{
    if (!radius_of(host)) return {};
    return radius * radius * slope_at(host, radius);
}

std::vector<Setting<FrictionConfig>> friction_settings()
{
    using C = FrictionConfig;
    return {
        setting("types", Quantity::number, &C::types,
                "of massive particles that the field slows by dynamical friction (Chandrasekhar 1943), for "
                "each mass; the field has to be spherical, and stands for a halo that is not live",
                {[](const std::vector<int>& types) {
                     for (const int t : types)
                         if (t < 0 || t >= n_particle_types) return false;
                     return true;
                 },
                 "a list of particle types from 0 to 5"}),
        choice("logarithm", &C::logarithm,
               {{"constant", CoulombLogarithm::constant},
                {"petts", CoulombLogarithm::petts},
                {"hashimoto", CoulombLogarithm::hashimoto}},
               "ln L: constant; petts: ln sqrt(1 + L^2), L = (r / gamma) / max(half_mass_radius, G M / v^2) "
               "(Petts et al. 2016); hashimoto: ln(r / 1.6 half_mass_radius) (Hashimoto et al. 2003)"),
        setting("value", Quantity::number, &C::value, "of the constant logarithm", positive()),
        setting("half_mass_radius", Quantity::length, &C::half_mass_radius,
                "of the particles, which stand for extended bodies", not_negative())};
}

Friction::Friction(const FieldPotential& host, const FieldPlacement& placement, const FrictionConfig& config)
    : motion_(placement), config_(config)
{
    const auto radius = radius_of(host);
    if (!radius)
        throw ConfigError(
            "friction needs a spherical field: nfw, hernquist, plummer, isochrone, or logarithmic with "
            "axis_ratio and flattening 1");
    if (config.types.empty())
        throw ConfigError("expected the key friction.types, the particles that are slowed");
    if (!config.logarithm)
        throw ConfigError("expected the key friction.logarithm: constant, petts or hashimoto");
    const bool constant = config.logarithm == CoulombLogarithm::constant;
    if (constant != config.value.has_value())
        throw ConfigError(constant ? "friction.logarithm is constant, expected the key friction.value"
                                   : "friction.value is given, but friction.logarithm is not constant");
    const double smallest = config.logarithm == CoulombLogarithm::petts ? 0 : 1e-300;
    if (!constant && config.half_mass_radius.value_or(-1) < smallest)
        throw ConfigError(fmt::format("expected the key friction.half_mass_radius{}",
                                      smallest > 0 ? ", a length above 0" : ""));
    // sigma^2 = 1 / rho int_r^inf rho dPhi, from outside inwards; a power law beyond the last row
    first_ = std::log(*radius) - n_rows / 2 * ln_step;
    ln_density_.resize(n_rows);
    ln_dispersion2_.resize(n_rows);
    const auto integrand = [&](double ln_r) {
        const double r = std::exp(ln_r);
        return density_at(host, r) * slope_at(host, r) * r;
    };
    const double end = first_ + (n_rows - 1) * ln_step;
    const double fall = std::log(integrand(end - ln_step) / integrand(end)) / ln_step;
    double sum = integrand(end) / fall;
    for (int k = n_rows - 1; k >= 0; --k) {
        const double ln_r = first_ + k * ln_step;
        const double rho = density_at(host, std::exp(ln_r));
        if (k < n_rows - 1) sum += integral(ln_r, ln_r + ln_step, integrand);
        ln_density_[k] = std::log(rho);
        ln_dispersion2_[k] = std::log(sum / rho);
    }
}

HostTable Friction::table(const double* values) const
{
    return {values, values + n_rows, first_, ln_step, n_rows};
}

double Friction::density(double radius) const
{
    const HostTable rows{ln_density_.data(), ln_dispersion2_.data(), first_, ln_step, n_rows};
    return std::exp(rows.at(rows.ln_density, std::log(radius)).value);
}

double Friction::dispersion2(double radius) const
{
    const HostTable rows{ln_density_.data(), ln_dispersion2_.data(), first_, ln_step, n_rows};
    return std::exp(rows.at(rows.ln_dispersion2, std::log(radius)).value);
}

FrictionState Friction::state(Backend where, double time)
{
    if (on_device_.size() == 0 || on_device_.where() != where) {
        std::vector<double> both = ln_density_;
        both.insert(both.end(), ln_dispersion2_.begin(), ln_dispersion2_.end());
        on_device_ = Buffer<double>(where, both);
    }
    const FieldState at = motion_.at(time);
    unsigned types = 0;
    for (const int t : config_.types) types |= 1U << t;
    return {table(on_device_.data()),
            at.centre,
            at.velocity,
            at.amplitude,
            *config_.logarithm,
            config_.value.value_or(0),
            config_.half_mass_radius.value_or(0),
            types};
}

void Friction::add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                                double time, const Vec3View& acceleration)
{
    expect_same_memory(exec, particles);
    AUREOLE_EXPECT(particles.n == 0 || !particles.velocity.absent(),
                   "friction needs velocities, the particles have none");
    add_friction(exec, particles, targets.clipped(particles.n), state(exec.backend, time), acceleration);
}

double Friction::power(Exec exec, const ConstParticlesView& particles, double time)
{
    return scratch_.result(exec, particles.n, [&](double* partial) {
        sum_friction_power(exec, particles, state(exec.backend, time), partial);
    });
}

std::size_t Friction::scratch_bytes(std::size_t n) const
{
    return SumScratch::bytes(n) + 2 * n_rows * sizeof(double);
}

}  // namespace aureole::gravity

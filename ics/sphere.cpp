#include "ics/sphere.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "ics/check_config.hpp"
#include "ics/contraction.hpp"
#include "ics/density.hpp"
#include "ics/distribution_function.hpp"
#include "ics/quiet_start.hpp"
#include "sim/core/error.hpp"

namespace aureole::ics {
namespace {

/// Streams apart, so that a cold sphere has the positions of the warm one.
enum Purpose : std::uint32_t { draw_position, draw_velocity };

}  // namespace

double SphereModel::outer_radius(const Component& c) const
{
    return c.truncation_radius.value_or(100 * c.scale_radius);
}

double outer_radius(const Component& component)
{
    const auto model = make_model(component);
    AUREOLE_EXPECT(model->sphere(), "model {} is no sphere, expected one", component.model.name);
    return model->sphere()->outer_radius(component);
}

void SphereModel::check(const std::string& where, const Component& c) const
{
    if (c.particles == 0) refuse(where, "particles is 0, expected at least 1");
    expect_positive(where, "mass", c.mass);
    expect_positive(where, "scale_radius", c.scale_radius);
    if (c.truncation_width) {
        expect_positive(where, "truncation_width", *c.truncation_width);
        if (!has_tail())
            refuse(where,
                   "truncation_width is set, but only nfw, burkert and table have such a tail; remove it");
    }
    if (c.anisotropy_radius) expect_positive(where, "anisotropy_radius", *c.anisotropy_radius);
    check_shape(where, c);
    if (c.truncation_radius) expect_positive(where, "truncation_radius", *c.truncation_radius);
    check_contraction(where, c);
    check_quiet(where, c);
}

double SphereModel::carried_mass(const Component& c) const
{
    return make_mass_model(c)->enclosed_mass(outer_radius(c));
}

namespace {

PhaseSpacePoint moving(PhaseSpacePoint point, const Sphere& sphere, const Component& component,
                       std::uint64_t seed, std::uint64_t id)
{
    if (component.velocities == Velocities::cold) return point;
    Random random(seed, id, draw_velocity);
    point.velocity = component.velocity_factor * sphere.equilibrium_velocity(point.position, random);
    return point;
}

PhaseSpacePoint sample_quiet(const Sphere& sphere, const Component& component, double outer,
                             const QuietStart& quiet, std::uint64_t orbit, std::uint64_t seed,
                             std::uint64_t id)
{
    const auto [inside, turns, up] = quiet.place(orbit, seed, id);
    const double r = std::fmin(sphere.radius_enclosing(inside * sphere.enclosed_mass(outer)), outer);
    const double z = 2 * up - 1, across = std::sqrt((1 - z) * (1 + z));
    const portable::SinCos azimuth = portable::sin_cos_of_turns(turns);
    return moving({r * Vec3{across * azimuth.cos, across * azimuth.sin, z}, {}}, sphere, component, seed, id);
}

}  // namespace

void SphereModel::fill(const ParticlesView& p, const Slot& slot, const Config& config,
                       std::size_t number) const
{
    const Component& component = config.components[number];
    const auto sphere = make_sphere(config, number);
    const double mass = carried_mass(component) / slot.n, outer = outer_radius(component);
    const QuietStart quiet(component.own.get<QuietConfig>(), slot.n);
#pragma omp parallel for if (slot.n > parallel_threshold)
    for (Index k = 0; k < slot.n; ++k) {
        const Index i = slot.first + k;
        const PhaseSpacePoint point =
            quiet.given() ? quiet.image(k, sample_quiet(*sphere, component, outer, quiet, quiet.orbit(k),
                                                        config.seed, p.id[slot.first] + quiet.orbit(k)))
                          : sample(*sphere, component, outer, config.seed, p.id[i]);
        p.mass[i] = mass;
        p.position.store(i, slot.centre.position + point.position);
        p.velocity.store(i, slot.centre.velocity + point.velocity);
    }
}

PhaseSpacePoint sample(const Sphere& sphere, const Component& component, double outer, std::uint64_t seed,
                       std::uint64_t id)
{
    Random random(seed, id, draw_position);
    const double mass = random.uniform() * sphere.enclosed_mass(outer);
    const double r = std::fmin(sphere.radius_enclosing(mass), outer);
    return moving({r * random.direction(), {}}, sphere, component, seed, id);
}

namespace {
/// A mass model with the velocities of a tabulated distribution function.
class InvertedSphere final : public Sphere {
public:
    InvertedSphere(std::unique_ptr<MassModel> mass, DistributionFunction f)
        : mass_(std::move(mass)), f_(std::move(f))
    {
    }

    double enclosed_mass(double radius) const override { return mass_->enclosed_mass(radius); }
    double radius_enclosing(double mass) const override { return mass_->radius_enclosing(mass); }
    Vec3 equilibrium_velocity(Vec3 position, Random& random) const override
    {
        return f_.velocity(position, random);
    }

private:
    std::unique_ptr<MassModel> mass_;
    DistributionFunction f_;
};

/// Positions alone.
class ColdSphere final : public Sphere {
public:
    explicit ColdSphere(std::unique_ptr<MassModel> mass) : mass_(std::move(mass)) {}

    double enclosed_mass(double radius) const override { return mass_->enclosed_mass(radius); }
    double radius_enclosing(double mass) const override { return mass_->radius_enclosing(mass); }
    Vec3 equilibrium_velocity(Vec3, Random&) const override { return {}; }

private:
    std::unique_ptr<MassModel> mass_;
};

bool same(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

[[noreturn]] void refuse_negative(const Config& config, std::size_t number, bool among_others,
                                  const NegativeAt& fault)
{
    const Component& c = config.components[number];
    std::string what = c.anisotropy_radius
                           ? fmt::format("anisotropy_radius is {}, for which", *c.anisotropy_radius)
                           : std::string("as an isotropic sphere");
    what += fmt::format(
        " there is no equilibrium in the {}: the distribution function is negative at the "
        "energy of a body at rest at radius {:.4g}",
        among_others ? "total potential" : "component's own potential", fault.radius);
    if (fault.least_anisotropy_radius)
        what += fmt::format("; expected at least {:.4g}", *fault.least_anisotropy_radius);
    if (c.model == Model::nfw && c.own.get<TailConfig>().tail == Tail::gaussian)
        what += "; a larger truncation_radius may allow it";
    else if (c.model == Model::nfw || c.model == Model::table || c.model.name == "burkert")
        what += "; a larger truncation_width may allow it";
    if (c.model == Model::table) what += ", or a smoother table, of six digits";
    refuse(place_of(config, number), what);
}

DistributionFunction distribution_function(const Config& config, std::size_t number,
                                           const std::vector<std::size_t>& others)
{
    const Component& c = config.components[number];
    Field field;
    field.add(c, true);
    for (std::size_t k : others) field.add(config.components[k], false);
    const auto density = make_density(c);
    const EddingtonTable table = invert(*density, field, radial_grid(c, *density));
    // rows of a file carry rounding, which an inversion differentiates twice
    const double noise = c.model == Model::table ? 1e-3 : 0;
    if (const auto fault = negative_at(table, c.anisotropy_radius, noise))
        refuse_negative(config, number, !others.empty(), *fault);
    return {table, c.anisotropy_radius};
}

}  // namespace

std::unique_ptr<MassModel> make_mass_model(const Component& c)
{
    const auto model = make_model(c);
    if (!model->sphere()) return nullptr;
    if (auto closed = model->sphere()->closed_form(c)) return closed;
    const auto density = model->sphere()->density(c);
    if (!density) return nullptr;
    return std::make_unique<MassTable>(*density, radial_grid(c, *density));
}

std::vector<std::size_t> companions(const Config& config, std::size_t number)
{
    std::vector<std::size_t> result;
    const Component& c = config.components[number];
    const auto body = body_on_orbit(config, number);
    for (std::size_t k = 0; k < config.components.size(); ++k) {
        const Component& other = config.components[k];
        if (k != number && make_model(other)->joins_total_potential() && body_on_orbit(config, k) == body &&
            same(other.position, c.position) && same(other.velocity, c.velocity))
            result.push_back(k);
    }
    return result;
}

Potential potential_of(const Component& c)
{
    const auto model = make_model(c);
    const bool has_tail = model->sphere() && model->sphere()->has_tail();
    if (!model->sphere() && model->joins_total_potential()) return Potential::total;
    return c.potential.value_or(has_tail ? Potential::total : Potential::own);
}

std::unique_ptr<Sphere> make_sphere(const Config& config, std::size_t number)
{
    const Component& c = config.components[number];
    const auto model = make_model(c);
    if (!model->sphere()) return nullptr;
    std::vector<std::size_t> others;
    if (potential_of(c) == Potential::total) others = companions(config, number);
    auto closed = model->sphere()->closed_form(c);
    if (closed && others.empty() && !c.anisotropy_radius) return closed;
    auto mass = make_mass_model(c);
    if (c.velocities == Velocities::cold) return std::make_unique<ColdSphere>(std::move(mass));
    return std::make_unique<InvertedSphere>(std::move(mass), distribution_function(config, number, others));
}

std::unique_ptr<Sphere> make_sphere(const Component& component)
{
    Config config;
    config.components = {component};
    return make_sphere(config, 0);
}

}  // namespace aureole::ics

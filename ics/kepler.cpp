
#include <array>
#include <cmath>

#include "ics/check_config.hpp"
#include "ics/model.hpp"

namespace aureole::ics {
namespace {

/// On an unbound orbit the anomaly ends where the asymptote is.
void check_true_anomaly(const std::string& where, const KeplerElements& k)
{
    expect_finite_value(where, "true_anomaly", *k.true_anomaly);
    const double cosine = std::cos(*k.true_anomaly * (std::acos(-1.0) / 180));
    if (k.eccentricity >= 1 && !(1 + k.eccentricity * cosine > 1e-12))
        refuse(where,
               fmt::format("true_anomaly is {} degrees, which an orbit of eccentricity {} never reaches",
                           *k.true_anomaly, k.eccentricity));
}

void check_elements(const std::string& where, const KeplerElements& k)
{
    for (double mass : k.masses)
        if (!(mass >= 0 && std::isfinite(mass)))
            refuse(where, fmt::format("masses holds {}, expected numbers of at least 0", mass));
    expect_positive(where, "the sum of masses", k.masses[0] + k.masses[1]);
    expect_eccentricity(where, k.eccentricity);
    if (k.semi_major_axis.has_value() == k.pericentre.has_value())
        refuse(where, "expected exactly one of semi_major_axis and pericentre");
    if (k.semi_major_axis) expect_positive(where, "semi_major_axis", *k.semi_major_axis);
    if (k.pericentre) expect_positive(where, "pericentre", *k.pericentre);
    if (k.true_anomaly && k.mean_anomaly)
        refuse(where, "expected at most one of true_anomaly and mean_anomaly");
    if (k.eccentricity >= 1 && (k.semi_major_axis || k.mean_anomaly))
        refuse(where, fmt::format("an orbit of eccentricity {} is not bound: describe it by pericentre and "
                                  "true_anomaly, not by semi_major_axis or mean_anomaly",
                                  k.eccentricity));
    if (k.mean_anomaly) expect_finite_value(where, "mean_anomaly", *k.mean_anomaly);
    if (k.true_anomaly) check_true_anomaly(where, k);
    expect_angles(where, k);
}

/// Two bodies about their barycentre.
class TwoBody final : public ComponentModel {
public:
    void check(const std::string& where, const Component& c) const override
    {
        check_elements(where, c.elements);
    }
    std::uint64_t particles(const Component&) const override { return 2; }
    double carried_mass(const Component& c) const override
    {
        return c.elements.masses[0] + c.elements.masses[1];
    }
    bool has_profile() const override { return false; }

    void fill(const ParticlesView& p, const Slot& slot, const Config& config,
              std::size_t number) const override
    {
        const Component& component = config.components[number];
        const auto& masses = component.elements.masses;
        const PhaseSpacePoint relative = relative_motion(component.elements);
        const double total = masses[0] + masses[1];
        const std::array<double, 2> share{-masses[1] / total, masses[0] / total};
        for (Index k = 0; k < 2; ++k) {
            const Index i = slot.first + k;
            p.mass[i] = masses[k];
            p.position.store(i, slot.centre.position + share[k] * relative.position);
            p.velocity.store(
                i, slot.centre.velocity + (component.velocity_factor * share[k]) * relative.velocity);
        }
    }
};

}  // namespace

std::unique_ptr<ComponentModel> make_two_body_model() { return std::make_unique<TwoBody>(); }

std::vector<Setting<Component>> two_body_settings()
{
    using K = KeplerElements;
    constexpr auto number = Quantity::number, length = Quantity::length;
    const std::vector<Setting<K>> elements{
        setting("masses", Quantity::mass, &K::masses, "of a two_body pair"),
        setting("semi_major_axis", length, &K::semi_major_axis, "of the relative orbit; or pericentre",
                positive()),
        setting("pericentre", length, &K::pericentre, "closest approach; or semi_major_axis", positive()),
        setting("eccentricity", number, &K::eccentricity, "of the orbit", not_negative()),
        setting("true_anomaly", number, &K::true_anomaly, "degrees; at pericentre when no anomaly is given"),
        setting("mean_anomaly", number, &K::mean_anomaly, "degrees"),
        setting("inclination", number, &K::inclination, "tilt of the orbit's plane, degrees"),
        setting("ascending_node", number, &K::ascending_node, "longitude of the node, degrees"),
        setting("argument_of_pericentre", number, &K::argument_of_pericentre, "from the node, degrees"),
    };
    std::vector<Setting<Component>> result;
    append_settings(result, "elements.", elements, &Component::elements);
    return result;
}

PhaseSpacePoint relative_motion(const KeplerElements& k)
{
    const portable::SinCos anomaly = k.mean_anomaly ? true_anomaly(*k.mean_anomaly / 360, k.eccentricity)
                                                    : sin_cos_of_degrees(k.true_anomaly.value_or(0));
    return relative_motion(
        Conic{.total_mass = k.masses[0] + k.masses[1],
              .pericentre = k.pericentre ? *k.pericentre : *k.semi_major_axis * (1 - k.eccentricity),
              .eccentricity = k.eccentricity,
              .cos_true_anomaly = anomaly.cos,
              .sin_true_anomaly = anomaly.sin,
              .inclination = k.inclination,
              .ascending_node = k.ascending_node,
              .argument_of_pericentre = k.argument_of_pericentre});
}

double eccentricity_of(const Orbit& orbit, double total_mass)
{
    return orbit.eccentricity ? *orbit.eccentricity : 1 + 2 * orbit.pericentre * *orbit.energy / total_mass;
}

PhaseSpacePoint relative_motion(const Orbit& orbit, double total_mass)
{
    const double e = std::fmax(0.0, eccentricity_of(orbit, total_mass)), q = orbit.pericentre,
                 r = orbit.separation;
    // r = q (1 + e) / (1 + e cos f); 1 - cos f and 1 + cos f apart, clipped against rounding at the apsides
    double cosine = 1;
    if (e > 0) cosine = std::fmax(-1.0, 1 - (1 + e) / e * (r - q) / r);
    return relative_motion(Conic{.total_mass = total_mass,
                                 .pericentre = q,
                                 .eccentricity = e,
                                 .cos_true_anomaly = cosine,
                                 .sin_true_anomaly = -std::sqrt((1 - cosine) * (1 + cosine)),
                                 .inclination = orbit.inclination,
                                 .ascending_node = orbit.ascending_node,
                                 .argument_of_pericentre = orbit.argument_of_pericentre});
}

}  // namespace aureole::ics

#include "ics/contraction.hpp"

#include <cmath>
#include <numbers>

#include "ics/check_config.hpp"
#include "ics/density.hpp"
#include "ics/distribution_function.hpp"
#include "ics/model.hpp"
#include "ics/sphere.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

/// The mean radius of the orbits through a radius, A r_v (r / r_v)^w, and its derivative.
struct MeanRadius {
    Contraction kind;
    double virial;

    double at(double r) const
    {
        return kind == Contraction::gnedin ? 0.85 * virial * portable::exp(0.8 * portable::log(r / virial))
                                           : r;
    }
    double slope(double r) const { return kind == Contraction::gnedin ? 0.8 * at(r) / r : 1; }
};

/// The halo before, and all others, whose masses end at their own edges.
class Shells {
public:
    Shells(const Config& config, std::size_t number, const std::vector<std::size_t>& others)
        : halo_(config.components[number]), density_(make_density(halo_)), mass_(make_mass_model(halo_))
    {
        for (const std::size_t k : others) others_.add(config.components[k], false);
        const ContractionConfig& asked = halo_.own.get<ContractionConfig>();
        mean_ = {asked.contraction, asked.radius.value_or(halo_.truncation_radius.value_or(1))};
        constexpr double everywhere = 1e30;
        total_ = 1 + others_.enclosed_mass(everywhere * halo_.scale_radius) / carried_mass(halo_);
    }

    /// r_f of the shell that was at r; r_f [M_others(r_f) + M(r)] grows with r_f.
    double contracted_radius(double r) const
    {
        const double mean = mean_.at(r), inside = mass_->enclosed_mass(mean), kept = r * total_ * inside;
        const auto excess = [&](double f) {
            return f * (others_.enclosed_mass(mean_.at(f)) + inside) - kept;
        };
        double low = 1e-3 * r, high = r * total_;  // at most as far as without others
        while (excess(low) > 0) low /= 2;
        while (true) {
            const double middle = (low + high) / 2;
            if (!(middle > low && middle < high)) return middle;
            (excess(middle) < 0 ? low : high) = middle;
        }
    }

    /// The density at r_f of the shell that was at r: M'(r) / (4 pi r_f^2) dr / dr_f.
    double density(double r, double f) const
    {
        const double before = mean_.at(r), after = mean_.at(f);
        const double growth = 4 * std::numbers::pi * before * before * density_->at(before).value *
                              mean_.slope(r);  // of the mass inside the mean radius, with r
        const double others_growth =
            4 * std::numbers::pi * after * after * others_.density(after) * mean_.slope(f);
        const double inside = mass_->enclosed_mass(before);
        const double by_f = others_.enclosed_mass(after) + inside + f * others_growth;
        const double by_r = total_ * (inside + r * growth) - f * growth;
        const double moved = by_r / by_f;  // dr_f / dr
        return r * r * density_->at(r).value / (f * f * moved);
    }

    std::vector<double> radii() const
    {
        constexpr double step = 1.04;
        std::vector<double> kept;
        const std::vector<double> all = radial_grid(halo_, *density_);
        for (const double r : all)
            if (kept.empty() || r > step * kept.back()) kept.push_back(r);
        return kept;
    }

private:
    const Component& halo_;
    std::unique_ptr<Density> density_;
    std::unique_ptr<MassModel> mass_;
    Field others_;
    MeanRadius mean_{};
    double total_ = 1;  ///< mass of all over that of the halo
};

Component contracted_sphere(const Config& config, std::size_t number)
{
    const std::vector<std::size_t> others = companions(config, number);
    if (others.empty())
        refuse(place_of(config, number),
               "contraction is given, but nothing shares its centre: expected a disk or a bulge there");
    const Shells shells(config, number, others);
    Component result = config.components[number];
    const double total = carried_mass(result), scale = result.scale_radius;
    result.table = {};
    for (const double r : shells.radii()) {
        const double f = shells.contracted_radius(r), density = shells.density(r, f);
        if (!(density > 0) || (!result.table.radius.empty() && !(f / scale > result.table.radius.back())))
            refuse(place_of(config, number),
                   fmt::format("contraction folds its shells at radius {:.4g}: expected less mass of others, "
                               "or more of its own there",
                               r));
        result.table.radius.push_back(f / scale);
        result.table.density.push_back(density);
    }
    result.model = Model::table;
    result.mass = total;
    result.truncation_radius.reset();
    result.truncation_width.reset();
    result.own.get<ContractionConfig>() = {};
    return result;
}

}  // namespace

void check_contraction(const std::string& where, const Component& c)
{
    const ContractionConfig& asked = c.own.get<ContractionConfig>();
    if (asked.radius && asked.contraction != Contraction::gnedin)
        refuse(where, "contraction_radius is set, expected contraction: gnedin beside it");
    if (asked.radius) expect_positive(where, "contraction_radius", *asked.radius);
    if (asked.contraction == Contraction::none) return;
    const auto model = make_model(c);
    if (!model->sphere() || !model->sphere()->has_tail())
        refuse(where,
               "contraction is given, expected a nfw, einasto, burkert, sersic or table, whose mass ends");
    if (asked.contraction == Contraction::gnedin && !asked.radius && !c.truncation_radius)
        refuse(where, "contraction is gnedin, expected contraction_radius, the virial radius, beside it");
}

Config contracted(const Config& config)
{
    Config result = config;
    for (std::size_t k = 0; k < config.components.size(); ++k)
        if (config.components[k].own.get<ContractionConfig>().contraction != Contraction::none)
            result.components[k] = contracted_sphere(config, k);
    return result;
}

}  // namespace aureole::ics

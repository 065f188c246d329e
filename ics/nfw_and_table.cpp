// Spheres that end in a tail: `mass` is what lies inside truncation_radius, where the tail begins.
#include <limits>

#include "ics/check_config.hpp"
#include "ics/density.hpp"
#include "ics/model.hpp"
#include "ics/sphere.hpp"

namespace aureole::ics {
namespace {

class WithTail : public SphereModel {
public:
    bool has_tail() const override { return true; }
    double outer_radius(const Component&) const override { return std::numeric_limits<double>::infinity(); }
};

class Nfw final : public WithTail {
public:
    std::unique_ptr<Density> density(const Component& c) const override { return nfw_density(c); }

private:
    void check_shape(const std::string& where, const Component& c) const override
    {
        if (!c.truncation_radius)
            refuse(where, "has no truncation_radius: mass is what lies inside it, a smooth tail follows");
        if (c.truncation_width && c.own.get<TailConfig>().tail == Tail::gaussian)
            refuse(where,
                   "truncation_width is set, but a gaussian tail has the truncation_radius alone; remove it");
    }
};

class Table final : public WithTail {
public:
    std::unique_ptr<Density> density(const Component& c) const override { return table_density(c); }
    bool reads_file() const override { return true; }

private:
    void check_shape(const std::string& where, const Component& c) const override
    {
        const auto& [radius, density] = c.table;
        if (radius.size() != density.size() || radius.size() < 4)
            refuse(where,
                   fmt::format("table holds {} radii and {} densities, expected as many of both, at least 4",
                               radius.size(), density.size()));
        for (std::size_t k = 0; k < radius.size(); ++k) {
            const std::string row = fmt::format("table, row {}: ", k + 1);
            expect_positive(where, (row + "radius").c_str(), radius[k]);
            expect_positive(where, (row + "density").c_str(), density[k]);
            if (k > 0 && !(radius[k] > radius[k - 1]))
                refuse(where, fmt::format("{}radius is {} after {}, expected growing radii", row, radius[k],
                                          radius[k - 1]));
        }
        if (c.truncation_radius && *c.truncation_radius > radius.back() * c.scale_radius)
            refuse(where, fmt::format("truncation_radius is {}, beyond the table's last radius {}",
                                      *c.truncation_radius, radius.back() * c.scale_radius));
        const double slope = DensitySpline(c.table, 1).inner_slope();
        if (slope <= -2.5)
            refuse(where,
                   fmt::format("the table's density falls as r^{:.3g} at the centre, expected at most as "
                               "r^-2.5",
                               slope));
    }
};

}  // namespace

std::unique_ptr<ComponentModel> make_nfw_model() { return std::make_unique<Nfw>(); }
std::unique_ptr<ComponentModel> make_table_model() { return std::make_unique<Table>(); }

std::vector<Setting<Component>> nfw_settings()
{
    std::vector<Setting<Component>> result;
    append_settings<Component, TailConfig>(
        result, "",
        {choice("tail", &TailConfig::tail, {{"exponential", Tail::exponential}, {"gaussian", Tail::gaussian}},
                "of a nfw: exponential, beyond truncation_radius, inside which `mass` lies; gaussian, times "
                "exp(-(r / truncation_radius)^2) everywhere, and `mass` is the total")},
        [](auto& component) -> auto& { return component.own.template get<TailConfig>(); });
    return result;
}

}  // namespace aureole::ics

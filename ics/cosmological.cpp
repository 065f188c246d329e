// Particles of a small part of a universe at an early time: a lattice displaced by a Gaussian field of its
// linear spectrum, scaled back with the growth of the run's own background, so that large scales are right
// today. O(n^3 log n); memory: see lagrangian_fields().
#include "ics/cosmological.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cosmology/growth.hpp"
#include "ics/check_config.hpp"
#include "ics/lagrangian_fields.hpp"
#include "ics/model.hpp"
#include "sim/core/numerics/portable_math.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::ics {
namespace {

const CosmologicalField& field_of(const Component& component)
{
    return component.own.get<CosmologicalField>();
}

int lattices(const CosmologicalField& field) { return field.load == Load::bcc ? 2 : 1; }

/// What displacements and velocities are made of at the start.
struct Factors {
    double first, second;                    ///< x - q = first nabla phi + second nabla phi2
    double first_velocity, second_velocity;  ///< peculiar
};

Factors factors_at_start(const Universe& universe, const CosmologicalField& field)
{
    const double a = universe.scale_factor;
    const cosmology::Background background(universe.parameters);
    cosmology::GrowthFactors growth = cosmology::Growth(background, a).at(a);
    if (field.growth == GrowthRule::einstein_de_sitter) {
        growth.d2 = -3.0 / 7 * growth.d * growth.d;
        growth.f2 = 2 * growth.f;
    }
    const double unit = universe.side / universe.side_mpc_h;
    const double expansion = a * universe.hubble_rate * background.expansion(a);
    return {-unit * growth.d, unit * growth.d2, -unit * expansion * growth.f * growth.d,
            unit * expansion * growth.f2 * growth.d2};
}

Modes modes_of(const ModeGrid& grid, const Universe& universe, const CosmologicalField& field,
               std::uint64_t seed)
{
    const Power power = [&](double k) { return universe.spectrum(k); };
    if (field.phases == Phases::ngenic)
        return ngenic_modes(grid, power, static_cast<std::uint32_t>(seed & 0x7fffffff));
    return gaussian_modes(grid, power, {.seed = seed, .fixed = field.fixed, .paired = field.paired});
}

/// The same field seen from sites that are half a cell further along all axes.
void shift_by_half_a_cell(const ModeGrid& grid, Modes& modes)
{
    const int half = (grid.n - 1) / 2;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < grid.n; ++i)
        for (int j = 0; j < grid.n; ++j)
            for (int z = 0; z <= half; ++z) {
                const portable::SinCos phase =
                    portable::sin_cos_of_turns(0.5 * (grid.wave(i) + grid.wave(j) + z) / grid.n);
                modes[grid.index(grid.wave(i), grid.wave(j), z)] *=
                    std::complex<double>(phase.cos, phase.sin);
            }
}

class Cosmological final : public ComponentModel {
public:
    void check(const std::string& where, const Component& c) const override
    {
        const CosmologicalField& field = field_of(c);
        if (field.grid < 2 || field.grid > 1600)  // 2^32 particles
            refuse(where,
                   fmt::format("field.grid is {}, expected 2 to 1600 sites along an axis", field.grid));
        if (field.order != 1 && field.order != 2)
            refuse(where, fmt::format("field.order is {}, expected 1 or 2", field.order));
        if (field.phases == Phases::ngenic && (field.fixed || field.paired))
            refuse(where, "field.fixed and field.paired need field.phases: own");
        if (field.phases == Phases::ngenic && field.grid % 2 != 0)
            refuse(where, fmt::format("field.grid is {}, expected an even number with field.phases: ngenic",
                                      field.grid));
    }
    std::uint64_t particles(const Component& c) const override
    {
        const auto n = static_cast<std::uint64_t>(field_of(c).grid);
        return static_cast<std::uint64_t>(lattices(field_of(c))) * n * n * n;
    }
    double carried_mass(const Component& c) const override { return c.mass; }
    bool stays_in_place(const Component&) const override { return true; }
    bool stands_alone() const override { return true; }
    bool has_profile() const override { return false; }

    void fill(const ParticlesView& p, const Slot& slot, const Config& config,
              std::size_t number) const override
    {
        const Component& component = config.components[number];
        const CosmologicalField& field = field_of(component);
        AUREOLE_EXPECT(config.universe.has_value(), "a cosmological field without a universe");
        const Universe& universe = *config.universe;
        const ModeGrid grid{field.grid, universe.side_mpc_h};
        expect_covered(universe, field.grid);
        Modes modes = modes_of(grid, universe, field, config.seed);
        const Factors by = factors_at_start(universe, field);
        const Index n = slot.n / static_cast<Index>(lattices(field));
        std::fill_n(p.mass + slot.first, slot.n, component.mass / slot.n);
        for (int lattice = 0; lattice < lattices(field); ++lattice) {
            if (lattice > 0) shift_by_half_a_cell(grid, modes);
            displace(p, slot.first + static_cast<Index>(lattice) * n, grid.n, 0.5 * lattice,
                     lagrangian_fields(grid, modes, field.order), by, universe.side);
        }
    }

private:
    /// The particles of one lattice, `first` on, whose sites are `offset` cells from the origin.
    static void displace(const ParticlesView& p, Index first, int sites, double offset,
                         const LagrangianFields& fields, const Factors& by, double side)
    {
        const auto n = static_cast<Index>(sites);
        const Box box{side};
        const auto vector = [](const VectorField& field, Index i) {
            return field[0].empty() ? Vec3{} : Vec3{field[0][i], field[1][i], field[2][i]};
        };
#pragma omp parallel for if (n > 16)
        for (Index i = 0; i < n * n * n; ++i) {
            const auto place = [&](Index site) { return side / n * (static_cast<double>(site) + offset); };
            const Vec3 q{place(i / (n * n)), place(i / n % n), place(i % n)};
            const Vec3 first_order = vector(fields.first, i), second_order = vector(fields.second, i);
            p.position.store(first + i, box.wrap(q + by.first * first_order + by.second * second_order));
            p.velocity.store(first + i, by.first_velocity * first_order + by.second_velocity * second_order);
        }
    }
};

}  // namespace

void expect_covered(const Universe& universe, int grid)
{
    const double least = 2 * std::numbers::pi / universe.side_mpc_h;
    const double most = std::sqrt(3.0) * least * ((grid - 1) / 2);
    if (universe.spectrum.first() > least || universe.spectrum.last() < most)
        throw ConfigError(fmt::format(
            "initial_conditions: {}^3 sites in {:.6g} Mpc/h have waves from k = {:.4g} to {:.4g} h/Mpc, and "
            "the "
            "spectrum is known from {:.4g} to {:.4g}; expected a table that covers them",
            grid, universe.side_mpc_h, least, most, universe.spectrum.first(), universe.spectrum.last()));
}

std::unique_ptr<ComponentModel> make_cosmological_model() { return std::make_unique<Cosmological>(); }

std::vector<Setting<Component>> cosmological_settings()
{
    using F = CosmologicalField;
    constexpr auto number = Quantity::number;
    return model_settings<F>(
        "field",
        {setting("grid", number, &F::grid,
                 "sites along an axis of a lattice of n^3 particles that fills the box",
                 {[](int n) { return n >= 2 && n <= 1600; }, "2 to 1600"}),
         choice("load", &F::load, {{"grid", Load::grid}, {"bcc", Load::bcc}},
                "one cubic lattice, or two that are half a cell apart, of 2 n^3 particles"),
         setting("order", number, &F::order, "of the displacements in Lagrangian perturbation theory",
                 {[](int order) { return order == 1 || order == 2; }, "1 or 2"}),
         choice("phases", &F::phases, {{"own", Phases::own}, {"ngenic", Phases::ngenic}},
                "own: each wave draws by seed and wave number; ngenic: as N-GenIC and monofonIC do"),
         setting("fixed", number, &F::fixed, "amplitudes are those of the spectrum, without scatter"),
         setting("paired", number, &F::paired, "the negative of the field with the same seed"),
         choice("growth", &F::growth, {{"exact", GrowthRule::exact}, {"eds", GrowthRule::einstein_de_sitter}},
                "second order by its own equation, or -3/7 D^2 and 2 f as in a universe of matter alone")});
}

}  // namespace aureole::ics

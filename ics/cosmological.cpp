// Particles of a small part of a universe at an early time: a lattice or a glass displaced by a Gaussian
// field of its linear spectrum, scaled back with the growth of the run's own background, so that large scales
// are right today. O(n^3 log n); memory: see lagrangian_fields().
#include "ics/cosmological.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

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

/// Where the lattices of a load begin, in cells.
std::vector<Vec3> lattices(Load load)
{
    constexpr double half = 0.5;
    if (load == Load::bcc) return {{0, 0, 0}, {half, half, half}};
    if (load == Load::fcc) return {{0, 0, 0}, {0, half, half}, {half, 0, half}, {half, half, 0}};
    return {{0, 0, 0}};
}

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
    const ModeConfig config{.seed = seed, .fixed = field.fixed, .paired = field.paired};
    switch (field.phases) {
        case Phases::ngenic:
            return ngenic_modes(grid, power, config, NgenicDialect::monofonic);
        case Phases::gadget4:
            return ngenic_modes(grid, power, config, NgenicDialect::gadget4);
        case Phases::file:
            return white_noise_modes(grid, power, universe.white_noise, config);
        case Phases::own:
            break;
    }
    return gaussian_modes(grid, power, config);
}

/// What the growth of waves on the lattice asks of the start, if the field is to make up for it.
std::optional<LatticeStart> lattice_start(const Universe& universe, const CosmologicalField& field)
{
    if (!field.lattice_until) return std::nullopt;
    const cosmology::Growth growth(cosmology::Background(universe.parameters), *field.lattice_until);
    return LatticeStart{LatticeGrowth(field.grid),
                        growth.at(*field.lattice_until).d / growth.at(universe.scale_factor).d};
}

/// The same field seen from sites that are `by` cells further.
Modes shifted(const ModeGrid& grid, Modes modes, Vec3 by)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < grid.n; ++i)
        for (int j = 0; j < grid.n; ++j)
            for (int z = 0; z <= grid.largest_wave(); ++z) {
                const portable::SinCos phase = portable::sin_cos_of_turns(
                    (by.x * grid.wave(i) + by.y * grid.wave(j) + by.z * z) / grid.n);
                modes[grid.index(grid.wave(i), grid.wave(j), z)] *=
                    std::complex<double>(phase.cos, phase.sin);
            }
    return modes;
}

/// Particles of the field: a run of them has its sites stored as positions, then is displaced.
class FieldMaker {
public:
    FieldMaker(const ParticlesView& p, const Universe& universe, const CosmologicalField& field,
               std::uint64_t seed)
        : p_(p), universe_(universe), field_(field), grid_{field.grid, universe.side_mpc_h}
    {
        if (field.order == 0) return;
        modes_ = modes_of(grid_, universe, field, seed);
        by_ = factors_at_start(universe, field);
        lattice_ = lattice_start(universe, field);
    }

    /// n^3 particles from `first` on.
    void make_lattice(Index first, Vec3 offset) const
    {
        const auto n = static_cast<Index>(grid_.n);
        const auto place = [&](Index site, double away) {
            return universe_.side / n * (static_cast<double>(site) + away);
        };
#pragma omp parallel for if (n > 16)
        for (Index i = 0; i < n * n * n; ++i)
            p_.position.store(first + i, {place(i / (n * n), offset.x), place(i / n % n, offset.y),
                                          place(i % n, offset.z)});
        if (field_.order == 0) return displace(first, n * n * n, {});
        const bool is_shifted = dot(offset, offset) > 0;
        const Modes there = is_shifted ? shifted(grid_, modes_, offset) : Modes();
        displace(first, n * n * n,
                 lagrangian_fields(grid_, is_shifted ? there : modes_, field_.order,
                                   lattice_ ? &*lattice_ : nullptr));
    }

    void make_tiles(Index first) const
    {
        const Tile& tile = universe_.tile;
        const auto count = static_cast<Index>(tile.count), in_tile = static_cast<Index>(tile.sites.size());
        const Index n = count * count * count * in_tile;
        const double side_of_tile = universe_.side / count;
#pragma omp parallel for if (n > 4096)
        for (Index i = 0; i < n; ++i) {
            const Index t = i / in_tile;
            const Vec3 corner{double(t / (count * count)), double(t / count % count), double(t % count)};
            p_.position.store(first + i, side_of_tile * (corner + tile.sites[i % in_tile]));
        }
        if (field_.order == 0) return displace(first, n, {});
        const ConstVec3View q = p_.position;
        const SitesView sites{{q.x + first, q.y + first, q.z + first}, n, universe_.side};
        displace(first, n, lagrangian_fields_at(sites, grid_, modes_, field_.order));
    }

private:
    void displace(Index first, Index n, const LagrangianFields& fields) const
    {
        const Box box{universe_.side};
        const auto vector = [](const VectorField& field, Index i) {
            return field[0].empty() ? Vec3{} : Vec3{field[0][i], field[1][i], field[2][i]};
        };
#pragma omp parallel for if (n > 4096)
        for (Index i = 0; i < n; ++i) {
            const Vec3 q = p_.position.load(first + i), one = vector(fields.first, i),
                       two = vector(fields.second, i),
                       rate = fields.rate[0].empty() ? one : vector(fields.rate, i);
            p_.position.store(first + i, box.wrap(q + by_.first * one + by_.second * two));
            p_.velocity.store(first + i, by_.first_velocity * rate + by_.second_velocity * two);
        }
    }

    const ParticlesView& p_;
    const Universe& universe_;
    const CosmologicalField& field_;
    ModeGrid grid_;
    Modes modes_;
    Factors by_{};
    std::optional<LatticeStart> lattice_;
};

void check_load(const std::string& where, const CosmologicalField& field)
{
    if (field.load == Load::file && field.load_file.empty())
        refuse(where, "field.load is file, which needs field.load_file");
    if (!is_tiled(field.load) && (!field.load_file.empty() || field.tiles))
        refuse(where, fmt::format("field.{} is given, expected field.load: glass or file beside it",
                                  field.load_file.empty() ? "tiles" : "load_file"));
    if (field.load == Load::file && field.tiles)
        refuse(where, "field.tiles is given, expected field.load: glass beside it");
    if (field.lattice_until && (field.load != Load::grid || field.order == 0))
        refuse(where, field.order == 0
                          ? "field.lattice_until is given, expected field.order: 1 or 2 beside it"
                          : "field.lattice_until is given, expected field.load: grid, whose growth is known, "
                            "beside it");
    constexpr int most_of_mesh = 1024;
    if (is_tiled(field.load) && field.grid > most_of_mesh)
        refuse(where,
               fmt::format("field.grid is {}, expected at most {} where displacements are interpolated",
                           field.grid, most_of_mesh));
    constexpr int least_sites = 4;
    if (field.load != Load::glass || !field.load_file.empty()) return;
    const int tiles = glass_tiles(field);
    if (field.grid % tiles != 0 || field.grid / tiles < least_sites)
        refuse(where,
               fmt::format("field.grid is {} and field.tiles {}, expected tiles of at least {}^3 sites "
                           "that fill the grid",
                           field.grid, tiles, least_sites));
}

void check_phases(const std::string& where, const CosmologicalField& field)
{
    const bool of_ngenic = field.phases == Phases::ngenic || field.phases == Phases::gadget4;
    if (of_ngenic && field.grid % 2 != 0)
        refuse(where,
               fmt::format("field.grid is {}, expected an even number with phases of N-GenIC", field.grid));
    if ((field.phases == Phases::file) == field.phases_file.empty())
        refuse(where, field.phases_file.empty()
                          ? "field.phases is file, which needs field.phases_file"
                          : "field.phases_file is given, expected field.phases: file beside it");
}

class Cosmological final : public ComponentModel {
public:
    void check(const std::string& where, const Component& c) const override
    {
        const CosmologicalField& field = field_of(c);
        if (field.grid < 2 || field.grid > 1600)  // 2^32 particles
            refuse(where,
                   fmt::format("field.grid is {}, expected 2 to 1600 sites along an axis", field.grid));
        if (field.order < 0 || field.order > 2)
            refuse(where, fmt::format("field.order is {}, expected 0, 1 or 2", field.order));
        check_load(where, field);
        check_phases(where, field);
    }
    std::uint64_t particles(const Component& c) const override
    {
        const CosmologicalField& field = field_of(c);
        if (field.sites > 0) return field.sites;
        const auto n = static_cast<std::uint64_t>(field.grid);
        return static_cast<std::uint64_t>(lattices(field.load).size()) * n * n * n;
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
        expect_possible(universe, field, config.seed);
#pragma omp parallel for schedule(static)
        for (Index i = 0; i < slot.n; ++i) p.mass[slot.first + i] = component.mass / slot.n;
        const FieldMaker maker(p, universe, field, config.seed);
        if (is_tiled(field.load)) return maker.make_tiles(slot.first);
        Index first = slot.first;
        for (const Vec3 offset : lattices(field.load)) {
            maker.make_lattice(first, offset);
            first += slot.n / static_cast<Index>(lattices(field.load).size());
        }
    }
};

void expect_covered(const Universe& universe, int grid)
{
    const double least = 2 * std::numbers::pi / universe.side_mpc_h;
    const double most = std::sqrt(3.0) * least * ((grid - 1) / 2);
    if (universe.spectrum.first() > least || universe.spectrum.last() < most)
        throw ConfigError(fmt::format(
            "initial_conditions: {}^3 sites in {:.6g} Mpc/h have waves from k = {:.4g} to {:.4g} h/Mpc, and "
            "the spectrum is known from {:.4g} to {:.4g}; expected a table that covers them",
            grid, universe.side_mpc_h, least, most, universe.spectrum.first(), universe.spectrum.last()));
}

}  // namespace

int glass_tiles(const CosmologicalField& field)
{
    constexpr int most_sites = 32;
    if (field.tiles) return *field.tiles;
    int tiles = 1;
    while (field.grid % tiles != 0 || field.grid / tiles > most_sites) ++tiles;
    return tiles;
}

std::size_t field_bytes(const CosmologicalField& field, std::size_t particles)
{
    const auto n = static_cast<std::size_t>(field.grid);
    // modes and three grids of 3/2 the points along an axis, or two of twice the points to interpolate in
    const std::size_t of_fields = is_tiled(field.load) ? 19 : 13;
    const std::size_t of_grid =
        of_fields + (field.phases == Phases::file ? 2 : 0) + (field.lattice_until ? 4 : 0);
    const std::size_t of_site = is_tiled(field.load) ? 9 : 0;
    return sizeof(double) * (of_grid * n * n * n + of_site * particles);
}

void expect_possible(const Universe& universe, const CosmologicalField& field, std::uint64_t seed)
{
    if (field.order == 0) return;
    expect_covered(universe, field.grid);
    if (field.lattice_until && !(*field.lattice_until >= universe.scale_factor))
        throw ConfigError(
            fmt::format("initial_conditions.field.lattice_until is {:.6g}, expected a scale factor from the "
                        "start, {:.6g}, on",
                        *field.lattice_until, universe.scale_factor));
    if (field.phases == Phases::ngenic || field.phases == Phases::gadget4) expect_ngenic_seed(seed);
    if (field.phases == Phases::file) expect_fine_enough(universe.white_noise, field.grid);
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
         choice("load", &F::load,
                {{"grid", Load::grid},
                 {"bcc", Load::bcc},
                 {"fcc", Load::fcc},
                 {"glass", Load::glass},
                 {"file", Load::file}},
                "where particles are before they are displaced: on one cubic lattice; on two or four, of 2 "
                "n^3 or "
                "4 n^3 particles; a glass, which is made or read; the positions of load_file"),
         setting(
             "load_file", number, &F::load_file,
             "snapshot of a periodic box: a glass that is repeated, or the whole load; its positions alone "
             "count"),
         setting("tiles", number, &F::tiles,
                 "how often the glass is repeated along an axis; default: so that there are n^3 particles",
                 {[](int n) { return n >= 1 && n <= 1600; }, "1 to 1600"}),
         setting("order", number, &F::order,
                 "of the displacements in Lagrangian perturbation theory; 0: the load itself, at rest",
                 {[](int order) { return order >= 0 && order <= 2; }, "0, 1 or 2"}),
         choice(
             "phases", &F::phases,
             {{"own", Phases::own},
              {"ngenic", Phases::ngenic},
              {"gadget4", Phases::gadget4},
              {"file", Phases::file}},
             "own: each wave draws by seed and wave number; ngenic: as N-GenIC and monofonIC do; gadget4: as "
             "GADGET-4 does; file: the white noise of phases_file"),
         setting(
             "phases_file", number, &F::phases_file,
             "white noise on a grid as fine as the field's or finer: float or double numbers, z fastest, or "
             "GRAFIC's records, as MUSIC writes them"),
         setting("fixed", number, &F::fixed, "amplitudes are those of the spectrum, without scatter"),
         setting("paired", number, &F::paired, "the negative of the field with the same seed"),
         choice("growth", &F::growth, {{"exact", GrowthRule::exact}, {"eds", GrowthRule::einstein_de_sitter}},
                "second order by its own equation, or -3/7 D^2 and 2 f as in a universe of matter alone"),
         setting("lattice_until", number, &F::lattice_until,
                 "scale factor at which waves of the load grid, which grow at rates of their own, are those "
                 "of linear "
                 "theory (Garrison et al. 2016); by default they start as those of a continuum",
                 {[](double a) { return std::isfinite(a) && a > 0; }, "a positive number"})});
}

}  // namespace aureole::ics

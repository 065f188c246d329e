// A Gaussian field of an expanding universe as initial conditions: its settings, and what it needs to know.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cosmology/background.hpp"
#include "cosmology/linear_spectrum.hpp"
#include "ics/linear_modes.hpp"

namespace aureole::ics {

/// Sites in a tile of side 1, [0, 1)^3, that is repeated `count` times along each axis of the box.
struct Tile {
    std::vector<Vec3> sites;
    int count = 1;
};

/// The universe of a run, at its start. Lengths, masses and times are internal but for side_mpc_h.
struct Universe {
    cosmology::Parameters parameters;
    cosmology::LinearSpectrum spectrum;  ///< of today, in h/Mpc and (Mpc/h)^3
    double scale_factor = 0;
    double hubble_rate = 0;  ///< H0
    double side = 0, side_mpc_h = 0;
    Tile tile{};               ///< of loads that are no lattice
    WhiteNoise white_noise{};  ///< of phases from a file
};

enum class Load { grid, bcc, fcc, glass, file };
enum class Phases { own, ngenic, gadget4, file };
enum class GrowthRule { exact, einstein_de_sitter };

/// The settings below `initial_conditions.field.`
struct CosmologicalField {
    int grid = 32;
    Load load = Load::grid;
    std::filesystem::path load_file{};  ///< positions in a periodic box; a glass without one is made
    std::optional<int> tiles{};         ///< of a glass along an axis; default: chosen
    int order = 2;
    Phases phases = Phases::own;
    std::filesystem::path phases_file{};  ///< white noise
    bool fixed = false, paired = false;
    GrowthRule growth = GrowthRule::exact;
    std::optional<double> lattice_until{};  ///< scale factor at which a lattice has the waves of a continuum

    std::uint64_t sites = 0;  ///< no setting: how many those of load_file are, all tiles together
};

/// Whether sites are those of a tile.
inline bool is_tiled(Load load) { return load == Load::glass || load == Load::file; }

/// How often a glass that is made is repeated along an axis: `tiles`, or the smallest number with tiles of at
/// most 32^3 sites that make grid^3 of them.
int glass_tiles(const CosmologicalField& field);

/// The memory that making the field of that many particles takes beside them, for the forecast of a run: see
/// lagrangian_fields() and white_noise_modes(), of a noise as fine as the grid.
std::size_t field_bytes(const CosmologicalField& field, std::size_t particles);

/// Throws ConfigError unless the spectrum is known for all waves of the field, the seed is one that its
/// phases take, and white noise has as many points as the grid, or more.
void expect_possible(const Universe& universe, const CosmologicalField& field, std::uint64_t seed);

}  // namespace aureole::ics

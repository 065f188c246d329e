// What is deposited on a grid, by the names that users write: `aureole density --fields`, and runs.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "density/deposit/deposit.hpp"

namespace aureole::run {

/// The fields of densities, as users name them.
inline constexpr std::array<std::string_view, 4> density_field_words{"mass", "velocity", "dispersion",
                                                                     "streams"};

/// The fields that are written.
struct DensityFields {
    bool mass = false;
    density::Fields others;
};

/// Throws ConfigError "found 'x', expected some of mass, ..." for an unknown name.
DensityFields density_fields_of(const std::vector<std::string>& names);

/// Of the densities that a run writes.
struct DensityConfig {
    density::Method method = density::Method::tetrahedra;
    std::uint32_t grid = 0;  ///< cells along an axis; 0: as many as particles
    std::vector<std::string> fields{"mass"};
    Precision precision = Precision::double_precision;  ///< of tetrahedra on a GPU
};

/// Throws ConfigError naming the key for settings that need tetrahedra with another method.
void expect_density_possible(const DensityConfig& config);

}  // namespace aureole::run

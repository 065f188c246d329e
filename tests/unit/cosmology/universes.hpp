// The universes of the tables that background and growth are compared with.
#pragma once

#include "cosmology/background.hpp"

namespace aureole::test {

inline constexpr cosmology::Parameters einstein_de_sitter{.omega_m = 1};
inline constexpr cosmology::Parameters flat_lambda{.omega_m = 0.3, .omega_de = 0.7};
inline constexpr cosmology::Parameters with_radiation{
    .omega_m = 0.3, .omega_de = 0.7 - 8.4e-5, .omega_r = 8.4e-5};
inline constexpr cosmology::Parameters evolving_dark_energy{
    .omega_m = 0.3, .omega_de = 0.7, .w0 = -0.9, .wa = -0.3};
inline constexpr cosmology::Parameters open_lambda{.omega_m = 0.3, .omega_de = 0.6};

}  // namespace aureole::test

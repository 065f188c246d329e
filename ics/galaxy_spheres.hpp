// Bulges and halos that are given by their density alone: Dehnen's (1993) family, Prugniel & Simien's (1997)
// bulges, Einasto's (1965) and Burkert's (1995) halos.
#pragma once

#include "ics/model.hpp"

namespace aureole::ics {

/// The settings of models dehnen, einasto and sersic.
struct DehnenConfig {
    double gamma = 1;
};
struct EinastoConfig {
    double alpha = 0.17;
};
struct SersicConfig {
    double n = 4;
};

/// b of Sersic's (1968) exp(-b (R / R_e)^(1/n)), half of whose light lies within R_e: Gamma(2 n) = 2 gamma(2
/// n, b). To 1e-12, for n of at least 0.5.
double sersic_b(double n);

std::unique_ptr<ComponentModel> make_dehnen_model();
std::unique_ptr<ComponentModel> make_einasto_model();
std::unique_ptr<ComponentModel> make_burkert_model();
std::unique_ptr<ComponentModel> make_sersic_model();

std::vector<Setting<Component>> dehnen_settings();
std::vector<Setting<Component>> einasto_settings();
std::vector<Setting<Component>> sersic_settings();

}  // namespace aureole::ics

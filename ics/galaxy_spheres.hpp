// Bulges and halos that are given by their density alone: Dehnen's (1993) family, Einasto's (1965) and
// Burkert's (1995) halos.
#pragma once

#include "ics/model.hpp"

namespace aureole::ics {

/// The settings of models dehnen and einasto.
struct DehnenConfig {
    double gamma = 1;
};
struct EinastoConfig {
    double alpha = 0.17;
};

std::unique_ptr<ComponentModel> make_dehnen_model();
std::unique_ptr<ComponentModel> make_einasto_model();
std::unique_ptr<ComponentModel> make_burkert_model();

std::vector<Setting<Component>> dehnen_settings();
std::vector<Setting<Component>> einasto_settings();

}  // namespace aureole::ics

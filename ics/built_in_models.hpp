// The models that come with Aureole, each made in the file of its name.
#pragma once

#include "ics/model.hpp"

namespace aureole::ics {

std::unique_ptr<ComponentModel> make_plummer_model();         // plummer.cpp
std::unique_ptr<ComponentModel> make_hernquist_model();       // hernquist.cpp
std::unique_ptr<ComponentModel> make_uniform_sphere_model();  // uniform_sphere.cpp
std::unique_ptr<ComponentModel> make_nfw_model();             // nfw_and_table.cpp
std::unique_ptr<ComponentModel> make_table_model();           // nfw_and_table.cpp
std::unique_ptr<ComponentModel> make_two_body_model();        // kepler.cpp
std::unique_ptr<ComponentModel> make_lattice_model();         // displaced_lattice.cpp
std::unique_ptr<ComponentModel> make_file_model();            // file_model.cpp

std::vector<Setting<Component>> two_body_settings();  // kepler.cpp
std::vector<Setting<Component>> lattice_settings();   // displaced_lattice.cpp
std::vector<Setting<Component>> file_settings();      // file_model.cpp

}  // namespace aureole::ics

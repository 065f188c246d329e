// The host's way to compute properties of lists; the other is resident_properties/arrays.hpp.
#pragma once

#include "halo/properties/resident_properties.hpp"

namespace aureole::halo {

/// Throws aureole::Error for input in host memory that is not as it should be.
void expect_host_input(const ResidentPropertyInput& input);

/// All in host memory, checked.
void host_properties(const ResidentPropertyInput& input, std::span<HaloProperties> rows);

}  // namespace aureole::halo

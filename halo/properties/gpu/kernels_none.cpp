#include "halo/properties/gpu/arrays.hpp"

namespace aureole::halo::properties {

void compute_moments(Exec exec, const PropertyArrays&) { throw_not_built(exec.backend); }
void key_by_list(Exec exec, const PropertyArrays&) { throw_not_built(exec.backend); }
void compute_curves(Exec exec, const PropertyArrays&) { throw_not_built(exec.backend); }

}  // namespace aureole::halo::properties

#include "sim/core/error.hpp"

namespace aureole {

void throw_argument_error(const std::string& message) { throw ArgumentError(message); }

}  // namespace aureole

#include "sim/core/error.hpp"

namespace aureole {

void throw_unmet(const char* condition, const char* file, int line, const std::string& message)
{
    throw Error(fmt::format("{} [expected {} at {}:{}]", message, condition, file, line));
}

}  // namespace aureole

#include <fmt/format.h>

#include "sim/cli/commands.hpp"
#include "sim/config/config.hpp"

namespace aureole::cli {

int config_command()
{
    fmt::print("{}", run::config_documentation());
    return 0;
}

}  // namespace aureole::cli

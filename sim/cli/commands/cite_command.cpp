#include <fmt/format.h>

#include "sim/cli/commands.hpp"
#include "sim/cli/version.hpp"
#include "sim/run/citations.hpp"

namespace aureole::cli {

int cite_command(const CiteCommand& command)
{
    const auto methods = run::methods_of(run::configuration_of_run(command.run));
    fmt::print("{}", command.bibtex ? run::bibtex_of(methods, AUREOLE_VERSION)
                                    : run::citation_text(methods, AUREOLE_VERSION));
    return 0;
}

}  // namespace aureole::cli

#include "sim/cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "sim/cli/version_text.hpp"

namespace aureole::cli {

int run_command_line(int argc, char** argv)
{
    CLI::App app{"aureole: N-body simulation with a built-in halo finder", "aureole"};
    app.set_version_flag("--version", version_text());
    app.require_subcommand(0, 1);
    CLI11_PARSE(app, argc, argv);
    if (app.get_subcommands().empty()) fmt::print("{}", app.help());
    return 0;
}

}  // namespace aureole::cli

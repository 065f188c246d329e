#include "sim/cli/commands.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/run/run.hpp"

namespace aureole::cli {

int run_command(const RunCommand& command)
{
    run::RunOptions options;
    options.directory = command.directory;
    options.overwrite = command.overwrite;
    options.dry_run = command.dry_run;
    options.quiet = command.quiet;
    options.as_isolated = command.as_isolated;
    options.version = version_brief();
    options.command_line = command.compute.command_line;
    const run::Config config = run::load_config(command.config, command.compute.overrides);
    return run::run_simulation(config, run::choose_device(command.compute.device), options);
}

}  // namespace aureole::cli

#include "sim/cli/commands.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/run/control/run_control.hpp"
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
    options.maker = maker(command.compute.command_line);
    if (!command.max_wall.empty()) options.wall_seconds = run::parse_wall_time(command.max_wall);
    const run::DeviceChoice device = run::choose_device(command.compute.device);
    if (command.resume)
        run::resume_simulation(command.config, command.compute.overrides, device, options);
    else
        run::run_simulation(run::load_config(command.config, command.compute.overrides), device, options);
    return 0;
}

}  // namespace aureole::cli

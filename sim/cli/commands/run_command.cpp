// `aureole run`: prints the log of the run, and turns signals into requests to it. On several ranks the first
// is the run, and the others serve it in silence.
#include <optional>

#include "sim/cli/commands.hpp"
#include "sim/cli/ranked_command.hpp"
#include "sim/cli/stop_signal.hpp"
#include "sim/cli/terminal_log.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/live/run_page.hpp"
#include "sim/run/control/run_control.hpp"
#include "sim/run/run.hpp"

namespace aureole::cli {
namespace {

/// `ranks` is null for one process.
void run_here(const RunCommand& command, run::RunRanks* ranks)
{
    run::RunOptions options;
    options.directory = command.directory;
    options.overwrite = command.overwrite;
    options.dry_run = command.dry_run;
    options.as_isolated = command.as_isolated;
    options.maker = maker(command.compute.command_line);
    options.ranks = ranks;
    if (!command.max_wall.empty()) options.wall_seconds = run::parse_wall_time(command.max_wall);

    TerminalLog terminal(command.quiet && !command.dry_run);
    std::optional<StopSignal> signals;  // until the run has started, a signal ends the program as usual
    options.callbacks.log = [&](run::LogLevel level, const std::string& line) { terminal.say(line, level); };
    if (ranks) {
        terminal.say(ranks->description);
        for (const std::string& note : ranks->notes) terminal.say(note);
        for (const std::string& warning : ranks->warnings) terminal.say(warning, run::LogLevel::warning);
    }
    options.callbacks.step = [&](const run::RunProgress& progress) { terminal.show(progress); };
    options.callbacks.started = [&](const std::filesystem::path&) {
        signals.emplace();
        terminal.start_clock();
    };
    options.callbacks.stop_reason = [&] { return signals ? signals->name() : std::string(); };
    options.callbacks.dump_requested = [&] { return signals && signals->take_dump(); };

    std::optional<live::RunPage> page;
    if (command.serve && !command.dry_run) {
        page.emplace(command.listen, version_brief());
        print_text(page->server().announcement());
        page->attach(options.callbacks);
    }

    const run::DeviceChoice device = ranks ? ranks->device : run::choose_device(command.compute.device);
    if (command.resume)
        run::resume_simulation(command.config, command.compute.overrides, device, options);
    else
        run::run_simulation(run::load_config(command.config, command.compute.overrides), device, options);
}

}  // namespace

int run_command(const RunCommand& command)
{
    std::unique_ptr<comm::Communicator> ranks = comm::open_ranks();
    const auto plan = [&](run::RunRanks& all) {
        if (command.dry_run) all.memory = run::memory_of_ranks(all.all, all.device);
    };
    if (ranks->size() > 1)
        return work_on_ranks(std::move(ranks), command.compute.command_line, "run", command.compute.device,
                             {[&](run::RunRanks& all) {
                                  plan(all);
                                  run_here(command, &all);
                              },
                              [&](run::RunRanks& all) {
                                  plan(all);
                                  run::serve_run(all);
                              },
                              run::end_serving});
    run_here(command, nullptr);
    return 0;
}

}  // namespace aureole::cli

// `aureole run`: prints the log of the run, and turns signals into requests to it. On several ranks the first
// is the run, and the others serve it in silence.
#include <csignal>
#include <exception>
#include <optional>

#include "sim/cli/commands.hpp"
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

/// Requests to the run reach rank 0, and the end of the job all others by themselves: a launcher passes
/// signals on to every rank.
void ignore_signals()
{
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
}

/// What the ranks of one run have in common: the program and all that it was asked for, but not the path by
/// which a host finds it.
std::string asked_for(const RunCommand& command)
{
    const std::string& line = command.compute.command_line;
    const std::size_t arguments = line.find(" run");
    return version_brief() + (arguments == std::string::npos ? "" : line.substr(arguments));
}

int run_on(std::unique_ptr<comm::Communicator> ranks, const RunCommand& command)
{
    const bool serves = ranks->rank() > 0;
    if (serves) ignore_signals();
    std::exception_ptr failure;
    std::optional<run::RunRanks> all;  // its end is one of all ranks, too
    try {
        all.emplace(run::settle_ranks(*ranks, asked_for(command), command.compute.device));
        if (serves)
            run::serve_run(*all);
        else
            run_here(command, &*all);
    } catch (...) {
        failure = std::current_exception();
    }
    if (all && !serves) run::end_serving(*ranks);
    all.reset();
    ranks.reset();  // all ranks come here; what went wrong is printed behind it, once
    if (!failure) return 0;
    if (serves) return 1;
    std::rethrow_exception(failure);
}

}  // namespace

int run_command(const RunCommand& command)
{
    std::unique_ptr<comm::Communicator> ranks = comm::open_ranks();
    if (ranks->size() > 1) return run_on(std::move(ranks), command);
    run_here(command, nullptr);
    return 0;
}

}  // namespace aureole::cli

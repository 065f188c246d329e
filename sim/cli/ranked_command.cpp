#include "sim/cli/ranked_command.hpp"

#include <csignal>
#include <exception>
#include <optional>

#include "sim/cli/version_text.hpp"

namespace aureole::cli {
namespace {

/// Requests to the command reach rank 0, and the end of the job all others by themselves: a launcher passes
/// signals on to every rank.
void ignore_signals()
{
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
}

/// What the ranks of one command have in common: the program and all that it was asked for, but not the path
/// by which a host finds it.
std::string asked_for(const std::string& command_line, const std::string& name)
{
    const std::size_t arguments = command_line.find(" " + name);
    return version_brief() + (arguments == std::string::npos ? "" : command_line.substr(arguments));
}

}  // namespace

int work_on_ranks(std::unique_ptr<comm::Communicator> ranks, const std::string& command_line,
                  const std::string& name, const std::string& device, const RankedWork& work)
{
    const bool serves = ranks->rank() > 0;
    if (serves) ignore_signals();
    std::exception_ptr failure;
    std::optional<run::RunRanks> all;  // its end is one of all ranks, too
    try {
        all.emplace(run::settle_ranks(*ranks, asked_for(command_line, name), device));
        if (serves)
            work.others(*all);
        else
            work.first(*all);
    } catch (...) {
        failure = std::current_exception();
    }
    if (all && !serves) work.end(*ranks);
    all.reset();
    ranks.reset();  // all ranks come here; what went wrong is printed behind it, once
    if (!failure) return 0;
    if (serves) return 1;
    std::rethrow_exception(failure);
}

}  // namespace aureole::cli

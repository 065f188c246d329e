#include "sim/cli/stop_signal.hpp"

#include <atomic>
#include <csignal>
#include <limits>

#include "sim/run/timers.hpp"

namespace aureole::cli {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// Atomic, not sig_atomic_t: the system gives a signal to any thread of the process, a parallel loop's or the
// background writer's too, and one that comes between a look and its clearing must not be lost.
std::atomic<int> stop_raised = 0;  // the signal's number
std::atomic<bool> dump_raised = false;
std::atomic<double> ending_since = never;  // seconds of the first SIGINT or SIGTERM
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
                  std::atomic<double>::is_always_lock_free,
              "a signal handler may take no lock");

extern "C" void note_stop(int signal)
{
    stop_raised = signal;
    if (signal == SIGUSR1) return;
    const double now = run::steady_seconds();
    double since = never;
    if (ending_since.compare_exchange_strong(since, now)) return;
    if (now - since < StopSignal::one_request) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // held back until this function returns
}

extern "C" void note_dump(int) { dump_raised = true; }

}  // namespace

StopSignal::StopSignal(bool dumps)
{
    stop_raised = 0;
    dump_raised = false;
    ending_since = never;
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) take(signal, note_stop);
    if (dumps) take(SIGHUP, note_dump);
    take(SIGPIPE, SIG_IGN);
}

StopSignal::~StopSignal()
{
    for (const auto& [signal, action] : before_) ::sigaction(signal, &action, nullptr);
}

/// System calls continue when the handler returns (SA_RESTART): a signal must not make a write fail.
void StopSignal::take(int signal, void (*handler)(int))
{
    struct sigaction action {
    }, before{};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) return;
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    for (const int other : {SIGINT, SIGTERM, SIGUSR1}) ::sigaddset(&action.sa_mask, other);
    ::sigaction(signal, &action, nullptr);
    before_.emplace_back(signal, before);
}

std::string StopSignal::name() const
{
    switch (stop_raised) {
        case 0:
            return "";
        case SIGINT:
            return "SIGINT";
        case SIGTERM:
            return "SIGTERM";
        default:
            return "SIGUSR1";
    }
}

bool StopSignal::take_dump() noexcept { return dump_raised.exchange(false); }

}  // namespace aureole::cli

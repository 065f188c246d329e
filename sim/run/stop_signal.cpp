#include "sim/run/stop_signal.hpp"

#include <atomic>
#include <csignal>

namespace aureole::run {
namespace {

// Atomic, not sig_atomic_t: the system gives a signal to any thread of the process, a parallel loop's or the
// background writer's too, and one that comes between a look and its clearing must not be lost.
std::atomic<int> stop_raised = 0;  // the signal's number
std::atomic<bool> dump_raised = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler may take no lock");

extern "C" void note_stop(int signal)
{
    stop_raised = signal;
    if (signal == SIGUSR1) return;
    for (const int next : {SIGINT, SIGTERM}) std::signal(next, SIG_DFL);
}

extern "C" void note_dump(int) { dump_raised = true; }

void set_all(void (*stop)(int), void (*dump)(int), void (*unread)(int))
{
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, stop);
    std::signal(SIGHUP, dump);
    std::signal(SIGPIPE, unread);
}

}  // namespace

StopSignal::StopSignal()
{
    stop_raised = 0;
    dump_raised = false;
    set_all(note_stop, note_dump, SIG_IGN);
}

StopSignal::~StopSignal() { set_all(SIG_DFL, SIG_DFL, SIG_DFL); }

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

}  // namespace aureole::run

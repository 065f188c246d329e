#include "sim/run/stop_signal.hpp"

#include <csignal>

namespace aureole::run {
namespace {

volatile std::sig_atomic_t stop_raised = 0;  // the signal's number
volatile std::sig_atomic_t dump_raised = 0;

extern "C" void note_stop(int signal)
{
    stop_raised = signal;
    if (signal == SIGUSR1) return;
    for (const int next : {SIGINT, SIGTERM}) std::signal(next, SIG_DFL);
}

extern "C" void note_dump(int) { dump_raised = 1; }

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
    dump_raised = 0;
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

bool StopSignal::take_dump() noexcept
{
    const bool asked = dump_raised != 0;
    dump_raised = 0;
    return asked;
}

}  // namespace aureole::run

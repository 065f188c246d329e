#include "sim/run/stop_signal.hpp"

#include <csignal>

namespace aureole::run {
namespace {

volatile std::sig_atomic_t stop_raised = 0;

extern "C" void note_stop(int signal)
{
    stop_raised = 1;
    std::signal(signal, SIG_DFL);
}

}  // namespace

StopSignal::StopSignal()
{
    stop_raised = 0;
    std::signal(SIGINT, note_stop);
    std::signal(SIGTERM, note_stop);
}

StopSignal::~StopSignal()
{
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

bool StopSignal::raised() const noexcept { return stop_raised != 0; }

}  // namespace aureole::run

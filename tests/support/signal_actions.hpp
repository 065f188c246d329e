// What a process does with the signals that a run looks at, for a while.
#pragma once

#include <signal.h>

#include <array>
#include <utility>

namespace aureole::test {

inline constexpr std::array asking_signals{SIGINT, SIGTERM, SIGUSR1, SIGHUP};

inline auto action_of(int signal)
{
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    return action.sa_handler;
}

/// Sets them all, and SIGPIPE; puts back what was there.
class SignalActions {
public:
    explicit SignalActions(void (*handler)(int))
    {
        for (std::size_t k = 0; k < asking_signals.size(); ++k)
            before_[k] = ::signal(asking_signals[k], handler);
        before_pipe_ = ::signal(SIGPIPE, handler);
    }
    ~SignalActions()
    {
        for (std::size_t k = 0; k < asking_signals.size(); ++k) ::signal(asking_signals[k], before_[k]);
        ::signal(SIGPIPE, before_pipe_);
    }
    SignalActions(const SignalActions&) = delete;
    SignalActions& operator=(const SignalActions&) = delete;

private:
    std::array<void (*)(int), asking_signals.size()> before_{};
    void (*before_pipe_)(int) = SIG_DFL;
};

}  // namespace aureole::test

// Signals that ask a run for something: to end after the step in hand, or for a snapshot.
#pragma once

#include <signal.h>

#include <string>
#include <utility>
#include <vector>

namespace aureole::run {

/// While it lives SIGINT (Ctrl-C), SIGTERM and SIGUSR1 (a queue's warning) set a flag; once a SIGINT or
/// SIGTERM has come, another of either ends the program at once, unless it comes within one_request seconds:
/// timeout(1), and shells that pass on what the terminal has sent to all, give the same request twice. SIGHUP
/// asks for a snapshot, as often as it comes. SIGPIPE does nothing: Ctrl-C also ends the `tee` that a log
/// goes through, and the checkpoint comes after it.
///
/// A signal that was ignored before stays ignored: nohup ignores SIGHUP, and shells without job control
/// ignore SIGINT for what they start with `&`. The destructor puts back what was there before.
class StopSignal {
public:
    static constexpr double one_request = 0.25;

    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    /// The signal that asked to stop, "SIGINT"; empty while there was none.
    std::string name() const;

    /// Whether a snapshot was asked for since the last call.
    bool take_dump() noexcept;

private:
    void take(int signal, void (*handler)(int));

    std::vector<std::pair<int, struct sigaction>> before_;  ///< of those taken
};

}  // namespace aureole::run

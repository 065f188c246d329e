// Signals that ask a run for something: to end after the step in hand, or for a snapshot.
#pragma once

#include <string>

namespace aureole::run {

/// While it lives SIGINT (Ctrl-C), SIGTERM and SIGUSR1 (a queue's warning) set a flag; after a
/// SIGINT or SIGTERM the next of either ends the program at once. SIGHUP asks for a snapshot, as often as it
/// comes. SIGPIPE does nothing: Ctrl-C also ends the `tee` that a log goes through, and the checkpoint comes
/// after it.
class StopSignal {
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    /// The signal that asked to stop, "SIGINT"; empty while there was none.
    std::string name() const;

    /// Whether a snapshot was asked for since the last call.
    bool take_dump() noexcept;
};

}  // namespace aureole::run

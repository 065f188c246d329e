// Ctrl-C and SIGTERM ask a run to end after the step in hand.
#pragma once

namespace aureole::run {

/// While it lives the first signal sets a flag; a second one ends the program at once.
class StopSignal {
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    bool raised() const noexcept;
};

}  // namespace aureole::run

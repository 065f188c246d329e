// Signals as requests to a run: to end after the current step, or to write a snapshot.
#pragma once

#include <signal.h>

#include <string>
#include <utility>
#include <vector>

namespace aureole::cli {

/// While an object lives, SIGINT (Ctrl-C), SIGTERM and SIGUSR1 (sent by a queue as a warning) set a flag.
/// After a first SIGINT or SIGTERM, another one of either ends the program at once, unless it comes within
/// one_request seconds: timeout(1), and shells that pass on what the terminal has sent to all, send the same
/// request twice. SIGHUP asks for a snapshot, as often as it comes. SIGPIPE is ignored: Ctrl-C also ends the
/// `tee` that a log goes through, and the checkpoint comes after that.
///
/// A signal that was ignored before stays ignored: nohup ignores SIGHUP, and shells without job control
/// ignore SIGINT for what they start with `&`. The destructor restores the earlier actions.
class StopSignal {
public:
    static constexpr double one_request = 0.25;

    /// Without `dumps` SIGHUP is left as it is, for work that has no snapshot to write.
    explicit StopSignal(bool dumps = true);
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    /// The signal that requested a stop, as "SIGINT"; empty while there was none.
    std::string name() const;

    /// For Progress::stop.
    bool requested() const { return !name().empty(); }

    /// Whether a snapshot was requested since the last call.
    bool take_dump() noexcept;

private:
    void take(int signal, void (*handler)(int));

    std::vector<std::pair<int, struct sigaction>> before_;  ///< of those taken
};

}  // namespace aureole::cli

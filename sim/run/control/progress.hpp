// What a run says while it runs: one renewed line on a terminal, a plain line every few seconds elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace aureole::run {

struct ProgressState {
    std::uint64_t step = 0, first_step = 0;   ///< steps done; those done by an earlier program
    double fraction = 0, first_fraction = 0;  ///< of the run's time that is done; by an earlier program
    double energy_error = 0;                  ///< at the last diagnostics
    std::string time;                         ///< with unit
};

class Progress {
public:
    explicit Progress(bool quiet);

    /// A line that stays.
    void say(const std::string& line);

    /// Shows `state` when the last showing is long enough ago.
    void show(const ProgressState& state);

    /// The same for work of one kind, as "density".
    void show(const std::string& what, double fraction);

    /// Ends the renewed line.
    void finish();

private:
    using Clock = std::chrono::steady_clock;

    bool due();
    double elapsed() const;
    std::string time_left(double fraction, double first = 0) const;
    void renew(const std::string& line);

    bool quiet_, terminal_, line_open_ = false;
    Clock::time_point start_, last_;
};

}  // namespace aureole::run

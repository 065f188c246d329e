// When something is written: at start + k every, k = 0, 1, ...
#pragma once

#include <limits>

namespace aureole::run {

/// Fixed steps write on the first step at or after each of these times, adaptive steps are shortened to land
/// on them. A skipped time (a step longer than `every`) is not made up for.
class OutputInterval {
public:
    OutputInterval() = default;  ///< never
    /// `every` 0 means never.
    OutputInterval(double start, double every) : start_(start), every_(every) {}

    bool ever() const { return every_ > 0; }

    /// The first output time later than the last one passed; infinite when there is none.
    double next() const;

    /// Whether an output is due at `time`; a ten-millionth of `every` early still counts, for rounding.
    bool due(double time) const;

    /// Takes note that the outputs up to `time` are done.
    void pass(double time);

    /// What it keeps; restored into a schedule with the same times.
    struct State {
        double start = 0, every = 0, passed = 0;
    };
    State state() const { return {start_, every_, passed_}; }

    /// Goes on from `state`, or where the times are others now, as after pass(time).
    void restore(const State& state, double time);

private:
    double start_ = 0, every_ = 0;
    double passed_ = 0;  ///< how many output times are done
};

}  // namespace aureole::run

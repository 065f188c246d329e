// When each output of a run is written: the rules that the loop and the estimate before a run share.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/config/config.hpp"

namespace aureole::run {

/// The times of one kind of output: start + k every, for k = 0, 1, ..., or those of a list. Fixed steps write
/// at the first step at or after each time, adaptive steps are shortened to end at it. A time that is
/// skipped, because one step passed several, is not made up for.
class OutputTimes {
public:
    OutputTimes() = default;  ///< never
    /// `every` 0 means never.
    OutputTimes(double start, double every) : start_(start), every_(every) {}
    /// In internal units, for a run from `start` on.
    OutputTimes(double start, const OutputTimesConfig& config)
        : start_(start), every_(config.every), list_(config.times)
    {
    }

    bool ever() const { return every_ > 0 || !list_.empty(); }
    bool listed() const { return !list_.empty(); }

    /// The first output time later than the last one passed; infinite when there is none.
    double next() const;

    /// Whether an output is due at `time`; slightly early still counts, for rounding: a ten-millionth of
    /// `every`, or 1e-12 of the time.
    bool due(double time) const;

    /// Marks the outputs up to `time` as done.
    void pass(double time);

    /// The state that a checkpoint holds.
    struct State {
        double start = 0, every = 0, passed = 0;
    };
    State state() const { return {start_, every_, passed_}; }

    /// Continues from `state`; where the configuration has other times now, and of a list, which needs no
    /// state, begins as after pass(time).
    void restore(const State& state, double time);

private:
    double tolerance(double next) const;

    double start_ = 0, every_ = 0;
    double passed_ = 0;  ///< how many output times are done
    std::vector<double> list_;
};

/// Which outputs are due at one time.
struct DueOutputs {
    bool snapshot = false, halos = false, picture = false, coefficients = false;
    bool record = false;  ///< a row of the logs
    bool power = false;   ///< a spectrum
    bool density = false;
    bool disks = false;  ///< tables of a disk

    bool numbered() const
    {
        return snapshot || halos || picture || power || density || disks;
    }  ///< files that carry a number
    bool any() const { return numbered() || coefficients || record; }
};

/// "snapshot, halos, record": those that are due; empty without any.
std::string names_of(const DueOutputs& due);

/// Whether a run of that configuration writes checkpoints of its own accord.
bool any_checkpoints(const OutputConfig& output);

/// The times of all outputs of a run.
class OutputSchedule {
public:
    /// `internal` in internal units, for a run from `start` to its end time.
    OutputSchedule(const Config& internal, double start);

    /// The outputs that are due at `time`; at an edge, the first or the last state, all that the run writes
    /// at intervals. Without checkpoints the last state has a snapshot in any case: nothing else would hold
    /// it.
    DueOutputs due(double time, bool edge) const;

    /// Those of `outputs` that the configuration still has, at any time: it may have changed since they were
    /// due. A snapshot stays due, and comes to a catalogue that has one by now.
    DueOutputs still_due(DueOutputs outputs) const;

    /// Whether an output or a row of the logs is due at `time`.
    bool any_due(double time) const { return time >= end_ || due(time, false).any(); }

    /// The next time, later than `time`, that adaptive steps must not pass.
    double next_time(double time) const;

    /// The end of the step from the scale factor `a` on, in a comoving run: what lies between two outputs
    /// apart from rows of the logs is divided evenly in ln a, into steps of at most `longest`.
    double end_of_even_step(double a, double longest) const;

    /// The end of the fixed step `number` (counted from 1) of length `dt`: counted from the start, so that
    /// rounding does not add up; the last one ends the run.
    double end_of_step(std::uint64_t number, double dt) const;

    /// The end of the fixed step from `time` on: the same numbers, and where `time` is between two of them,
    /// as after an end that was moved, the next one.
    double end_of_step_from(double time, double dt) const;

    /// Marks the outputs up to `time` as done.
    void pass(double time);

    /// The state for a checkpoint, and its restoration at `time`. Intervals that the configuration has
    /// changed begin anew. Spectra, densities and tables of disks have no state: what is done of them follows
    /// from the time.
    using State = std::array<OutputTimes::State, 5>;
    State state() const;
    void restore(const State& state, double time);

private:
    std::array<OutputTimes*, 8> all()
    {
        return {&snapshots_, &halos_, &pictures_, &coefficients_, &records_, &power_, &density_, &disks_};
    }
    std::array<const OutputTimes*, 8> all() const
    {
        return {&snapshots_, &halos_, &pictures_, &coefficients_, &records_, &power_, &density_, &disks_};
    }

    double start_, end_;
    bool halo_snapshots_, any_checkpoints_;
    OutputTimes snapshots_, halos_, pictures_, coefficients_, records_, power_, density_, disks_;
};

}  // namespace aureole::run

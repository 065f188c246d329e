#include "sim/run/outputs/output_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace aureole::run {
namespace {

/// Two times closer than this part of a step or interval are one.
constexpr double rounding = 1e-7;

constexpr double early = 1e-7;  ///< of the interval: an output is due this much before its time

}  // namespace

double OutputInterval::next() const
{
    if (every_ <= 0) return std::numeric_limits<double>::infinity();
    return start_ + passed_ * every_;
}

bool OutputInterval::due(double time) const { return time >= next() - early * every_; }

void OutputInterval::pass(double time)
{
    if (!due(time)) return;
    passed_ = std::floor((time - start_) / every_ + early) + 1;
}

void OutputInterval::restore(const State& state, double time)
{
    if (state.start == start_ && state.every == every_)
        passed_ = state.passed;
    else
        pass(time);
}

OutputSchedule::OutputSchedule(const Config& internal, double start)
    : start_(start),
      end_(internal.end_time),
      halos_at_all_(internal.output.halos_every > 0),
      pictures_at_all_(internal.output.pictures_every > 0),
      coefficients_at_all_(internal.output.coefficients_every > 0),
      snapshots_(start, internal.output.snapshots_every),
      halos_(start, internal.output.halos_every),
      pictures_(start, internal.output.pictures_every),
      coefficients_(start, internal.output.coefficients_every),
      records_(start, internal.output.diagnostics_every.value_or((internal.end_time - start) / 100))
{
}

DueOutputs OutputSchedule::due(double time, bool edge) const
{
    if (edge) return {true, halos_at_all_, pictures_at_all_, coefficients_at_all_};
    return {snapshots_.due(time), halos_.due(time), pictures_.due(time), coefficients_.due(time)};
}

double OutputSchedule::next_time(double time) const
{
    double next = end_;
    for (const OutputInterval* interval : {&snapshots_, &halos_, &pictures_, &coefficients_, &records_})
        if (interval->next() > time) next = std::min(next, interval->next());
    return next > end_ - rounding * (end_ - time) ? end_ : next;
}

double OutputSchedule::end_of_step(std::uint64_t number, double dt) const
{
    const double end = start_ + static_cast<double>(number) * dt;
    return end > end_ - rounding * dt ? end_ : end;
}

double OutputSchedule::end_of_step_from(double time, double dt) const
{
    auto done = static_cast<std::uint64_t>(std::max(0.0, (time - start_) / dt + rounding));
    while (end_of_step(done + 1, dt) <= time && time < end_) ++done;
    return end_of_step(done + 1, dt);
}

void OutputSchedule::pass(double time)
{
    for (OutputInterval* interval : {&snapshots_, &halos_, &pictures_, &coefficients_, &records_})
        interval->pass(time);
}

OutputSchedule::State OutputSchedule::state() const
{
    return {snapshots_.state(), halos_.state(), pictures_.state(), coefficients_.state(), records_.state()};
}

void OutputSchedule::restore(const State& state, double time)
{
    std::size_t k = 0;
    for (OutputInterval* interval : {&snapshots_, &halos_, &pictures_, &coefficients_, &records_})
        interval->restore(state[k++], time);
}

}  // namespace aureole::run

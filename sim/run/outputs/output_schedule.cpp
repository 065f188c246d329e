#include "sim/run/outputs/output_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace aureole::run {
namespace {

/// Two times closer than this part of a step or interval are one.
constexpr double rounding = 1e-7;

constexpr double early = 1e-7;  ///< of the interval: an output is due this much before its time

constexpr double early_in_list = 1e-12;  ///< of the time, which conversions of units have rounded

/// Whether an output is due at a `time`, the first or the last one when it is an edge: at intervals it is due
/// at both.
bool due_at(const OutputTimes& times, double time, bool edge)
{
    return edge && times.ever() && !times.listed() ? true : times.due(time);
}

OutputTimes record_times(const Config& internal, double start)
{
    const OutputConfig& output = internal.output;
    if (!output.diagnostics_times.empty()) return {start, OutputTimesConfig{0, output.diagnostics_times}};
    return {start, output.diagnostics_every.value_or((internal.end_time - start) / 100)};
}

}  // namespace

double OutputTimes::next() const
{
    if (!list_.empty() && passed_ < static_cast<double>(list_.size()))
        return list_[static_cast<std::size_t>(passed_)];
    if (every_ <= 0) return std::numeric_limits<double>::infinity();
    return start_ + passed_ * every_;
}

double OutputTimes::tolerance(double next) const
{
    if (listed()) return early_in_list * std::max(std::abs(start_), std::abs(next));
    return early * every_;
}

bool OutputTimes::due(double time) const
{
    const double time_to_come = next();
    return std::isfinite(time_to_come) && time >= time_to_come - tolerance(time_to_come);
}

void OutputTimes::pass(double time)
{
    if (!listed()) {
        if (due(time)) passed_ = std::floor((time - start_) / every_ + early) + 1;
        return;
    }
    while (due(time)) ++passed_;
}

void OutputTimes::restore(const State& state, double time)
{
    if (!listed() && state.start == start_ && state.every == every_)
        passed_ = state.passed;
    else
        pass(time);
}

std::string names_of(const DueOutputs& due)
{
    std::string names;
    const auto add = [&](bool is_due, const char* name) {
        if (is_due) names += (names.empty() ? "" : ", ") + std::string(name);
    };
    add(due.snapshot, "snapshot");
    add(due.halos, "halos");
    add(due.power, "power spectrum");
    add(due.density, "density");
    add(due.disks, "tables of a disk");
    add(due.picture, "picture");
    add(due.coefficients, "coefficients");
    add(due.record, "record");
    return names;
}

bool any_checkpoints(const OutputConfig& output)
{
    return output.checkpoints.any() || output.checkpoint_steps > 0 || output.checkpoint_minutes > 0;
}

OutputSchedule::OutputSchedule(const Config& internal, double start)
    : start_(start),
      end_(internal.end_time),
      halo_snapshots_(internal.output.halo_snapshots),
      any_checkpoints_(any_checkpoints(internal.output)),
      snapshots_(start, internal.output.snapshots),
      halos_(start, internal.output.halos),
      pictures_(start, internal.output.pictures),
      coefficients_(start, internal.output.coefficients),
      records_(record_times(internal, start)),
      power_(start, internal.output.power),
      density_(start, internal.output.density),
      disks_(start, internal.output.disks)
{
}

DueOutputs OutputSchedule::due(double time, bool edge) const
{
    DueOutputs due;
    due.halos = due_at(halos_, time, edge);
    due.power = due_at(power_, time, edge);
    due.density = due_at(density_, time, edge);
    due.disks = due_at(disks_, time, edge);
    due.picture = due_at(pictures_, time, edge);
    due.coefficients = due_at(coefficients_, time, edge);
    const bool wanted_at_edge = !snapshots_.listed() || (time >= end_ && !any_checkpoints_);
    due.snapshot = (edge && wanted_at_edge) || snapshots_.due(time) || (due.halos && halo_snapshots_);
    due.record = edge || records_.due(time);
    return due;
}

DueOutputs OutputSchedule::still_due(DueOutputs outputs) const
{
    outputs.halos = outputs.halos && halos_.ever();
    outputs.power = outputs.power && power_.ever();
    outputs.density = outputs.density && density_.ever();
    outputs.disks = outputs.disks && disks_.ever();
    outputs.picture = outputs.picture && pictures_.ever();
    outputs.coefficients = outputs.coefficients && coefficients_.ever();
    outputs.snapshot = outputs.snapshot || (outputs.halos && halo_snapshots_);
    return outputs;
}

double OutputSchedule::next_time(double time) const
{
    double next = end_;
    for (const OutputTimes* times : all())
        if (times->next() > time) next = std::min(next, times->next());
    return next > end_ - rounding * (end_ - time) ? end_ : next;
}

double OutputSchedule::end_of_even_step(double a, double longest) const
{
    double next = end_;
    for (const OutputTimes* times : all())
        if (times != &records_ && times->next() > a) next = std::min(next, times->next());
    const double left = std::log(next / a);
    const double n = std::ceil(left / longest * (1 - rounding));
    return n > 1 ? a * std::exp(left / n) : next;
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
    for (OutputTimes* times : all()) times->pass(time);
}

OutputSchedule::State OutputSchedule::state() const
{
    return {snapshots_.state(), halos_.state(), pictures_.state(), coefficients_.state(), records_.state()};
}

void OutputSchedule::restore(const State& state, double time)
{
    for (std::size_t k = 0; k < state.size(); ++k) all()[k]->restore(state[k], time);
    power_.pass(time);
    density_.pass(time);
    disks_.pass(time);
}

}  // namespace aureole::run

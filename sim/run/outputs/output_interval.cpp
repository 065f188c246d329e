#include "sim/run/outputs/output_interval.hpp"

#include <cmath>

namespace aureole::run {
namespace {

constexpr double early = 1e-7;  // of the interval

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

}  // namespace aureole::run

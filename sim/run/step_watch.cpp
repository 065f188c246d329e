#include "sim/run/step_watch.hpp"

#include <algorithm>

namespace aureole::run {

void StepWatch::start(Exec exec, const ParticlesView& particles, const ParticleLimits& limits,
                      bool stands_still)
{
    constexpr std::uint64_t nothing_yet[2] = {nothing_beyond, nothing_beyond};
    exec_ = exec;
    limits_ = limits;
    first_ = Buffer<std::uint64_t>(exec.backend, std::span(nothing_yet));
    place_ = 0;
    has_stepped_ = postponed_ = false;
    two_places_ = stands_still;
    find_beyond_limits(exec, particles, limits, first_.data());
    if (!two_places_ || exec.backend == Backend::cpu) return;
    if (!told_) {
        told_.emplace(2);
        forces_done_.emplace();
        step_done_.emplace();
    }
    std::fill_n(told_->data(), 2, std::uint64_t{0});
}

LimitWatch StepWatch::begin_step()
{
    if (!two_places_) return {limits_, first_.data(), nullptr, nullptr};
    const std::uint64_t* const before = first_.data() + place_;
    place_ = 1 - place_;
    return {limits_, first_.data() + place_, before, told_ ? told_->data() + place_ : nullptr};
}

void StepWatch::end_forces()
{
    if (forces_done_) forces_done_->record(exec_.stream);
}

void StepWatch::end_step()
{
    has_stepped_ = true;
    if (step_done_) step_done_->record(exec_.stream);
}

void StepWatch::cancel_step()
{
    if (two_places_) place_ = 1 - place_;
}

bool StepWatch::within_limits(Timers& timers)
{
    postponed_ = false;
    if (first_.size() == 0) return true;
    if (exec_.backend == Backend::cpu) return first_.data()[place_] == nothing_beyond;
    if (two_places_ && has_stepped_) {
        const auto wait = [&timers](const device::Event& event, Phase phase) {
            const Timers::Scope scope(timers, phase);
            event.wait();
        };
        wait(*forces_done_, Phase::forces);
        wait(*step_done_, Phase::integration);
        return static_cast<const volatile std::uint64_t*>(told_->data())[place_] == 0;
    }
    std::uint64_t first = nothing_beyond;
    device::copy(&first, first_.data() + place_, sizeof first);
    return first == nothing_beyond;
}

void StepWatch::look(Timers& timers)
{
    if (!postponed_) return;
    place_ = 1 - place_;  // the step before the one that has begun
    const bool is_fine = within_limits(timers);
    place_ = 1 - place_;
    if (!is_fine) throw UnphysicalState();
}

}  // namespace aureole::run

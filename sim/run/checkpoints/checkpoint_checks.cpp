// Whether what a checkpoint holds can be the state of a run; no state that a run writes is refused.

#include <algorithm>
#include <cmath>

#include "sim/run/checkpoints/checkpoint_state.hpp"

namespace aureole::run {
namespace {

/// Expectations of the contents of one file. Throws IoError naming the file where they do not hold.
class Expectations {
public:
    explicit Expectations(const std::string& name) : name_(name) {}

    template <class... Values>
    void expect(bool good, fmt::format_string<Values...> text, Values&&... values) const
    {
        if (!good)
            throw IoError(
                fmt::format("{}: holds {}", name_, fmt::format(text, std::forward<Values>(values)...)));
    }
    void expect_finite(double value, const char* what) const
    {
        expect(std::isfinite(value), "{} = {}, expected a finite number", what, value);
    }

private:
    const std::string& name_;
};

void expect_finite(const Expectations& file, std::span<const double> values, const char* what)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        file.expect(std::isfinite(values[i]), "particle {} with {} = {}, expected a finite number", i, what,
                    values[i]);
}

void check_particles(const Expectations& file, const Particles& p)
{
    expect_finite(file, p.mass.host(), "mass");
    for (std::size_t i = 0; i < p.size(); ++i) {
        file.expect(p.mass.host()[i] >= 0, "particle {} with mass {}, expected at least 0", i,
                    p.mass.host()[i]);
        file.expect(p.type.host()[i] < n_particle_types, "particle {} of type {}, expected 0 to {}", i,
                    p.type.host()[i], n_particle_types - 1);
    }
    const std::pair<const Vec3Buffer*, const char*> vectors[] = {
        {&p.position, "position"}, {&p.velocity, "velocity"}, {&p.acceleration, "acceleration"}};
    for (const auto& [vector, what] : vectors)
        for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
            expect_finite(file, (vector->*axis).host(), what);
}

void check_series(const Expectations& file, const gravity::scf::CoefficientSeries& series)
{
    using gravity::scf::Family, gravity::scf::largest_l, gravity::scf::largest_n;
    const gravity::scf::Basis& basis = series.basis;
    file.expect(basis.family == Family::hernquist_ostriker || basis.family == Family::clutton_brock,
                "a family of functions {}, expected 0 or 1", static_cast<int>(basis.family));
    file.expect(basis.n_max >= 0 && basis.n_max <= largest_n && basis.l_max >= 0 && basis.l_max <= largest_l,
                "coefficients with n_max = {}, l_max = {}, expected 0 to {} and 0 to {}", basis.n_max,
                basis.l_max, largest_n, largest_l);
    file.expect(basis.scale_radius > 0 && std::isfinite(basis.scale_radius), "a scale radius of {}",
                basis.scale_radius);
    for (const gravity::scf::Coefficients& moment : series.moments) {
        file.expect_finite(moment.time, "a time of coefficients");
        file.expect(std::isfinite(moment.centre.x + moment.centre.y + moment.centre.z),
                    "a centre of ({}, {}, {})", moment.centre.x, moment.centre.y, moment.centre.z);
        file.expect(moment.values.size() == basis.size(), "{} coefficients at one time, expected {}",
                    moment.values.size(), basis.size());
        file.expect(moment.variances.empty() || moment.variances.size() == basis.size(),
                    "{} variances at one time, expected {} or none", moment.variances.size(), basis.size());
        for (const auto* list : {&moment.values, &moment.variances})
            for (const double value : *list) file.expect_finite(value, "a coefficient or variance");
    }
}

void check_frame(const Expectations& file, const PictureFrame& frame)
{
    file.expect(frame.axis == 'x' || frame.axis == 'y' || frame.axis == 'z', "a line of sight along axis {}",
                static_cast<int>(frame.axis));
    file.expect(std::isfinite(frame.width) && frame.width >= 0 && std::isfinite(frame.configured_width),
                "a picture {} wide", frame.width);
    for (const auto& centre : {frame.centre, frame.configured_centre})
        if (centre)
            file.expect(std::isfinite(centre->x + centre->y + centre->z), "a picture about ({}, {}, {})",
                        centre->x, centre->y, centre->z);
    if (frame.range)
        file.expect(std::isfinite(frame.range->low) && std::isfinite(frame.range->high),
                    "a picture's densities from {} to {}", frame.range->low, frame.range->high);
    if (frame.velocities)
        file.expect(std::isfinite(frame.velocities->middle) && std::isfinite(frame.velocities->spread) &&
                        frame.velocities->spread > 0,
                    "a picture's velocities {} about {}", frame.velocities->spread, frame.velocities->middle);
}

void check_outputs(const Expectations& file, const OutputsState& outputs)
{
    for (const auto& [component, series] : outputs.coefficients) {
        file.expect(component >= 0, "coefficients of component {}", component);
        check_series(file, series);
    }
    for (const auto& frame : {outputs.frame, outputs.zoom})
        if (frame) check_frame(file, *frame);
}

/// Of one catalogue whose halos are followed.
void check_followed(const Expectations& file, const halo::HaloTracker::Past& past, std::size_t n_particles)
{
    const halo::Members& cores = past.cores;
    const std::size_t n = past.tracks.size();
    file.expect(past.number >= 0 && past.owner.size() == n_particles && past.goes_on.size() == n &&
                    cores.begin.size() == n + 1 && cores.begin.front() == 0 &&
                    cores.begin.back() == cores.particle.size() && std::ranges::is_sorted(cores.begin),
                "a catalogue of number {} with {} tracks and {} cores of halos", past.number, n,
                cores.size());
    for (const std::int32_t owner : past.owner)
        file.expect(owner >= -1 && owner < static_cast<std::int64_t>(n),
                    "a particle in halo {} of {} that are followed", owner, n);
    for (const Index particle : cores.particle)
        file.expect(particle < n_particles, "particle {} of {} in the core of a halo", particle, n_particles);
    for (std::size_t k = 0; k < n; ++k)
        file.expect(cores.begin[k] < cores.begin[k + 1], "a halo without a core, number {}", k);
    for (const halo::HaloTrack& track : past.tracks)
        file.expect(track.id >= 0 && std::isfinite(track.mass_history) && std::isfinite(track.peak_mass),
                    "a track of number {} and mass {}", track.id, track.peak_mass);
}

void check_state(const Expectations& file, const RunState& state)
{
    file.expect(state.backend == Backend::cpu || state.backend == Backend::cuda,
                "a backend of number {}, expected 0 or 1", static_cast<int>(state.backend));
    file.expect(state.units.nbody || state.units.system.usable(), "units of {} cm, {} g, {} cm/s",
                state.units.system.length_cm, state.units.system.mass_g,
                state.units.system.velocity_cm_per_s);
    file.expect_finite(state.start_time, "the time of the start");
    file.expect_finite(state.simulation.time, "the time");
    for (const double number : state.simulation.solver) file.expect(!std::isnan(number), "a solver's NaN");
    for (const double number : state.simulation.integrator)
        file.expect(!std::isnan(number), "an integrator's NaN");
    for (const OutputTimes::State& schedule : state.schedule)
        file.expect(std::isfinite(schedule.start) && schedule.every >= 0 && std::isfinite(schedule.passed),
                    "a schedule of outputs every {} from {} on, {} of them done", schedule.every,
                    schedule.start, schedule.passed);
    for (const auto& [log, bytes] : state.diagnostics.bytes)
        file.expect(is_log(log), "'{}', {} bytes long, among the logs, which no run writes",
                    log.substr(0, 100), bytes);
    file.expect(BarPhases::keeps(state.diagnostics.bar),
                "{} numbers of bar.csv, expected 0 or 10 finite ones", state.diagnostics.bar.size());
    for (const auto& [component, series] : state.coefficients) check_series(file, series);
    check_outputs(file, state.outputs);
    for (const halo::HaloTracker::Past& past : state.outputs.trees.past)
        check_followed(file, past, state.n_particles);
}

}  // namespace

void expect_usable(const Checkpoint& checkpoint, const std::string& name)
{
    const Expectations file(name);
    check_state(file, checkpoint.state);
    check_particles(file, checkpoint.particles);
}

}  // namespace aureole::run

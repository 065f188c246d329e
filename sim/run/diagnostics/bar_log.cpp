#include "sim/run/diagnostics/bar_log.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sim/analysis/disk_tables.hpp"
#include "sim/core/error.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::run {
namespace {

constexpr double half_turn = std::numbers::pi;  ///< by which the phase of m = 2 repeats
constexpr double steady = 0.9;                  ///< cosine of the largest jump of an axis
constexpr std::size_t kept_numbers = 10;

std::vector<std::string> columns()
{
    std::vector<std::string> names{"time", "particles"};
    for (const char* vector : {"", "velocity_", "axis_", "x_axis_"})
        for (const char* part : {"x", "y", "z"}) names.push_back(std::string(vector) + part);
    for (const char* name : {"a2_max",
                             "noise_amplitude",
                             "radius_of_maximum",
                             "status",
                             "bar_inner",
                             "bar_outer",
                             "bar_particles",
                             "amplitude",
                             "amplitude_error",
                             "phase",
                             "phase_error",
                             "pattern_speed",
                             "pattern_speed_error",
                             "phase_unwrapped",
                             "pattern_speed_by_difference",
                             "length_half",
                             "length_phase",
                             "length_axes",
                             "buckling",
                             "vertical_to_radial"})
        names.emplace_back(name);
    return names;
}

}  // namespace

BarPhases::Step BarPhases::add(const Record& record)
{
    if (std::isnan(record.phase)) {
        last_.reset();
        return {};
    }
    Step step{record.phase, not_measured};
    const bool goes_on = last_ && dot(last_->axis, record.axis) > steady &&
                         dot(last_->x_axis, record.x_axis) > steady && record.time > last_->time;
    if (goes_on) {
        const double elapsed = record.time - last_->time, mean = (last_->speed + record.speed) / 2;
        const double expected = std::isnan(mean) ? 0 : mean * elapsed;
        const double change = expected + std::remainder(record.phase - last_->phase - expected, half_turn);
        step = {unwrapped_ + change, change / elapsed};
    }
    unwrapped_ = step.unwrapped;
    last_ = record;
    return step;
}

std::vector<double> BarPhases::kept_state() const
{
    if (!last_) return {};
    const Record& r = *last_;
    return {r.time,   r.phase,    r.speed,    r.axis.x,   r.axis.y,
            r.axis.z, r.x_axis.x, r.x_axis.y, r.x_axis.z, unwrapped_};
}

bool BarPhases::keeps(std::span<const double> numbers)
{
    constexpr std::size_t speed = 2;  // which may be NaN
    if (numbers.size() != kept_numbers) return numbers.empty();
    for (std::size_t k = 0; k < kept_numbers; ++k)
        if (k != speed && !std::isfinite(numbers[k])) return false;
    return true;
}

void BarPhases::restore(std::span<const double> kept)
{
    if (!keeps(kept))
        throw IoError(fmt::format("the state of {} has {} numbers, expected {} finite ones", bar_log_name,
                                  kept.size(), kept_numbers));
    last_.reset();
    if (kept.empty()) return;
    last_ = Record{kept[0], kept[1], kept[2], {kept[3], kept[4], kept[5]}, {kept[6], kept[7], kept[8]}};
    unwrapped_ = kept[9];
}

BarLog::BarLog(const std::filesystem::path& directory, const RunUnits& units, const BarLogConfig& config,
               std::optional<std::uint64_t> keep, std::span<const double> earlier)
    : units_(units), config_(config), file_(directory / bar_log_name, columns(), keep)
{
    phases_.restore(earlier);
}

memory::Part BarLog::memory(Backend where, std::size_t n)
{
    return {.what = "bar.csv", .knob = "output.bar.components", .passing = disk_bar_bytes(where, n)};
}

void BarLog::measure(Simulation& simulation)
{
    DiskMembers members;
    for (const int component : config_.components)
        members.components.push_back(static_cast<Component>(component));
    time_ = simulation.time();
    try {
        DiskMeasurement disk(simulation.exec(), simulation.view(), members,
                             {.scale_radius = config_.scale_radius.value_or(0)});
        frame_ = disk.frame();
        bar_ = disk.bar({.particles = config_.least_particles});
    } catch (const ArgumentError&) {  // there is no disk
        throw ConfigError(fmt::format(
            "output.bar.components: the particles of [{}] have no mass, expected some of [{}]",
            io::list_text(config_.components, ", "), io::list_text(simulation.components(), ", ")));
    }
}

void BarLog::add()
{
    const double v = units_.from_internal(Quantity::velocity);
    const Pattern& p = bar_.pattern;
    const BarPhases::Step step = phases_.add({time_, p.phase, p.speed, frame_.axis, frame_.x_axis});
    std::vector<double> row{time_ * units_.from_internal(Quantity::time),
                            static_cast<double>(bar_.particles)};
    for (const Vec3& x : {frame_.centre, v * frame_.velocity, frame_.axis, frame_.x_axis})
        row.insert(row.end(), {x.x, x.y, x.z});
    row.insert(row.end(), {bar_.a2_max,
                           bar_.noise,
                           bar_.r_max,
                           static_cast<double>(bar_.status),
                           bar_.region.r0,
                           bar_.region.r1,
                           static_cast<double>(bar_.region.end - bar_.region.begin),
                           p.amplitude,
                           p.amplitude_error,
                           p.phase,
                           p.phase_error,
                           v * p.speed,
                           v * p.speed_error,
                           step.unwrapped,
                           v * step.speed,
                           bar_.length_half,
                           bar_.length_phase,
                           bar_.length_axes,
                           bar_.buckling,
                           bar_.flattening});
    file_.add(row);
}

}  // namespace aureole::run

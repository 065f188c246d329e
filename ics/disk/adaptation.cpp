#include "ics/disk/adaptation.hpp"

#include <cmath>
#include <numbers>

#include "ics/black_hole.hpp"
#include "ics/check_config.hpp"
#include "ics/disk/galactic_field.hpp"
#include "ics/sphere.hpp"

namespace aureole::ics {
namespace {

constexpr double swing_radius = 2.2;  ///< scale lengths, where a disk turns fastest

const DiskConfig* adapted_disk(const Component& component)
{
    if (component.model.name != "disk") return nullptr;
    const DiskConfig& disk = component.own.get<DiskConfig>();
    return disk.adapt ? &disk : nullptr;
}

void expect_equilibrium(const Config& config, std::size_t disk, std::size_t sphere)
{
    const Component& c = config.components[sphere];
    if (c.velocities == Velocities::equilibrium && potential_of(c) == Potential::total) return;
    refuse(place_of(config, disk),
           fmt::format("disk.adapt is true, but {} about the same centre is in no equilibrium with the disk: "
                       "expected velocities: equilibrium and potential: total there",
                       place_of(config, sphere)));
}

AdaptationTask task_of(const Config& config, std::size_t number, const std::vector<Slot>& slots)
{
    AdaptationTask task{};
    std::vector<std::size_t> members = companions(config, number);
    members.push_back(number);
    std::size_t heaviest = number;
    for (const std::size_t k : members) {
        const Component& c = config.components[k];
        if (make_model(c)->sphere()) {
            expect_equilibrium(config, number, k);
            task.spheres.push_back({k, slots[k]});
        } else if (c.model.name == "black_hole") {
            task.points.push_back({c.mass, *c.own.get<BlackHoleConfig>().softening});
        } else {
            task.disks.push_back(disk_profile(c));
            if (c.mass > config.components[heaviest].mass) heaviest = k;
        }
    }
    if (task.spheres.empty())
        refuse(place_of(config, number),
               "disk.adapt is true, but no sphere shares its centre: expected one, or no such key");
    task.tilt = config.components[number].own.get<DiskTilt>();
    task.scale_length = config.components[heaviest].own.get<DiskConfig>().scale_length;
    task.growth_periods = config.components[number].own.get<DiskConfig>().adapt_periods;
    const double radius = swing_radius * task.scale_length;
    const PlaneSample plane = GalacticField(config, heaviest, task.scale_length).in_plane(radius);
    task.period = 2 * std::numbers::pi * radius / std::sqrt(plane.speed2);
    return task;
}

}  // namespace

std::vector<AdaptationTask> adaptation_tasks(const Config& config, const std::vector<Slot>& slots)
{
    std::vector<AdaptationTask> tasks;
    std::vector<bool> done(config.components.size(), false);
    for (std::size_t k = 0; k < config.components.size(); ++k) {
        if (done[k] || !adapted_disk(config.components[k])) continue;
        tasks.push_back(task_of(config, k, slots));
        for (const std::size_t other : companions(config, k)) done[other] = true;
    }
    return tasks;
}

}  // namespace aureole::ics

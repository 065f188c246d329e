#include "halo/fof/curve_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/fof/fof_workspace.hpp"

namespace aureole::halo {
namespace {

/// Along a linking length, so that points of a cell are friends in six dimensions too, and leaves compact.
constexpr double cells_per_length = 4;

double longest_half(Vec3 low, Vec3 high)
{
    const Vec3 half = 0.5 * high - 0.5 * low;
    return std::max({half.x, half.y, half.z});
}

/// Levels at which only the wider three of the six coordinates tell cells apart.
void lead_curve(const FofWorkspace& workspace, CurveTask& task)
{
    const FofExtent& extent = workspace.extent();
    const double space = longest_half(extent.low, extent.high);
    const double velocity =
        length_per_velocity(workspace.config()) * longest_half(extent.low_velocity, extent.high_velocity);
    task.velocities_lead = velocity > space;
    double narrower = std::min(space, velocity);
    while (task.lead < key_bits && 2 * narrower < std::max(space, velocity)) {
        narrower *= 2;
        ++task.lead;
    }
}

/// Bits of a coordinate with which the cube's edge has at least `cells`, or as many as a key holds.
int curve_bits(const CurveTask& task, double cells)
{
    int bits = 1;
    while (std::ldexp(1.0, bits) < cells && task.holds(bits + 1)) ++bits;
    return bits;
}

}  // namespace

FofCurve::FofCurve(const FofWorkspace& workspace, Index n_linking)
    : cube_edge_(2 * workspace.longest_half()),
      linking_length_(workspace.config().linking_length),
      only_links_(n_linking == workspace.particles().n && workspace.config().min_friends <= 1)
{
    const double inverse = cube_edge_ > 0 ? 1 / cube_edge_ : 0;
    task_ = {workspace.particles(), workspace.config().box, workspace.extent().low, inverse,
             workspace.config().linking_types};
    if (in_phase_space(workspace.config())) {
        task_.low_velocity = workspace.extent().low_velocity;
        task_.inverse_velocity_side = length_per_velocity(workspace.config()) * inverse;
        lead_curve(workspace, task_);
    }
    task_.bits = curve_bits(task_, only_links_ ? cells_per_length * cube_edge_ / linking_length_
                                               : std::numeric_limits<double>::infinity());
}

int FofCurve::key_bits() const { return task_.key_bits(task_.bits) + 1; }

bool FofCurve::wants_finer_cells(int refinements) const
{
    const double width = std::ldexp(cube_edge_, -(task_.bits + refinements * task_.refined_bits()));
    return !(only_links_ && width * std::sqrt(task_.axes()) < linking_length_);
}

}  // namespace aureole::halo

#include "halo/ranks/ghosts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t least_in_run = 64, most_runs = 2048;
constexpr std::size_t few_runs = 32;  ///< that one thread looks at sooner than several begin

/// Around the points of a run.
struct RunBox {
    double low[3], high[3];

    static RunBox empty()
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
    }
    void add(const double (&l)[3], const double (&h)[3])
    {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], l[axis]);
            high[axis] = std::max(high[axis], h[axis]);
        }
    }
};

/// Points in runs of equal length.
struct Runs {
    std::size_t n, length;

    explicit Runs(std::size_t points) : n(points), length(std::max(least_in_run, points / most_runs + 1)) {}
    std::size_t size() const { return (n + length - 1) / length; }
    std::size_t begin(std::size_t run) const { return run * length; }
    std::size_t end(std::size_t run) const { return std::min(n, begin(run) + length); }
};

RunBox box_of_point(const PartPoints& points, std::size_t i)
{
    const double x[3] = {points.position[0][i], points.position[1][i], points.position[2][i]};
    return {{x[0], x[1], x[2]}, {x[0], x[1], x[2]}};
}

RunBox around(std::span<const RunBox> boxes)
{
    RunBox all = RunBox::empty();
    for (const RunBox& box : boxes) all.add(box.low, box.high);
    return all;
}

std::vector<RunBox> boxes_of_runs(const PartPoints& points)
{
    const Runs runs(points.size());
    std::vector<RunBox> boxes(runs.size(), RunBox::empty());
#pragma omp parallel for if (boxes.size() > few_runs)
    for (std::size_t run = 0; run < boxes.size(); ++run)
        for (std::size_t i = runs.begin(run); i < runs.end(run); ++i) {
            const RunBox point = box_of_point(points, i);
            boxes[run].add(point.low, point.high);
        }
    return boxes;
}

/// Whether points of two boxes may be friends: never wrong about friends, as the reach is longer than the
/// linking length by more than differences are rounded.
class Nearness {
public:
    Nearness(const Box& box, double linking_length) : side_(box.side)
    {
        const double reach = linking_length * (1 + 1e-9) + side_ * 1e-14;
        squared_reach_ = reach * reach;
    }

    bool operator()(const RunBox& a, const RunBox& b) const
    {
        double squared = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double below = a.low[axis] - b.high[axis], above = b.low[axis] - a.high[axis];
            double gap = std::max(below, above);
            if (side_ > 0) gap = std::min(gap, std::min(below, above) + side_);
            if (gap > 0) squared += gap * gap;
        }
        return squared <= squared_reach_;
    }

    std::vector<RunBox> near(const RunBox& a, std::span<const RunBox> boxes) const
    {
        std::vector<RunBox> found;
        std::ranges::copy_if(boxes, std::back_inserter(found),
                             [&](const RunBox& b) { return (*this)(a, b); });
        return found;
    }

private:
    double side_, squared_reach_;
};

/// Points that link and may have a friend in the boxes.
std::vector<Index> points_near(const PartPoints& points, std::span<const RunBox> own,
                               std::span<const RunBox> boxes, const Nearness& may_link)
{
    const std::vector<RunBox> candidates = may_link.near(around(own), boxes);
    if (candidates.empty()) return {};
    std::vector<std::uint8_t> is_near(points.size());
    const Runs runs(points.size());
#pragma omp parallel for schedule(dynamic, 8) if (own.size() > few_runs)
    for (std::size_t run = 0; run < own.size(); ++run) {
        const std::vector<RunBox> of_run = may_link.near(own[run], candidates);
        for (std::size_t i = runs.begin(run); i < runs.end(run) && !of_run.empty(); ++i) {
            const RunBox point = box_of_point(points, i);
            is_near[i] = points.role[i] == Role::links &&
                         std::ranges::any_of(of_run, [&](const RunBox& b) { return may_link(point, b); });
        }
    }
    std::vector<Index> list;
    for (std::size_t i = 0; i < is_near.size(); ++i)
        if (is_near[i]) list.push_back(static_cast<Index>(i));
    return list;
}

}  // namespace

std::vector<Ghosts> exchange_ghosts(comm::Parts& parts, const std::vector<PartPoints>& points, const Box& box,
                                    double linking_length, bool both_ways)
{
    const Nearness may_link(box, linking_length);
    std::vector<comm::Parts::Box> own_runs(points.size());
    on_parts(parts, [&](std::size_t k, std::size_t) {
        const std::vector<RunBox> boxes = boxes_of_runs(points[k]);
        pack(own_runs[k], std::span(boxes));
    });
    std::vector<std::vector<RunBox>> runs;
    for (const comm::Parts::Box& of_part : parts.all_gather(own_runs))
        runs.push_back(values_of<RunBox>(of_part));

    std::vector<Ghosts> ghosts(points.size());
    comm::Parts::Boxes out = parts.boxes();
    on_parts(parts, [&](std::size_t k, std::size_t part) {
        ghosts[k].sent.resize(runs.size());
        for (std::size_t to = 0; to < (both_ways ? runs.size() : part); ++to) {
            if (to == part) continue;
            ghosts[k].sent[to] = points_near(points[k], runs[part], runs[to], may_link);
            out[k][to] = packed(points[k].gathered(ghosts[k].sent[to]));
        }
    });
    comm::Parts::Boxes in = parts.exchange(std::move(out));
    on_parts(parts, [&](std::size_t k, std::size_t) {
        ghosts[k].begin.assign(1, 0);
        const bool with_velocities = points[k].has_velocities();
        for (comm::Parts::Box& from : in[k]) {
            const std::size_t n = append_packed(ghosts[k].points, std::exchange(from, {}), with_velocities);
            ghosts[k].begin.push_back(ghosts[k].begin.back() + n);
        }
        AUREOLE_EXPECT(points[k].size() + ghosts[k].points.size() < std::numeric_limits<Index>::max(),
                       "{} particles of a domain and {} near it, expected less than 2^32: take more ranks",
                       points[k].size(), ghosts[k].points.size());
    });
    return ghosts;
}

}  // namespace aureole::halo

#include "density/rendering/brick_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

constexpr Index largest_brick = 16;  // of a brick: larger ones skip less, smaller ones have more ghosts

constexpr double most_value = 1e30;  // finite when interpolated in float

/// Which part of which patch a brick holds.
struct Source {
    Index patch;
    std::array<Index, 3> first;  // cell of the patch; along the axes as everywhere x, y, z
};

class Builder {
public:
    Builder(const CellField& field, const ValueScale& scale) : field_(field), scale_(scale) {}

    BrickTree build();
    std::size_t bytes();  ///< instead of build()

private:
    void lay_out();
    void choose_bricks();
    void place_root(BrickTree& tree) const;
    void grow(Index node, Index patch, Index parts, std::array<Index, 3> first);
    Index append_children();
    void fill(BrickTree& tree, Index brick) const;
    void settle_ranges(BrickTree& tree) const;
    double value_near(const Source& source, std::array<std::int64_t, 3> offset) const;
    double neighbour_value(const FieldPatch& of, std::array<std::int64_t, 3> cell) const;

    const CellField& field_;
    const ValueScale& scale_;
    Index cells_ = 1;  // of a brick along a side
    Index parts_ = 1;  // bricks along a side of a patch, a power of two
    std::vector<Index> links_;
    std::vector<Source> sources_;
};

/// Patches of up to 16 cells are bricks as they are; larger ones are halved as long as they can be, and a
/// single one, a grid, is parted into bricks of 16 that may reach out of it.
void Builder::choose_bricks()
{
    const Index most = std::max({field_.cells[0], field_.cells[1], field_.cells[2]});
    if (field_.patches.size() == 1) {
        cells_ = std::min(most, largest_brick);
        while (std::size_t{cells_} * parts_ < most) parts_ *= 2;
        return;
    }
    AUREOLE_EXPECT(field_.cells[0] == field_.cells[1] && field_.cells[0] == field_.cells[2],
                   "an octree of patches of {} x {} x {} cells: expected as many along each side",
                   field_.cells[0], field_.cells[1], field_.cells[2]);
    cells_ = most;
    while (cells_ > largest_brick && cells_ % 2 == 0) {
        cells_ /= 2;
        parts_ *= 2;
    }
}

void Builder::place_root(BrickTree& tree) const
{
    const FieldPatch& root = field_.patches[0];
    const double side = static_cast<double>(cells_) * parts_;
    tree.low = root.low;
    const auto part = [&](int a) { return field_.cells[static_cast<std::size_t>(a)] / side; };
    tree.extent = {part(0), part(1), part(2)};
    const Vec3 whole = root.high - root.low;
    tree.size = {whole.x / tree.extent.x, whole.y / tree.extent.y, whole.z / tree.extent.z};
    tree.cells = cells_;
    Index deepest = root.level;
    for (const FieldPatch& patch : field_.patches) deepest = std::max(deepest, patch.level);
    tree.finest = std::ldexp(side, static_cast<int>(deepest - root.level));
}

Index Builder::append_children()
{
    const auto first = static_cast<Index>(links_.size());
    AUREOLE_EXPECT(links_.size() + 8 < brick_mark, "a tree of {} nodes: too many", links_.size());
    links_.resize(links_.size() + 8, no_link);
    return first;
}

/// `parts` bricks along a side of the node, which begins at cell `first` of the patch.
void Builder::grow(Index node, Index patch, Index parts, std::array<Index, 3> first)
{
    for (std::size_t a = 0; a < 3; ++a)
        if (first[a] >= field_.cells[a]) return;
    const FieldPatch& of = field_.patches[patch];
    if (of.leaf() && parts == 1) {
        links_[node] = brick_mark | static_cast<Index>(sources_.size());
        sources_.push_back({patch, first});
        return;
    }
    const Index children = append_children();
    links_[node] = children;
    for (Index octant = 0; octant < 8; ++octant) {
        if (!of.leaf()) {
            grow(children + octant, of.first_child + octant, parts_, {0, 0, 0});
            continue;
        }
        const Index step = parts / 2 * cells_;
        grow(children + octant, patch, parts / 2,
             {first[0] + (octant >> 2 & 1) * step, first[1] + (octant >> 1 & 1) * step,
              first[2] + (octant & 1) * step});
    }
}

void Builder::lay_out()
{
    choose_bricks();
    links_.assign(1, no_link);
    grow(0, 0, parts_, {0, 0, 0});
}

std::size_t Builder::bytes()
{
    lay_out();
    const std::size_t side = cells_ + 2;
    return sources_.size() * (side * side * side * sizeof(float) + sizeof(Source)) +
           links_.size() * (2 * sizeof(Index) + 2 * sizeof(float));
}

BrickTree Builder::build()
{
    lay_out();
    BrickTree tree;
    place_root(tree);
    tree.links = links_;
    tree.values.resize(sources_.size() * tree.values_per_brick());
#pragma omp parallel for schedule(dynamic, 8) if (sources_.size() > 8)
    for (std::size_t brick = 0; brick < sources_.size(); ++brick) fill(tree, static_cast<Index>(brick));
    settle_ranges(tree);
    return tree;
}

void Builder::fill(BrickTree& tree, Index brick) const
{
    const std::int64_t side = cells_ + 2;
    float* to = tree.values.data() + std::size_t{brick} * tree.values_per_brick();
    for (std::int64_t i = 0; i < side; ++i)
        for (std::int64_t j = 0; j < side; ++j)
            for (std::int64_t k = 0; k < side; ++k)
                *to++ = static_cast<float>(std::clamp(
                    scale_(value_near(sources_[brick], {i - 1, j - 1, k - 1})), -most_value, most_value));
}

double Builder::value_near(const Source& source, std::array<std::int64_t, 3> offset) const
{
    std::array<std::int64_t, 3> cell{};
    bool inside = true;
    for (std::size_t a = 0; a < 3; ++a) {
        cell[a] = source.first[a] + offset[a];
        inside = inside && cell[a] >= 0 && cell[a] < field_.cells[a];
    }
    if (!inside) return neighbour_value(field_.patches[source.patch], cell);
    return field_.values[field_.at(source.patch, static_cast<Index>(cell[0]), static_cast<Index>(cell[1]),
                                   static_cast<Index>(cell[2]))];
}

/// The value at the centre of a cell outside of its patch, from the deepest patch there that is no finer.
double Builder::neighbour_value(const FieldPatch& of, std::array<std::int64_t, 3> cell) const
{
    const FieldPatch& root = field_.patches[0];
    std::array<double, 3> x{};
    for (int a = 0; a < 3; ++a) {
        const auto k = static_cast<std::size_t>(a);
        const double size = (along(of.high, a) - along(of.low, a)) / field_.cells[k];
        const double centre = along(of.low, a) + (static_cast<double>(cell[k]) + 0.5) * size;
        x[k] = std::clamp(centre, along(root.low, a), along(root.high, a));
    }
    Index p = 0;
    while (!field_.patches[p].leaf() && field_.patches[p].level < of.level) {
        const Index first = field_.patches[p].first_child;
        const Vec3 middle = field_.patches[first + 7].low;
        p = first + (x[0] >= middle.x ? 4 : 0) + (x[1] >= middle.y ? 2 : 0) + (x[2] >= middle.z ? 1 : 0);
    }
    const FieldPatch& patch = field_.patches[p];
    return field_.values[field_.at(p, cell_at(field_, patch, 0, x[0]), cell_at(field_, patch, 1, x[1]),
                                   cell_at(field_, patch, 2, x[2]))];
}

/// Children stand behind their parents: from the back, all have been settled before they are asked.
void Builder::settle_ranges(BrickTree& tree) const
{
    tree.smallest.assign(links_.size(), std::numeric_limits<float>::infinity());
    tree.largest.assign(links_.size(), -std::numeric_limits<float>::infinity());
    for (std::size_t node = links_.size(); node-- > 0;) {
        const Index link = links_[node];
        if (link == no_link) continue;
        const bool brick = (link & brick_mark) != 0;
        const std::size_t n = brick ? tree.values_per_brick() : 8;
        const std::size_t first = brick ? (link & ~brick_mark) * n : link;
        const std::vector<float>& low = brick ? tree.values : tree.smallest;
        const std::vector<float>& high = brick ? tree.values : tree.largest;
        for (std::size_t k = first; k < first + n; ++k) {
            tree.smallest[node] = std::min(tree.smallest[node], low[k]);
            tree.largest[node] = std::max(tree.largest[node], high[k]);
        }
    }
}

}  // namespace

BrickTree brick_tree(const CellField& field, const ValueScale& scale)
{
    expect_whole(field);
    AUREOLE_EXPECT(std::isfinite(scale.floor) && (!scale.logarithmic || scale.floor > 0),
                   "a {} scale with the floor {}: expected a finite number{}",
                   scale.logarithmic ? "logarithmic" : "linear", scale.floor,
                   scale.logarithmic ? " above 0" : "");
    return Builder(field, scale).build();
}

std::size_t brick_tree_bytes(const CellField& field)
{
    expect_patches(field.cells, field.patches);
    return Builder(field, {}).bytes();
}

}  // namespace aureole::density

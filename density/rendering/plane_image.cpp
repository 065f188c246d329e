#include "density/rendering/plane_image.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

void expect_in(const PlaneView& view, const CellField& field)
{
    AUREOLE_EXPECT(view.axis >= 0 && view.axis <= 2,
                   "the axis of sight of an image is {}, expected 0, 1 or 2", view.axis);
    AUREOLE_EXPECT(view.width >= 1 && view.height >= 1, "the image has {} x {} pixels, expected at least one",
                   view.width, view.height);
    const FieldPatch& root = field.patches[0];
    for (int a = 0; a < 3; ++a)
        AUREOLE_EXPECT(
            along(view.low, a) < along(view.high, a) && along(view.low, a) >= along(root.low, a) &&
                along(view.high, a) <= along(root.high, a),
            "the image shows {} from {} to {}, expected a part of the field, which reaches from {} to {}",
            "xyz"[a], along(view.low, a), along(view.high, a), along(root.low, a), along(root.high, a));
}

struct Range {
    double low, high;

    double overlap(Range other) const { return std::min(high, other.high) - std::max(low, other.low); }
};

Range cell_range(const CellField& field, const FieldPatch& p, int a, Index cell)
{
    const Index n = field.cells[static_cast<std::size_t>(a)];
    const double low = along(p.low, a), side = along(p.high, a) - low;
    return {low + side * cell / n, cell + 1 == n ? along(p.high, a) : low + side * (cell + 1) / n};
}

Range range_of(const PlaneView& view, int a) { return {along(view.low, a), along(view.high, a)}; }

/// The value of a cell in the sum.
using Term = std::function<double(std::size_t cell)>;

/// Sums along the axis of sight of one leaf: [up][right], in pixel areas times the term's unit.
struct Columns {
    Index patch = 0;
    std::vector<double> sums;
};

double share(std::size_t done, std::size_t all)
{
    return static_cast<double>(done) / static_cast<double>(all);
}

std::size_t index_in(const CellField& field, const PlaneView& view, Index patch, std::array<Index, 3> seen)
{
    std::array<Index, 3> ijk{};
    ijk[static_cast<std::size_t>(view.right())] = seen[0];
    ijk[static_cast<std::size_t>(view.up())] = seen[1];
    ijk[static_cast<std::size_t>(view.axis)] = seen[2];
    return field.at(patch, ijk[0], ijk[1], ijk[2]);
}

void sum_columns(const CellField& field, const PlaneView& view, const Term& term, Columns& to,
                 const Progress& progress = {})
{
    const FieldPatch& p = field.patches[to.patch];
    const auto cells = [&](int a) { return field.cells[static_cast<std::size_t>(a)]; };
    const Index n_right = cells(view.right()), n_up = cells(view.up());
    to.sums.assign(std::size_t{n_right} * n_up, 0.0);
    for (Index k = 0; k < cells(view.axis); ++k) {
        progress.at(share(k, cells(view.axis)), "layers of cells");
        const double depth = cell_range(field, p, view.axis, k).overlap(range_of(view, view.axis));
        if (!(depth > 0)) continue;
        for (Index j = 0; j < n_up; ++j)
            for (Index i = 0; i < n_right; ++i)
                to.sums[std::size_t{j} * n_right + i] +=
                    depth * term(index_in(field, view, to.patch, {i, j, k}));
    }
}

std::vector<Columns> leaf_columns(const CellField& field, const PlaneView& view, const Term& term,
                                  const Progress& progress)
{
    constexpr std::size_t few = 16, block = 4096;
    std::vector<Columns> leaves;
    for (Index p = 0; p < field.patches.size(); ++p) {
        const FieldPatch& patch = field.patches[p];
        bool seen = patch.leaf();
        for (int a = 0; a < 3; ++a)
            seen = seen && Range{along(patch.low, a), along(patch.high, a)}.overlap(range_of(view, a)) > 0;
        if (seen) leaves.push_back({p, {}});
    }
    const std::size_t n = leaves.size();
    if (n <= few)
        for (std::size_t k = 0; k < n; ++k)
            sum_columns(field, view, term, leaves[k], progress.part(share(k, n), share(k + 1, n)));
    for (std::size_t begin = 0; n > few && begin < n; begin += block) {
        progress.at(share(begin, n), "leaves");
#pragma omp parallel for schedule(dynamic, 16)
        for (std::size_t k = begin; k < std::min(begin + block, n); ++k)
            sum_columns(field, view, term, leaves[k]);
    }
    return leaves;
}

/// Adds one row of columns, `height` of which lies in the pixels' row, to the row of pixels.
void add_row(const CellField& field, const PlaneView& view, const Columns& columns, Index row, double height,
             double* pixels)
{
    const FieldPatch& p = field.patches[columns.patch];
    const Range view_range = range_of(view, view.right());
    const double pixel = view.pixel_width(), area = pixel * view.pixel_height();
    const Index n = field.cells[static_cast<std::size_t>(view.right())];
    for (Index i = 0; i < n; ++i) {
        const Range cell = cell_range(field, p, view.right(), i);
        const double sum = columns.sums[std::size_t{row} * n + i];
        const double first = std::floor((cell.low - view_range.low) / pixel);
        const double last = std::floor((cell.high - view_range.low) / pixel);
        if (last < 0 || first >= view.width) continue;
        const auto begin = static_cast<unsigned>(std::max(first, 0.0));
        const auto end = static_cast<unsigned>(std::min(last, view.width - 1.0));
        for (unsigned x = begin; x <= end; ++x) {
            const double width = cell.overlap({view_range.low + pixel * x, view_range.low + pixel * (x + 1)});
            if (width > 0) pixels[x] += sum * (width * height / area);
        }
    }
}

/// Calls make(y) for each row of pixels, in parallel and with a look at `progress` between bands.
template <class Make>
void for_rows(const PlaneView& view, const Progress& progress, Make make)
{
    constexpr unsigned band = 64;
    for (unsigned begin = 0; begin < view.height; begin += band) {
        progress.at(share(begin, view.height), "rows of pixels");
#pragma omp parallel for schedule(dynamic, 4)
        for (unsigned y = begin; y < std::min(begin + band, view.height); ++y) make(y);
    }
    progress.at(1, "picture");
}

/// Every row of pixels gathers from the leaves in their order, so that bits do not depend on the number of
/// threads.
std::vector<double> integrated(const CellField& field, const PlaneView& view, const Term& term,
                               const Progress& progress)
{
    const std::vector<Columns> leaves = leaf_columns(field, view, term, progress.part(0, 0.5));
    std::vector<double> pixels(std::size_t{view.width} * view.height);
    const double size = view.pixel_height();
    for_rows(view, progress.part(0.5, 1), [&](unsigned y) {
        const double top = along(view.high, view.up());
        const Range row{top - size * (y + 1), top - size * y};
        for (const Columns& columns : leaves) {
            const FieldPatch& p = field.patches[columns.patch];
            if (!(Range{along(p.low, view.up()), along(p.high, view.up())}.overlap(row) > 0)) continue;
            const Index first = cell_at(field, p, view.up(), row.low),
                        last = cell_at(field, p, view.up(), row.high);
            for (Index j = first; j <= last; ++j) {
                const double height = cell_range(field, p, view.up(), j).overlap(row);
                if (height > 0)
                    add_row(field, view, columns, j, height, pixels.data() + std::size_t{y} * view.width);
            }
        }
    });
    return pixels;
}

}  // namespace

std::vector<double> slice(const CellField& field, const PlaneView& view, double at, const Progress& progress)
{
    expect_whole(field);
    expect_in(view, field);
    AUREOLE_EXPECT(at >= along(view.low, view.axis) && at <= along(view.high, view.axis),
                   "the slice is at {}, expected {} to {}", at, along(view.low, view.axis),
                   along(view.high, view.axis));
    std::vector<double> pixels(std::size_t{view.width} * view.height);
    for_rows(view, progress, [&](unsigned y) {
        for (unsigned x = 0; x < view.width; ++x) {
            std::array<double, 3> point{};
            point[static_cast<std::size_t>(view.axis)] = at;
            point[static_cast<std::size_t>(view.right())] =
                along(view.low, view.right()) + view.pixel_width() * (x + 0.5);
            point[static_cast<std::size_t>(view.up())] =
                along(view.high, view.up()) - view.pixel_height() * (y + 0.5);
            const Index leaf = leaf_at(field, {point[0], point[1], point[2]});
            const FieldPatch& p = field.patches[leaf];
            pixels[std::size_t{y} * view.width + x] =
                field.values[field.at(leaf, cell_at(field, p, 0, point[0]), cell_at(field, p, 1, point[1]),
                                      cell_at(field, p, 2, point[2]))];
        }
    });
    return pixels;
}

std::vector<double> projection(const CellField& field, const PlaneView& view, const Progress& progress)
{
    expect_whole(field);
    expect_in(view, field);
    const auto known = [&](std::size_t cell) {
        const double value = field.values[cell];
        return std::isnan(value) ? 0.0 : value;
    };
    return integrated(field, view, known, progress);
}

std::vector<double> weighted_mean(const CellField& field, const CellField& weight, const PlaneView& view,
                                  const Progress& progress)
{
    expect_whole(field);
    expect_in(view, field);
    AUREOLE_EXPECT(weight.cells == field.cells && weight.values.size() == field.values.size(),
                   "the field has {} values and its weight {}, expected the same cells", field.values.size(),
                   weight.values.size());
    const auto counts = [&](std::size_t cell) {
        return weight.values[cell] > 0 && !std::isnan(field.values[cell]);
    };
    const auto weighted = [&](std::size_t cell) {
        return counts(cell) ? weight.values[cell] * field.values[cell] : 0.0;
    };
    const auto weight_alone = [&](std::size_t cell) { return counts(cell) ? weight.values[cell] : 0.0; };
    std::vector<double> mean = integrated(field, view, weighted, progress.part(0, 0.5));
    const std::vector<double> whole = integrated(field, view, weight_alone, progress.part(0.5, 1));
    for (std::size_t k = 0; k < mean.size(); ++k)
        mean[k] = whole[k] > 0 ? mean[k] / whole[k] : std::numeric_limits<double>::quiet_NaN();
    return mean;
}

}  // namespace aureole::density

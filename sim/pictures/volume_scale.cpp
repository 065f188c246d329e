#include "sim/pictures/volume_scale.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace aureole::run {
namespace {

struct Sphere {
    Vec3 centre;
    double radius2 = HUGE_VAL;

    bool holds(Vec3 x) const { return dot(x - centre, x - centre) <= radius2; }
    bool touches(const density::FieldPatch& p) const
    {
        const Vec3 nearest{std::clamp(centre.x, p.low.x, p.high.x), std::clamp(centre.y, p.low.y, p.high.y),
                           std::clamp(centre.z, p.low.z, p.high.z)};
        return holds(nearest);
    }
};

/// Cells of leaves in a sphere, each `step`-th of them.
class CellsInSphere {
public:
    CellsInSphere(const density::CellField& field, Sphere sphere) : field_(field), sphere_(sphere)
    {
        constexpr std::size_t most_looked_at = std::size_t{1} << 19;
        for (std::size_t p = 0; p < field.patches.size(); ++p)
            if (field.patches[p].leaf() && sphere.touches(field.patches[p])) leaves_.push_back(p);
        // odd, and so prime to numbers of cells that are powers of two
        step_ = leaves_.size() * field.cells_per_patch() / most_looked_at | 1;
    }

    /// Calls visit(value, volume) with volumes in cells of the root.
    template <class Visit>
    void each(Visit visit) const
    {
        const auto [nx, ny, nz] = field_.cells;
        for (const std::size_t p : leaves_) {
            const density::FieldPatch& patch = field_.patches[p];
            const Vec3 side = patch.high - patch.low;
            const double volume = std::ldexp(1.0, -3 * static_cast<int>(patch.level));
            for (std::size_t k = 0; k < field_.cells_per_patch(); k += step_) {
                const Vec3 x{patch.low.x + side.x * (0.5 + static_cast<double>(k / nz / ny)) / nx,
                             patch.low.y + side.y * (0.5 + static_cast<double>(k / nz % ny)) / ny,
                             patch.low.z + side.z * (0.5 + static_cast<double>(k % nz)) / nz};
                if (sphere_.holds(x)) visit(field_.values[p * field_.cells_per_patch() + k], volume);
            }
        }
    }

private:
    const density::CellField& field_;
    Sphere sphere_;
    std::vector<std::size_t> leaves_;
    std::size_t step_ = 1;
};

/// Calls visit(value, volume) for all cells of leaves.
struct AllCells {
    const density::CellField& field;

    template <class Visit>
    void each(Visit visit) const
    {
        for (std::size_t p = 0; p < field.patches.size(); ++p) {
            if (!field.patches[p].leaf()) continue;
            const double volume = std::ldexp(1.0, -3 * static_cast<int>(field.patches[p].level));
            for (std::size_t k = p * field.cells_per_patch(); k < (p + 1) * field.cells_per_patch(); ++k)
                visit(field.values[k], volume);
        }
    }
};

template <class Cells>
ColourScale volume_scale(const Cells& cells, bool logarithmic)
{
    const auto number = [&](double v) { return logarithmic ? std::log10(v) : v; };
    const auto counts = [&](double v) { return std::isfinite(v) && (!logarithmic || v > 0); };
    double smallest = HUGE_VAL, largest = -HUGE_VAL;
    cells.each([&](double v, double) {
        if (!counts(v)) return;
        smallest = std::min(smallest, number(v));
        largest = std::max(largest, number(v));
    });
    if (!(smallest < largest)) {
        const double all = smallest > largest ? 0 : logarithmic ? std::pow(10, smallest) : smallest;
        return widened(all, all, logarithmic);
    }
    constexpr std::size_t n_bins = 4096;
    const double per_unit = n_bins / (largest - smallest);
    std::vector<double> volume(n_bins), amount(n_bins);
    cells.each([&](double v, double cell) {
        if (!counts(v)) return;
        const auto bin = std::min(static_cast<std::size_t>((number(v) - smallest) * per_unit), n_bins - 1);
        volume[bin] += cell;
        amount[bin] += cell * std::abs(v);
    });
    const double half = 0.5 * std::reduce(volume.begin(), volume.end());
    const double twentieth = 0.05 * std::reduce(amount.begin(), amount.end());
    std::size_t low = 0, high = n_bins;
    for (double below = 0; low < n_bins && (below += volume[low]) < half;) ++low;
    for (double above = 0; high > 0 && (above += amount[high - 1]) < twentieth;) --high;
    const auto value = [&](std::size_t bin) {
        const double x = smallest + static_cast<double>(bin) / per_unit;
        return logarithmic ? std::pow(10, x) : x;
    };
    return widened(value(std::min(low, high - 1)), value(high), logarithmic);
}

}  // namespace

ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic)
{
    return volume_scale(AllCells{field}, logarithmic);
}

ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic, Vec3 centre,
                                   double radius)
{
    constexpr std::size_t enough = 128;
    const Vec3 side = field.patches[0].high - field.patches[0].low;
    for (const double all = std::sqrt(dot(side, side)); radius < all; radius *= 2) {
        const CellsInSphere cells(field, {centre, radius * radius});
        std::size_t n = 0;
        cells.each([&](double, double) { ++n; });
        if (n >= enough) return volume_scale(cells, logarithmic);
    }
    return automatic_volume_scale(field, logarithmic);
}

}  // namespace aureole::run

// From the levels of a picture's surface to its pixels.
// The build compiles this file without fused multiply-adds, and it calls no function whose last bit differs
// between libraries, so that both backends give the same pixels.
#include <vector>

#include "sim/core/atomics.hpp"
#include "sim/core/numerics/portable_math.hpp"
#include "sim/pictures/footprints.hpp"
#include "sim/pictures/surface_loops.hpp"

namespace aureole::pictures {
namespace {

AUREOLE_HD inline double double_in(const std::int64_t* cell)
{
    double x;
    std::memcpy(&x, cell, sizeof x);
    return x;
}

/// Adds the coarse level to the fine one, by the subdivision rule of the cubic B-spline in both directions: a
/// coarse cell's four fine ones at a time. The fine level's integers become doubles.
struct Refine {
    Level coarse, fine;
    Index layer, first;  ///< the first coarse node, of rows and columns
    bool empty;          ///< the fine level holds nothing yet

    AUREOLE_HD void operator()(Index row, Index column) const
    {
        ColumnSums sums[3];
        for (Index m = 0; m < 3; ++m) sums[m] = along_column(first + row, first + column + m - 1);
        store_four(first + row, first + column, sums);
    }

    /// Of a coarse column at node (j, i): what the upper and the lower fine row take of it.
    struct ColumnSums {
        double even, odd;
    };
    AUREOLE_HD ColumnSums along_column(Index j, Index i) const
    {
        const double upper = value(j - 1, i), middle = value(j, i), lower = value(j + 1, i);
        return {6.0 / 16 * middle + 1.0 / 16 * upper + 1.0 / 16 * lower,
                4.0 / 16 * middle + 4.0 / 16 * lower};
    }
    /// From the sums of three columns, the second of which is coarse node (j, i).
    AUREOLE_HD void store_four(Index j, Index i, const ColumnSums* sums) const
    {
        const ColumnSums &left = sums[0], &middle = sums[1], &right = sums[2];
        store(2 * j, 2 * i, (left.even + 6 * middle.even + right.even) / 16);
        store(2 * j, 2 * i + 1, (middle.even + right.even) / 4);
        store(2 * j + 1, 2 * i, (left.odd + 6 * middle.odd + right.odd) / 16);
        store(2 * j + 1, 2 * i + 1, (middle.odd + right.odd) / 4);
    }

private:
    /// Of a coarse node; zero outside.
    AUREOLE_HD double value(Index j, Index i) const
    {
        const Index y = j - coarse.origin, x = i - coarse.origin;  // below the origin: very large
        if (y >= coarse.side || x >= coarse.side) return 0;
        return double_in(coarse.layer(layer) + std::size_t{y} * coarse.side + x);
    }
    AUREOLE_HD void store(Index j, Index i, double refined) const
    {
        const Index y = j - fine.origin, x = i - fine.origin;
        if (y >= fine.side || x >= fine.side) return;
        std::int64_t* cell = fine.layer(layer) + std::size_t{y} * fine.side + x;
        const double sum = empty ? refined : refined + static_cast<double>(*cell);
        std::memcpy(cell, &sum, sizeof sum);
    }
};

/// On the host, n coarse rows and columns: the sums of a column are those of its neighbours, too.
void refine_rows(Index n, const Refine& refine)
{
    [[maybe_unused]] const bool team = std::size_t{n} * n > cells_worth_a_team;
#pragma omp parallel if (team)
    {
        std::vector<Refine::ColumnSums> sums(std::size_t{n} + 2);
#pragma omp for
        for (Index row = 0; row < n; ++row) {
            const Index j = refine.first + row;
            for (Index m = 0; m < n + 2; ++m) sums[m] = refine.along_column(j, refine.first + m - 1);
            for (Index column = 0; column < n; ++column)
                refine.store_four(j, refine.first + column, sums.data() + column);
        }
    }
}

struct ToDoubles {
    std::int64_t* cells;

    AUREOLE_HD void operator()(Index k) const
    {
        const auto sum = static_cast<double>(cells[k]);
        std::memcpy(&cells[k], &sum, sizeof sum);
    }
};

// -- what is read of the sums --

struct FindLargestDensity {
    const std::int64_t* cells;
    double density;
    std::uint64_t* largest;

    template <class Loop>
    AUREOLE_HD void operator()(const Loop& loop, Index lane) const
    {
        double most = 0;
        loop.each(lane, [&](Index k) {
            const double d = density * double_in(cells + k);
            if (d > most) most = d;
        });
        atomic_max_of_warp(largest, bits_of(most));
    }
};

struct SumMassByDensity {
    const std::int64_t* cells;
    double density, largest;
    FixedSum* bins;

    AUREOLE_HD void operator()(Index k) const
    {
        constexpr double per_e = 0.43429448190325182;  // decades
        const double d = density * double_in(cells + k);
        if (!(d > 0)) return;
        double decade = portable::log_in_loops(d) * per_e;
        decade = decade < lowest_decade ? lowest_decade : decade > highest_decade ? highest_decade : decade;
        atomic_add(&bins[static_cast<Index>((decade - lowest_decade) * bins_per_decade)],
                   to_fixed(d / largest));
    }
};

struct PaintPixels {
    Pyramid pyramid;
    Paint paint;
    const ColourTables* tables;
    io::Rgb* pixels;

    AUREOLE_HD void operator()(Index y, Index x) const
    {
        give_colours<1>(std::size_t{y} * pyramid.level[0].side + x);
    }

    /// To n pixels from number k on.
    template <unsigned n>
    AUREOLE_HD void give_colours(std::size_t k) const
    {
        double t[n];
        for (unsigned i = 0; i < n; ++i) t[i] = place(k + i);
        if (pyramid.n_parts == 0) {
            for (unsigned i = 0; i < n; ++i) pixels[k + i] = tables->at(t[i]);
            return;
        }
        constexpr Index most_parts = 8;
        double share[most_parts][n];
        for (Index part = 0; part < pyramid.n_parts; ++part)
            for (unsigned i = 0; i < n; ++i)
                share[part][i] = paint.density * double_in(pyramid.level[0].layer(1 + part) + k + i);
        tables->mix<n>(t, share, pyramid.n_parts, paint.n_grey_parts, pixels + k);
    }

private:
    /// Where the density of pixel k is on the scale of colours.
    AUREOLE_HD double place(std::size_t k) const
    {
        const double d = paint.density * double_in(pyramid.level[0].mass + k);
        const double t = (portable::log_in_loops(d) - paint.log_low) * paint.per_log_span;
        return d > 0 ? t : 0;
    }
};

/// On the host: several pixels of a row at once.
void paint_rows(Index side, const PaintPixels& paint)
{
    constexpr Index piece = 16;
    constexpr Index rows_worth_a_team = 64;
    [[maybe_unused]] const bool team = side > rows_worth_a_team;
#pragma omp parallel for if (team)
    for (Index row = 0; row < side; ++row) {
        Index column = 0;
        for (; column + piece <= side; column += piece)
            paint.give_colours<piece>(std::size_t{row} * side + column);
        for (; column < side; ++column) paint(row, column);
    }
}

struct CopyDensities {
    const std::int64_t* cells;
    double density;
    double* densities;

    AUREOLE_HD void operator()(Index k) const { densities[k] = density * double_in(cells + k); }
};

void refine_layer(Exec exec, const Pyramid& pyramid, int l, Index layer)
{
    const Level &fine = pyramid.level[l], &coarse = pyramid.level[l + 1];
    const Index first = fine.origin / 2, last = (fine.origin + fine.side - 1) / 2;
    const Index n = last - first + 1;
    const Refine refine{coarse, fine, layer, first, l == 0 && layer > 0};
    if (exec.backend == Backend::cpu) return refine_rows(n, refine);
    for_each_cell(exec, n, n, refine);
}

}  // namespace

void sum_levels(Exec exec, const Pyramid& pyramid)
{
    const Level& coarsest = pyramid.level[pyramid.n_levels - 1];
    for (Index layer = 0; layer <= pyramid.n_parts; ++layer) {
        for_each(exec, static_cast<Index>(coarsest.cells()), ToDoubles{coarsest.layer(layer)});
        for (int l = pyramid.n_levels - 1; l-- > 0;) refine_layer(exec, pyramid, l, layer);
    }
}

void find_largest_density(Exec exec, const Pyramid& pyramid, double density, std::uint64_t* largest)
{
    const Level& level = pyramid.level[0];
    for_each_lane(exec, static_cast<Index>(level.cells()), FindLargestDensity{level.mass, density, largest});
}

void sum_mass_by_density(Exec exec, const Pyramid& pyramid, double density, double largest, FixedSum* bins)
{
    const Level& level = pyramid.level[0];
    for_each(exec, static_cast<Index>(level.cells()), SumMassByDensity{level.mass, density, largest, bins});
}

void paint_pixels(Exec exec, const Pyramid& pyramid, const Paint& paint, const ColourTables* tables,
                  io::Rgb* pixels)
{
    const Index side = pyramid.level[0].side;
    const PaintPixels loop{pyramid, paint, tables, pixels};
    if (exec.backend == Backend::cpu) return paint_rows(side, loop);
    for_each_cell(exec, side, side, loop);
}

void copy_densities(Exec exec, const Pyramid& pyramid, Index layer, double density, double* densities)
{
    const Level& level = pyramid.level[0];
    for_each(exec, static_cast<Index>(level.cells()), CopyDensities{level.layer(layer), density, densities});
}

}  // namespace aureole::pictures

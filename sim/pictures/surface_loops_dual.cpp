// The build compiles this file without fused multiply-adds, and it calls no function whose last bit differs
// between libraries, so that both backends give the same pixels.
#include "sim/pictures/surface_loops.hpp"

#include <cmath>
#include <cstring>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/portable_log.hpp"
#include "sim/pictures/footprints.hpp"

namespace aureole::pictures {
namespace {

// -- particles one lane looks at, where few numbers come of many --

template <class Visit>
struct LaneLoop {
    Visit visit;
    Index n, lanes;
    bool contiguous;

    /// The particles of a lane: neighbours on the CPU, every lanes-th on a GPU.
    template <class Each>
    AUREOLE_HD void each(Index lane, Each take) const
    {
        const Index share = (n - 1) / lanes + 1;
        for (Index k = 0; k < share; ++k) {
            const std::size_t i = contiguous ? std::size_t{lane} * share + k : std::size_t{k} * lanes + lane;
            if (i < n) take(static_cast<Index>(i));
        }
    }
    AUREOLE_HD void operator()(Index lane) const { visit(*this, lane); }
};

template <class Visit>
void for_each_lane(Exec exec, Index n, Visit visit)
{
    constexpr Index host_lanes = 2048, device_lanes = 32768;  // whole warps
    if (n == 0) return;
    const bool host = exec.backend == Backend::cpu;
    const Index lanes = host ? (n > (1u << 16) ? host_lanes : 32) : device_lanes;
    for_each(exec, lanes, LaneLoop<Visit>{visit, n, lanes, host});
}

AUREOLE_HD inline std::uint64_t bits_of(double x)
{
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

struct FindLargest {
    ConstParticlesView particles;
    MassSurvey* survey;

    template <class Loop>
    AUREOLE_HD void operator()(const Loop& loop, Index lane) const
    {
        std::uint64_t largest = 0, component = 0;
        loop.each(lane, [&](Index i) {
            const double m = particles.mass[i];
            if (m > 0 && m - m == 0 && bits_of(m) > largest) largest = bits_of(m);
            if (particles.component_of(i) > component) component = particles.component_of(i);
        });
        atomic_max_of_warp(&survey->largest, largest);
        atomic_max_of_warp(&survey->component, component);
    }
};

struct SumMasses {
    ConstParticlesView particles;
    double first, second;  // their product is 2^30 over the unit
    MassSurvey* survey;

    template <class Loop>
    AUREOLE_HD void operator()(const Loop& loop, Index lane) const
    {
        std::uint64_t sum = 0;
        loop.each(lane, [&](Index i) {
            const double m = particles.mass[i];
            if (m > 0 && m - m == 0) sum += static_cast<std::uint64_t>(m * first * second) + 1;
        });
        if (sum > 0) atomic_add(&survey->units, sum);
    }
};

// -- loops over cells --

template <class Body>
struct CellLoop {
    Body body;
    Index columns;

    AUREOLE_HD void operator()(Index k) const { body(k / columns, k % columns); }
};

/// body(row, column), on the host row by row.
template <class Body>
void for_each_cell(Exec exec, Index rows, Index columns, Body body)
{
    if (exec.backend != Backend::cpu) return for_each(exec, rows * columns, CellLoop<Body>{body, columns});
    constexpr std::size_t cells_worth_a_team = std::size_t{1} << 16;
    [[maybe_unused]] const bool team = std::size_t{rows} * columns > cells_worth_a_team;
#pragma omp parallel for if (team)
    for (Index row = 0; row < rows; ++row)
        for (Index column = 0; column < columns; ++column) body(row, column);
}

// -- counts --

struct CountParticles {
    ConstParticlesView particles;
    PictureField field;
    Pyramid pyramid;

    AUREOLE_HD void operator()(Index i) const
    {
        for_each_image(particles, i, field, pyramid, [&](PlanePoint u) {
            const auto x = static_cast<Index>(u.x + 0.5), y = static_cast<Index>(u.y + 0.5);
            atomic_add(&pyramid.counts[std::size_t{y} * pyramid.level[0].nodes + x], Index{1});
        });
    }
};

/// Particles per cell of the next level, by the transpose of the rule of `Refine`, so that a cell weighs with
/// the bell: columns first.
template <class Fine>
struct CoarsenColumns {
    const Fine* fine;
    Index n;
    float* result;

    AUREOLE_HD void operator()(Index k, Index i) const
    {
        float sum = 0;
        for (Index m = 0; m < 5; ++m) {
            const Index j = 2 * k + m;  // two more than the fine row
            if (j >= 2 && j < n + 2)
                sum += coarsening_weight(m) * static_cast<float>(fine[std::size_t{j - 2} * n + i]);
        }
        result[std::size_t{k} * n + i] = sum;
    }
};

struct CoarsenRows {
    const float* row;
    Index n_fine, n_coarse;
    float* result;

    AUREOLE_HD void operator()(Index k, Index i) const
    {
        float sum = 0;
        for (Index m = 0; m < 5 && 2 * i < n_fine; ++m) {
            const Index j = 2 * i + m;
            if (j >= 2 && j < n_fine + 2) sum += coarsening_weight(m) * row[std::size_t{k} * n_fine + j - 2];
        }
        result[std::size_t{k} * n_coarse + i] = sum;
    }
};

// -- masses --

struct DepositMasses {
    ConstParticlesView particles;
    PictureField field;
    Pyramid pyramid;
    MassScale scale;
    PartChoice choice;

    AUREOLE_HD void operator()(Index i) const
    {
        const double mass = particles.mass[i] * scale.first * scale.second;
        const double coarsest = pyramid.n_levels - 1;
        for_each_image(particles, i, field, pyramid, [&](PlanePoint u) {
            const double level = level_at(pyramid, u);
            spread(0, u, level, mass);
            if (choice.rule == PartRule::none) return;
            const double softer = level + part_coarsening;
            add_parts(i, u, softer < coarsest ? softer : coarsest, mass);
        });
    }

private:
    AUREOLE_HD void add_parts(Index i, PlanePoint u, double level, double mass) const
    {
        if (choice.rule == PartRule::component)
            return spread(1 + particles.component_of(i) % pyramid.n_parts, u, level, mass);
        if (choice.rule == PartRule::halo) {
            const std::int32_t label = choice.label[i];
            const Index part = label < 0 ? 0 : 1 + static_cast<Index>(label) % (pyramid.n_parts - 1);
            return spread(1 + part, u, level, mass);
        }
        double place = (field.recession(particles.velocity.load(i)) - choice.middle) / choice.spread;
        place = place > -1 ? (place < 1 ? place : 1.0) : -1.0;  // NaN approaches
        spread(1, u, level, 0.5 * (1 - place) * mass);
        spread(2, u, level, 0.5 * (1 + place) * mass);
    }
    AUREOLE_HD void spread(Index layer, PlanePoint u, double exact_level, double mass) const
    {
        const int lower = static_cast<int>(exact_level);
        const double upper_share = exact_level - lower;
        add_quadratic(pyramid.level[lower], layer, u, mass * (1 - upper_share));
        if (upper_share > 0) add_quadratic(pyramid.level[lower + 1], layer, u, mass * upper_share);
    }
};

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
        const Index kj = first + row, ki = first + column;
        double even[3], odd[3];  // sums along the column, for three coarse columns
        for (int m = 0; m < 3; ++m) {
            const double upper = value(kj - 1, ki + m - 1), middle = value(kj, ki + m - 1),
                         lower = value(kj + 1, ki + m - 1);
            even[m] = 6.0 / 16 * middle + 1.0 / 16 * upper + 1.0 / 16 * lower;
            odd[m] = 4.0 / 16 * middle + 4.0 / 16 * lower;
        }
        store(2 * kj, 2 * ki, (even[0] + 6 * even[1] + even[2]) / 16);
        store(2 * kj, 2 * ki + 1, (even[1] + even[2]) / 4);
        store(2 * kj + 1, 2 * ki, (odd[0] + 6 * odd[1] + odd[2]) / 16);
        store(2 * kj + 1, 2 * ki + 1, (odd[1] + odd[2]) / 4);
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
        constexpr Index most_parts = 8;
        const Level& level = pyramid.level[0];
        const std::size_t k = std::size_t{y} * level.side + x;
        const double d = paint.density * double_in(level.mass + k);
        const double t = d > 0 ? (portable::log_in_loops(d) - paint.log_low) * paint.per_log_span : 0;
        if (pyramid.n_parts == 0) {
            pixels[k] = tables->at(t);
            return;
        }
        double share[most_parts];
        for (Index part = 0; part < pyramid.n_parts; ++part)
            share[part] = paint.density * double_in(level.layer(1 + part) + k);
        pixels[k] = tables->mixed(t, share, pyramid.n_parts, paint.n_grey_parts);
    }
};

struct CopyDensities {
    const std::int64_t* cells;
    double density;
    double* densities;

    AUREOLE_HD void operator()(Index k) const { densities[k] = density * double_in(cells + k); }
};

struct Sample {
    ConstParticlesView particles;
    PictureField field;
    SampleOutput to;

    AUREOLE_HD void operator()(Index k) const
    {
        const Index i = k * to.stride;
        to.x[k] = particles.position.x[i];
        to.y[k] = particles.position.y[i];
        to.z[k] = particles.position.z[i];
        to.mass[k] = particles.mass[i];
        to.component[k] = particles.component_of(i);
        to.recession[k] = particles.velocity.absent() ? 0 : field.recession(particles.velocity.load(i));
    }
};

struct Zero {
    std::uint64_t* words;

    AUREOLE_HD void operator()(Index k) const { words[k] = 0; }
};

void refine_layer(Exec exec, const Pyramid& pyramid, int l, Index layer)
{
    const Level &fine = pyramid.level[l], &coarse = pyramid.level[l + 1];
    const Index first = fine.origin / 2, last = (fine.origin + fine.side - 1) / 2;
    const Index n = last - first + 1;
    for_each_cell(exec, n, n, Refine{coarse, fine, layer, first, l == 0 && layer > 0});
}

}  // namespace

void fill_zero(Exec exec, void* p, std::size_t bytes)
{
    constexpr std::size_t piece = std::size_t{1} << 31;
    auto* words = static_cast<std::uint64_t*>(p);
    for (std::size_t begin = 0, n = bytes / sizeof(std::uint64_t); begin < n; begin += piece)
        for_each(exec, static_cast<Index>(n - begin < piece ? n - begin : piece), Zero{words + begin});
}

void survey_largest(Exec exec, const ConstParticlesView& particles, MassSurvey* survey)
{
    for_each_lane(exec, particles.n, FindLargest{particles, survey});
}

void survey_sum(Exec exec, const ConstParticlesView& particles, int exponent, MassSurvey* survey)
{
    const int power = 30 - exponent;
    const double first = std::ldexp(1.0, power / 2), second = std::ldexp(1.0, power - power / 2);
    for_each_lane(exec, particles.n, SumMasses{particles, first, second, survey});
}

void count_particles(Exec exec, const ConstParticlesView& particles, const PictureField& field,
                     const Pyramid& pyramid)
{
    for_each(exec, particles.n, CountParticles{particles, field, pyramid});
    for (int l = 1; l < pyramid.n_levels; ++l) {
        const Level &fine = pyramid.level[l - 1], &coarse = pyramid.level[l];
        if (l == 1)
            for_each_cell(exec, coarse.nodes, fine.nodes,
                          CoarsenColumns<std::uint32_t>{pyramid.counts, fine.nodes, pyramid.scratch});
        else
            for_each_cell(exec, coarse.nodes, fine.nodes,
                          CoarsenColumns<float>{fine.count, fine.nodes, pyramid.scratch});
        for_each_cell(exec, coarse.nodes, coarse.nodes,
                      CoarsenRows{pyramid.scratch, fine.nodes, coarse.nodes, coarse.count});
    }
}

void deposit_masses(Exec exec, const ConstParticlesView& particles, const PictureField& field,
                    const Pyramid& pyramid, const MassScale& scale, const PartChoice& parts)
{
    for_each(exec, particles.n, DepositMasses{particles, field, pyramid, scale, parts});
}

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
    for_each_cell(exec, side, side, PaintPixels{pyramid, paint, tables, pixels});
}

void copy_densities(Exec exec, const Pyramid& pyramid, Index layer, double density, double* densities)
{
    const Level& level = pyramid.level[0];
    for_each(exec, static_cast<Index>(level.cells()), CopyDensities{level.layer(layer), density, densities});
}

void sample_particles(Exec exec, const ConstParticlesView& particles, const PictureField& field, Index n,
                      const SampleOutput& output)
{
    for_each(exec, n, Sample{particles, field, output});
}

}  // namespace aureole::pictures

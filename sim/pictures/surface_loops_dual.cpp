// From particles to the levels of a picture's surface.
// The build compiles this file without fused multiply-adds, and it calls no function whose last bit differs
// between libraries, so that both backends give the same pixels.
#include "sim/pictures/surface_loops.hpp"

#include <cmath>
#include <cstring>

#include "sim/core/atomics.hpp"
#include "sim/pictures/footprints.hpp"

namespace aureole::pictures {
namespace {

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

void sample_particles(Exec exec, const ConstParticlesView& particles, const PictureField& field, Index n,
                      const SampleOutput& output)
{
    for_each(exec, n, Sample{particles, field, output});
}

}  // namespace aureole::pictures

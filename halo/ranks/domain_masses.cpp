#include "halo/ranks/domain_masses.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "halo/needed_arrays.hpp"
#include "halo/ranks/curve_cuts.hpp"
#include "halo/ranks/part_points.hpp"
#include "halo/ranks/particle_survey.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// Places of a part's particles with mass, along the curve.
SortedKeys massive_keys(const ConstParticlesView& particles, const Box& box, const CurveFrame& frame)
{
    const std::span<const double> mass(particles.mass, particles.n);
    const auto has_mass = [](double m) { return m > 0; };
    std::vector<Index> massive;
    if (!std::ranges::all_of(mass, has_mass))
        for (Index i = 0; i < particles.n; ++i)
            if (has_mass(mass[i])) massive.push_back(i);
    const bool all = massive.empty() && particles.n > 0 && has_mass(mass[0]);
    std::vector<std::uint64_t> keys(all ? particles.n : massive.size());
#pragma omp parallel for if (keys.size() > few)
    for (std::size_t k = 0; k < keys.size(); ++k)
        keys[k] = frame.key(box.wrap(particles.position.load(all ? static_cast<Index>(k) : massive[k])));
    SortedKeys sorted = SortedKeys::of(std::move(keys));
    if (!all)
        for (Index& place : sorted.place) place = massive[place];
    return sorted;
}

/// Coordinate after coordinate, then masses.
comm::Parts::Box packed(const ConstParticlesView& particles, const Box& box, std::span<const Index> list)
{
    const std::size_t n = list.size();
    comm::Parts::Box to(4 * n * sizeof(double));
    auto* const numbers = reinterpret_cast<double*>(to.data());
#pragma omp parallel for if (n > few)
    for (std::size_t k = 0; k < n; ++k) {
        const Vec3 x = box.wrap(particles.position.load(list[k]));
        numbers[k] = x.x;
        numbers[n + k] = x.y;
        numbers[2 * n + k] = x.z;
        numbers[3 * n + k] = particles.mass[list[k]];
    }
    return to;
}

void append_packed(PointMasses& to, std::span<const std::byte> box)
{
    const std::size_t bytes = box.size() / 4;
    for (std::size_t axis = 0; axis < 3; ++axis) append(to.position[axis], box.subspan(axis * bytes, bytes));
    append(to.mass, box.subspan(3 * bytes));
}

}  // namespace

ConstParticlesView PointMasses::view() const
{
    ConstParticlesView view{};
    view.n = static_cast<Index>(size());
    view.where = Backend::cpu;
    view.mass = mass.data();
    view.position = {position[0].data(), position[1].data(), position[2].data()};
    return view;
}

std::vector<PointMasses> masses_in_domains(comm::Parts& parts, std::span<const PartParticles> held,
                                           const Box& box)
{
    FofConfig config;
    config.box = box;
    const ParticleSurvey survey = ParticleSurvey::of(parts, held, config);
    std::vector<SortedKeys> order(held.size());
    on_parts(parts, [&](std::size_t k, std::size_t) {
        expect_arrays(held[k].particles, Backend::cpu, "a search for spherical overdensities",
                      {.mass = true});
        order[k] = massive_keys(held[k].particles, box, survey.frame);
    });
    const std::vector<std::uint64_t> cuts = even_cuts(parts, order);
    comm::Parts::Boxes out = parts.boxes();
    on_parts(parts, [&](std::size_t k, std::size_t) {
        std::size_t begin = 0;
        const SortedKeys own = std::exchange(order[k], {});
        for (std::size_t to = 0; to < out[k].size(); ++to) {
            const std::size_t end = to < cuts.size() ? own.number_below(cuts[to]) : own.place.size();
            out[k][to] =
                packed(held[k].particles, box, std::span<const Index>(own.place).subspan(begin, end - begin));
            begin = end;
        }
    });
    comm::Parts::Boxes in = parts.exchange(std::move(out));
    std::vector<PointMasses> domains(held.size());
    on_parts(parts, [&](std::size_t k, std::size_t) {
        for (comm::Parts::Box& one : in[k]) append_packed(domains[k], std::exchange(one, {}));
        AUREOLE_EXPECT(domains[k].size() < std::numeric_limits<Index>::max(),
                       "{} particles in one domain, expected less than 2^32: take more ranks",
                       domains[k].size());
    });
    return domains;
}

}  // namespace aureole::halo

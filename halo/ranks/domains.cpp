#include "halo/ranks/domains.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "halo/fof/fof_workspace.hpp"
#include "halo/particle_summary.hpp"
#include "halo/ranks/curve_cuts.hpp"
#include "halo/ranks/particle_survey.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// Those of the particles that the list names.
PartPoints points_of(const PartParticles& part, std::span<const Index> list, const FofConfig& config,
                     std::uint64_t first_serial)
{
    const ConstParticlesView& from = part.particles;
    const std::size_t n = list.size();
    PartPoints to;
    to.for_each_array(to, in_phase_space(config), [n](auto& array, auto&) { array.resize(n); });
#pragma omp parallel for if (n > few)
    for (std::size_t k = 0; k < n; ++k) {
        const Index i = list[k];
        const Vec3 x = config.box.wrap(from.position.load(i));
        to.position[0][k] = x.x;
        to.position[1][k] = x.y;
        to.position[2][k] = x.z;
        to.serial[k] = part.serial ? part.serial[i] : first_serial + i;
        to.id[k] = from.id ? from.id[i] : to.serial[k];
        to.role[k] = type_links(config.linking_types, from.type_of(i)) ? Role::links : Role::joins;
        if (!in_phase_space(config)) continue;
        const Vec3 v = from.velocity.load(i);
        to.velocity[0][k] = v.x;
        to.velocity[1][k] = v.y;
        to.velocity[2][k] = v.z;
    }
    return to;
}

/// Of n points; the place(i) of each is wrapped.
template <class Place>
SortedKeys sorted_keys(std::size_t n, const CurveFrame& frame, Place place)
{
    std::vector<std::uint64_t> keys(n);
#pragma omp parallel for if (n > few)
    for (std::size_t i = 0; i < n; ++i) keys[i] = frame.key(place(i));
    return SortedKeys::of(std::move(keys));
}

}  // namespace

Domains::Domains(comm::Parts& parts, std::span<const PartParticles> held, const FofConfig& config)
    : points(held.size()), parts_(parts), left_(held.size()), arrival_(held.size()), arrived_(held.size())
{
    const ParticleSurvey survey = ParticleSurvey::of(parts, held, config);
    all_link = survey.all_link;
    std::vector<SortedKeys> order(held.size());
    on_parts(parts, [&](std::size_t k, std::size_t) {
        const ConstVec3View& position = held[k].particles.position;
        order[k] = sorted_keys(held[k].particles.n, survey.frame, [&](std::size_t i) {
            return config.box.wrap(position.load(static_cast<Index>(i)));
        });
    });
    const std::vector<std::uint64_t> cuts = even_cuts(parts, order);

    comm::Parts::Boxes out = parts.boxes();
    on_parts(parts, [&](std::size_t k, std::size_t part) {
        left_[k] = std::move(order[k].place);
        std::size_t begin = 0;
        for (std::size_t to = 0; to < out[k].size(); ++to) {
            const std::size_t end = to < cuts.size() ? order[k].number_below(cuts[to]) : left_[k].size();
            const auto list = std::span<const Index>(left_[k]).subspan(begin, end - begin);
            out[k][to] = packed(points_of(held[k], list, config, survey.begin[part]));
            begin = end;
        }
        order[k] = {};
    });
    comm::Parts::Boxes in = parts.exchange(std::move(out));
    on_parts(parts, [&](std::size_t k, std::size_t) {
        arrived_[k].assign(1, 0);
        PartPoints all;
        std::size_t bytes = 0;
        for (const comm::Parts::Box& box : in[k]) bytes += box.size();
        all.reserve(bytes / bytes_of_point(in_phase_space(config)), in_phase_space(config));
        for (comm::Parts::Box& box : in[k]) {
            const std::size_t n = append_packed(all, std::exchange(box, {}), in_phase_space(config));
            arrived_[k].push_back(arrived_[k].back() + n);
        }
        AUREOLE_EXPECT(all.size() < std::numeric_limits<Index>::max(),
                       "{} particles in one domain, expected less than 2^32: take more ranks", all.size());
        arrival_[k] = sorted_keys(all.size(), survey.frame, [&](std::size_t i) { return all.at(i); }).place;
        points[k] = all.gathered(arrival_[k]);
    });
}

}  // namespace aureole::halo

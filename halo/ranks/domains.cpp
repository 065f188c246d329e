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

SortedKeys sorted_keys(const ConstParticlesView& particles, const Box& box, const CurveFrame& frame)
{
    std::vector<std::uint64_t> keys(particles.n);
#pragma omp parallel for if (particles.n > few)
    for (Index i = 0; i < particles.n; ++i) keys[i] = frame.key(box.wrap(particles.position.load(i)));
    return SortedKeys::of(std::move(keys));
}

/// Points, and then their keys, which take longer to find than to send.
comm::Parts::Box packed_with_keys(const PartPoints& points, std::span<const std::uint64_t> keys)
{
    comm::Parts::Box box = packed(points, keys.size_bytes());
    pack(box, keys);
    return box;
}

/// What has come in such boxes.
struct Arrived {
    PartPoints points;
    std::vector<std::uint64_t> keys;
    std::vector<std::size_t> begin{0};  ///< of those of each box

    Arrived(std::vector<comm::Parts::Box> boxes, bool with_velocities)
    {
        const std::size_t bytes = bytes_of_point(with_velocities) + sizeof keys[0];
        std::size_t n = 0;
        for (const comm::Parts::Box& box : boxes) n += box.size() / bytes;
        points.reserve(n, with_velocities);
        keys.reserve(n);
        for (comm::Parts::Box& one : boxes) {
            const comm::Parts::Box box = std::exchange(one, {});
            const std::size_t of_keys = box.size() / bytes * sizeof keys[0];
            append_packed(points, std::span(box).first(box.size() - of_keys), with_velocities);
            append(keys, std::span(box).last(of_keys));
            begin.push_back(keys.size());
        }
    }
};

}  // namespace

Domains::Domains(comm::Parts& parts, std::span<const PartParticles> held, const FofConfig& config)
    : points(held.size()), parts_(parts), left_(held.size()), arrival_(held.size()), arrived_(held.size())
{
    const ParticleSurvey survey = ParticleSurvey::of(parts, held, config);
    all_link = survey.all_link;
    std::vector<SortedKeys> order(held.size());
    on_parts(parts, [&](std::size_t k, std::size_t) {
        order[k] = sorted_keys(held[k].particles, config.box, survey.frame);
    });
    const std::vector<std::uint64_t> cuts = even_cuts(parts, order);

    comm::Parts::Boxes out = parts.boxes();
    on_parts(parts, [&](std::size_t k, std::size_t part) {
        left_[k] = std::move(order[k].place);
        std::size_t begin = 0;
        for (std::size_t to = 0; to < out[k].size(); ++to) {
            const std::size_t end = to < cuts.size() ? order[k].number_below(cuts[to]) : left_[k].size();
            const auto list = std::span<const Index>(left_[k]).subspan(begin, end - begin);
            out[k][to] = packed_with_keys(points_of(held[k], list, config, survey.begin[part]),
                                          std::span(order[k].key).subspan(begin, end - begin));
            begin = end;
        }
        order[k] = {};
    });
    comm::Parts::Boxes in = parts.exchange(std::move(out));
    on_parts(parts, [&](std::size_t k, std::size_t) {
        Arrived all(std::exchange(in[k], {}), in_phase_space(config));
        AUREOLE_EXPECT(all.points.size() < std::numeric_limits<Index>::max(),
                       "{} particles in one domain, expected less than 2^32: take more ranks",
                       all.points.size());
        arrived_[k] = std::move(all.begin);
        arrival_[k] = SortedKeys::of(std::move(all.keys)).place;
        points[k] = all.points.gathered(arrival_[k]);
    });
}

}  // namespace aureole::halo

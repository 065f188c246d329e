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

PartPoints points_of(const PartParticles& part, const FofConfig& config, std::uint64_t first_serial)
{
    const ConstParticlesView& from = part.particles;
    PartPoints to;
    to.for_each_array(to, in_phase_space(config), [&](auto& array, auto&) { array.resize(from.n); });
#pragma omp parallel for if (from.n > few)
    for (Index i = 0; i < from.n; ++i) {
        const Vec3 x = config.box.wrap(from.position.load(i));
        to.position[0][i] = x.x;
        to.position[1][i] = x.y;
        to.position[2][i] = x.z;
        to.serial[i] = part.serial ? part.serial[i] : first_serial + i;
        to.id[i] = from.id ? from.id[i] : to.serial[i];
        to.role[i] = type_links(config.linking_types, from.type_of(i)) ? Role::links : Role::joins;
    }
    if (in_phase_space(config)) {
        const double* const axes[] = {from.velocity.x, from.velocity.y, from.velocity.z};
        for (std::size_t axis = 0; axis < 3; ++axis)
            std::copy(axes[axis], axes[axis] + from.n, to.velocity[axis].begin());
    }
    return to;
}

SortedKeys sorted_keys(const PartPoints& points, const CurveFrame& frame)
{
    std::vector<std::uint64_t> keys(points.size());
#pragma omp parallel for if (keys.size() > few)
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = frame.key(points.at(i));
    return SortedKeys::of(std::move(keys));
}

}  // namespace

Domains::Domains(comm::Parts& parts, std::span<const PartParticles> held, const FofConfig& config)
    : points(held.size()), parts_(parts), left_(held.size()), arrival_(held.size()), arrived_(held.size())
{
    const ParticleSurvey survey = ParticleSurvey::of(parts, held, config);
    all_link = survey.all_link;
    std::vector<SortedKeys> order(held.size());
    on_parts(parts, [&](std::size_t k, std::size_t part) {
        points[k] = points_of(held[k], config, survey.begin[part]);
        order[k] = sorted_keys(points[k], survey.frame);
    });
    const std::vector<std::uint64_t> cuts = even_cuts(parts, order);

    comm::Parts::Boxes out = parts.boxes();
    on_parts(parts, [&](std::size_t k, std::size_t) {
        left_[k] = std::move(order[k].place);
        std::size_t begin = 0;
        for (std::size_t to = 0; to < out[k].size(); ++to) {
            const std::size_t end = to < cuts.size() ? order[k].number_below(cuts[to]) : left_[k].size();
            out[k][to] =
                packed(points[k].gathered(std::span<const Index>(left_[k]).subspan(begin, end - begin)));
            begin = end;
        }
        points[k] = {};
        order[k] = {};
    });
    comm::Parts::Boxes in = parts.exchange(out);
    out = {};
    on_parts(parts, [&](std::size_t k, std::size_t) {
        arrived_[k].assign(1, 0);
        PartPoints all;
        for (comm::Parts::Box& box : in[k]) {
            const std::size_t n = append_packed(all, std::exchange(box, {}), in_phase_space(config));
            arrived_[k].push_back(arrived_[k].back() + n);
        }
        AUREOLE_EXPECT(all.size() < std::numeric_limits<Index>::max(),
                       "{} particles in one domain, expected less than 2^32: take more ranks", all.size());
        arrival_[k] = sorted_keys(all, survey.frame).place;
        points[k] = all.gathered(arrival_[k]);
    });
}

}  // namespace aureole::halo

#include "halo/ranks/particle_survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/fof/fof_checks.hpp"
#include "halo/fof/fof_workspace.hpp"
#include "halo/particle_summary.hpp"
#include "halo/ranks/part_points.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/curve_keys.hpp"

namespace aureole::halo {
namespace {

constexpr std::uint64_t no_particle = std::numeric_limits<std::uint64_t>::max();

/// A particle that is not finite, the one with the lowest serial.
struct Fault {
    std::uint64_t serial = no_particle;  ///< its place where the part has no serials
    std::uint64_t id = no_particle;      ///< none: the serial
    double x = 0, y = 0, z = 0;
};

/// What a part tells the others of its particles.
struct PartCard {
    std::uint64_t n = 0, n_joining = 0, has_serials = 0;
    double low[3], high[3];  ///< of wrapped positions
    Fault position, velocity;
};

bool is_finite(Vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

Fault lowest_fault(const PartParticles& part, const ConstVec3View& values)
{
    Fault lowest;
    for (Index i = 0; i < part.particles.n; ++i) {
        const Vec3 v = values.load(i);
        const std::uint64_t serial = part.serial ? part.serial[i] : i;
        if (is_finite(v) || serial >= lowest.serial) continue;
        lowest = {serial, part.particles.id ? part.particles.id[i] : no_particle, v.x, v.y, v.z};
    }
    return lowest;
}

PartCard card_of(const PartParticles& part, const FofConfig& config)
{
    expect_read_arrays(Backend::cpu, part.particles, config);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    PartCard card;
    card.n = part.particles.n;
    card.has_serials = part.serial ? 1 : 0;
    card.position = lowest_fault(part, part.particles.position);
    if (in_phase_space(config)) card.velocity = lowest_fault(part, part.particles.velocity);
    for (Index i = 0; i < part.particles.n; ++i)
        card.n_joining += type_links(config.linking_types, part.particles.type_of(i)) ? 0 : 1;
    const double* const axes[] = {part.particles.position.x, part.particles.position.y,
                                  part.particles.position.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double low = infinity, high = -infinity;
#pragma omp parallel for reduction(min : low) reduction(max : high) if (part.particles.n > few)
        for (Index i = 0; i < part.particles.n; ++i) {
            const double x = config.box.wrap(axes[axis][i]);
            low = std::min(low, x);
            high = std::max(high, x);
        }
        card.low[axis] = low;
        card.high[axis] = high;
    }
    return card;
}

/// Throws where a part has a fault, about the lowest serial of all.
void expect_finite(const std::vector<PartCard>& cards, const std::vector<std::uint64_t>& begin,
                   Fault PartCard::*fault, const char* what)
{
    Fault lowest;
    for (std::size_t p = 0; p < cards.size(); ++p) {
        Fault found = cards[p].*fault;
        if (found.serial == no_particle) continue;
        if (!cards[p].has_serials) found.serial += begin[p];
        if (found.serial < lowest.serial) lowest = found;
    }
    if (lowest.serial == no_particle) return;
    throw Error(damage_text(lowest.serial, lowest.id == no_particle ? lowest.serial : lowest.id, what,
                            {lowest.x, lowest.y, lowest.z}));
}

CurveFrame frame_around(const std::vector<PartCard>& cards, const Box& box)
{
    Vec3 low, high{box.side, box.side, box.side};
    if (!box.periodic()) {
        const auto corner = [](const double(&x)[3]) { return Vec3{x[0], x[1], x[2]}; };
        low = corner(cards[0].low);
        high = corner(cards[0].high);
        for (const PartCard& card : cards) {
            const Vec3 l = corner(card.low), h = corner(card.high);
            low = {std::min(low.x, l.x), std::min(low.y, l.y), std::min(low.z, l.z)};
            high = {std::max(high.x, h.x), std::max(high.y, h.y), std::max(high.z, h.z)};
        }
    }
    const double side = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    const double cells_per_length = side > 0 ? std::ldexp(1 / side, key_bits) : 0;  // 0 in a side without end
    return {low, cells_per_length};
}

}  // namespace

ParticleSurvey ParticleSurvey::of(comm::Parts& parts, std::span<const PartParticles> held,
                                  const FofConfig& config)
{
    std::vector<comm::Parts::Box> boxes(held.size());
    on_parts(parts, [&](std::size_t k, std::size_t) {
        const PartCard card = card_of(held[k], config);
        pack_one(boxes[k], card);
    });
    std::vector<PartCard> cards;
    for (const comm::Parts::Box& box : parts.all_gather(boxes)) append(cards, box);
    ParticleSurvey survey{{0}, frame_around(cards, config.box)};
    parts.common_check([&] {
        for (const PartCard& card : cards) {
            AUREOLE_EXPECT(card.n == 0 || card.has_serials == cards[0].has_serials || cards[0].n == 0,
                           "some parts have serial numbers and others not, expected all or none of them to");
            survey.all_link = survey.all_link && card.n_joining == 0;
            survey.begin.push_back(survey.begin.back() + card.n);
        }
        expect_finite(cards, survey.begin, &PartCard::position, "is at");
        expect_finite(cards, survey.begin, &PartCard::velocity, "has velocity");
    });
    return survey;
}

}  // namespace aureole::halo

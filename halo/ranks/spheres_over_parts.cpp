// Rounds of questions and answers about some centres of each part at a time. Every part learns all questions
// and answers those that touch its domain; owners add the answers up and ask again (sphere_search.hpp).
#include "halo/ranks/spheres_over_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "halo/overdensity/mass_tree.hpp"
#include "halo/overdensity/outermost_bound.hpp"
#include "halo/ranks/domain_masses.hpp"
#include "halo/ranks/part_points.hpp"
#include "halo/ranks/sphere_search.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t centres_at_once = 1 << 14;  ///< of each part
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What a part wants to know of the masses at some distances.
struct Question {
    Vec3 centre;
    DistanceRange range;
};

/// Of a question, by its number among those of its part.
struct BinAnswer {
    std::uint64_t question;
    std::uint64_t is_nearer;  ///< 1: of all that is nearer than the range
    MassBin bin;
};
struct NodeAnswer {
    std::uint64_t question;
    NodeMasses nodes;
};

/// What all masses have in common.
struct Totals {
    std::uint64_t n_particles, n_massive, largest_bits;

    double largest() const { return std::bit_cast<double>(largest_bits); }
};

Totals totals_of(comm::Parts& parts, std::span<const PartParticles> held,
                 const std::vector<PointMasses>& domains)
{
    std::vector<std::vector<std::uint64_t>> numbers, largest;
    for (std::size_t k = 0; k < held.size(); ++k) {
        numbers.push_back({held[k].particles.n, domains[k].size()});
        double most = 0;
        for (const double mass : domains[k].mass) most = std::max(most, mass);
        largest.push_back({bits_of_squared(most)});
    }
    const auto n = parts.all_reduce(numbers, comm::Reduction::sum);
    return {n[0], n[1], parts.all_reduce(largest, comm::Reduction::max)[0]};
}

std::vector<SphereDensity> by_falling_density(std::span<const double> density)
{
    std::vector<SphereDensity> result;
    for (std::size_t d = 0; d < density.size(); ++d) {
        if (std::isnan(density[d])) continue;
        AUREOLE_EXPECT(density[d] > 0 && std::isfinite(density[d]),
                       "threshold density {} is {}, expected finite and above 0", d, density[d]);
        result.push_back({density[d], d});
    }
    std::ranges::stable_sort(result, std::ranges::greater{}, &SphereDensity::density);
    return result;
}

/// Nodes near a centre, those of a factor of about 1.2 in distance together.
std::vector<NodeMasses> node_masses(const MassTree& tree, Vec3 centre, double widest)
{
    constexpr int shift = 51;  // two ranges for each factor of two in r^2
    std::vector<MassTree::NodeMass> nodes;
    tree.coarse_masses(centre, widest, nodes);
    std::ranges::sort(nodes, {}, &MassTree::NodeMass::squared);
    std::vector<NodeMasses> result;
    std::uint64_t last = 0;
    for (const MassTree::NodeMass& node : nodes) {
        const std::uint64_t range = bits_of_squared(node.squared) >> shift;
        if (result.empty() || range != last) result.push_back({std::bit_cast<double>(range << shift), 0, 0});
        last = range;
        result.back().mass += node.mass;
        result.back().points += node.points;
    }
    return result;
}

/// Answers with bins that are not empty.
std::vector<BinAnswer> masses_in_bins(const MassTree& tree, const Question& ask, int mass_exponent)
{
    const DistanceRange& range = ask.range;
    std::vector<MassTree::Range> found;
    tree.ranges_near(ask.centre, std::sqrt(std::bit_cast<double>(range.high)) * (1 + 1e-12), found);
    std::vector<BinAnswer> answers;
    std::vector<MassBin> bins(range.shift > 0 ? DistanceRange::most_bins : 0);
    MassBin nearer;
    for (const MassTree::Range& points : found)
        for (const MassTree::Point& point : tree.of(points)) {
            const Vec3 d = tree.box().nearest(point.position - ask.centre);
            const std::uint64_t bits = bits_of_squared(dot(d, d));
            if (bits > range.high) continue;
            const MassBin one{bits, bits, to_sum(point.mass, mass_exponent), 1};
            if (bits < range.low)
                nearer.add(one);
            else if (range.shift > 0)
                bins[range.bin(bits)].add(one);
            else
                answers.push_back({0, 0, one});
        }
    for (const MassBin& bin : bins)
        if (bin.count > 0) answers.push_back({0, 0, bin});
    if (nearer.count > 0) answers.push_back({0, 1, nearer});
    return answers;
}

/// `answers` of several parts to one question: bins by rising distance, each once.
std::vector<MassBin> joined_bins(const DistanceRange& range, std::vector<BinAnswer>& answers, MassBin& nearer)
{
    std::ranges::sort(answers, {}, [](const BinAnswer& answer) { return answer.bin.first; });
    std::vector<MassBin> bins;
    std::uint64_t last = 0;
    for (const BinAnswer& answer : answers) {
        if (answer.is_nearer) {
            nearer.add(answer.bin);
            continue;
        }
        const std::uint64_t at = range.bin(answer.bin.first);
        if (bins.empty() || at != last) bins.emplace_back();
        last = at;
        bins.back().add(answer.bin);
    }
    return bins;
}

/// The parts' trees, and what they tell each other.
class Inquiry {
public:
    Inquiry(comm::Parts& parts, std::span<const PartParticles> held, const Box& box,
            std::vector<SphereDensity> densities)  // one at least
        : parts_(parts), box_(box), densities_(std::move(densities)), tree_(held.size())
    {
        std::vector<PointMasses> domains = masses_in_domains(parts, held, box);
        const Totals totals = totals_of(parts, held, domains);
        parts.common_check([&] {
            AUREOLE_EXPECT(totals.n_particles <= std::numeric_limits<Index>::max(),
                           "spherical overdensities in {} particles, expected less than 2^32",
                           totals.n_particles);
            AUREOLE_EXPECT(std::isfinite(totals.largest()), "the largest mass is {}, expected a finite one",
                           totals.largest());
        });
        is_empty_ = totals.n_massive == 0;
        if (is_empty_) return;
        on_parts(parts, [&](std::size_t k, std::size_t) {
            tree_[k].emplace(std::exchange(domains[k], {}).view(), box_);
        });
        setting_ = {densities_, box.periodic() ? box.side / 2 : std::numeric_limits<double>::infinity(),
                    mass_exponent(totals.largest(), static_cast<Index>(totals.n_particles))};
        const double all = totals.largest() * static_cast<double>(totals.n_massive);
        reach_ = OutermostBound(all, densities_.back().density, setting_.widest).radius;
    }

    bool is_empty() const { return is_empty_; }

    /// Spheres about some centres of each part, a result for each density of each.
    void run(const std::vector<std::vector<Vec3>>& centre,
             const std::vector<std::span<OverdensitySphere>>& result, std::size_t width)
    {
        std::vector<std::vector<SphereSearch>> searches = begun(centre, result, width);
        for (;;) {
            std::vector<std::vector<Question>> asked(centre.size());
            std::vector<std::vector<std::size_t>> asks(centre.size());  // the search
            std::uint64_t n = 0;
            on_parts(parts_, [&](std::size_t k, std::size_t) {
                for (std::size_t c = 0; c < searches[k].size(); ++c)
                    for (const DistanceRange& range : searches[k][c].advance()) {
                        asked[k].push_back({centre[k][c], range});
                        asks[k].push_back(c);
                    }
                n += asked[k].size();
            });
            std::vector<std::vector<std::uint64_t>> numbers(centre.size(), {0});
            numbers[0] = {n};
            if (parts_.all_reduce(numbers, comm::Reduction::sum)[0] == 0) return;
            auto answers = answered<BinAnswer>(asked, [&](const MassTree& tree, const Question& ask) {
                return masses_in_bins(tree, ask, setting_.mass_exponent);
            });
            on_parts(parts_, [&](std::size_t k, std::size_t) {
                for (std::size_t q = 0; q < asked[k].size(); ++q) {
                    MassBin nearer;
                    auto bins = joined_bins(asked[k][q].range, answers[k][q], nearer);
                    searches[k][asks[k][q]].take(asked[k][q].range, std::move(bins), nearer);
                }
            });
        }
    }

private:
    /// Searches that know how far out spheres can end.
    std::vector<std::vector<SphereSearch>> begun(const std::vector<std::vector<Vec3>>& centre,
                                                 const std::vector<std::span<OverdensitySphere>>& result,
                                                 std::size_t width)
    {
        std::vector<std::vector<Question>> asked(centre.size());
        for (std::size_t k = 0; k < centre.size(); ++k)
            for (const Vec3 c : centre[k]) asked[k].push_back({c, {0, 0, 0}});
        auto answers = answered<NodeAnswer>(asked, [&](const MassTree& tree, const Question& ask) {
            std::vector<NodeAnswer> of_nodes;
            for (const NodeMasses& nodes : node_masses(tree, ask.centre, reach_))
                of_nodes.push_back({0, nodes});
            return of_nodes;
        });
        std::vector<std::vector<SphereSearch>> searches(centre.size());
        on_parts(parts_, [&](std::size_t k, std::size_t) {
            for (std::size_t c = 0; c < centre[k].size(); ++c) {
                std::vector<NodeMasses> nodes;
                for (const NodeAnswer& answer : answers[k][c]) nodes.push_back(answer.nodes);
                std::ranges::stable_sort(nodes, {}, &NodeMasses::squared);
                searches[k].emplace_back(setting_, nodes, result[k].data() + c * width);
            }
        });
        return searches;
    }

    /// Of each part that is held here and each of its questions, what all parts answer, part by part.
    template <class Answer, class Ask>
    std::vector<std::vector<std::vector<Answer>>> answered(const std::vector<std::vector<Question>>& asked,
                                                           Ask answer_to)
    {
        std::vector<comm::Parts::Box> boxes(asked.size());
        for (std::size_t k = 0; k < asked.size(); ++k) pack(boxes[k], std::span<const Question>(asked[k]));
        const std::vector<comm::Parts::Box> questions = parts_.all_gather(boxes);
        comm::Parts::Boxes out = parts_.boxes();
        on_parts(parts_, [&](std::size_t k, std::size_t) {
            for (std::size_t to = 0; to < out[k].size(); ++to) {
                const std::vector<Question> ask = values_of<Question>(questions[to]);
                std::vector<std::vector<Answer>> answers(ask.size());
#pragma omp parallel for schedule(dynamic, 4) if (ask.size() > 1)
                for (std::size_t q = 0; q < ask.size(); ++q) {
                    answers[q] = answer_to(*tree_[k], ask[q]);
                    for (Answer& one : answers[q]) one.question = q;
                }
                for (const auto& of_question : answers)
                    pack(out[k][to], std::span<const Answer>(of_question));
            }
        });
        comm::Parts::Boxes in = parts_.exchange(std::move(out));
        std::vector<std::vector<std::vector<Answer>>> result(asked.size());
        on_parts(parts_, [&](std::size_t k, std::size_t) {
            result[k].resize(asked[k].size());
            for (comm::Parts::Box& box : in[k])
                for (const Answer& answer : values_of<Answer>(std::exchange(box, {})))
                    result[k][answer.question].push_back(answer);
        });
        return result;
    }

    comm::Parts& parts_;
    Box box_;
    std::vector<SphereDensity> densities_;
    std::vector<std::optional<MassTree>> tree_;
    SphereSearch::Setting setting_{};
    double reach_ = 0;  ///< what is farther from a centre than this is in none of its spheres
    bool is_empty_ = false;
};

}  // namespace

std::vector<std::vector<OverdensitySphere>> spheres_over_parts(comm::Parts& parts,
                                                               std::span<const PartParticles> held,
                                                               const Box& box,
                                                               std::span<const double> density,
                                                               const std::vector<std::vector<Vec3>>& centre)
{
    AUREOLE_EXPECT(centre.size() == held.size(), "centres of {} parts where {} are held", centre.size(),
                   held.size());
    const std::size_t width = density.size();
    std::vector<std::vector<OverdensitySphere>> spheres(held.size());
    std::vector<std::vector<std::uint64_t>> most{{0}};
    most.resize(held.size(), {0});
    on_parts(parts, [&](std::size_t k, std::size_t) {
        for (std::size_t c = 0; c < centre[k].size(); ++c)
            AUREOLE_EXPECT(finite(centre[k][c]), "centre {} is not finite", c);
        spheres[k].assign(centre[k].size() * width, {nan, nan});
        most[k][0] = centre[k].size();
    });
    const std::uint64_t n_most = parts.all_reduce(most, comm::Reduction::max)[0];
    std::vector<SphereDensity> densities;
    parts.common_check([&] { densities = by_falling_density(density); });
    if (n_most == 0 || densities.empty()) return spheres;
    Inquiry inquiry(parts, held, box, std::move(densities));
    if (inquiry.is_empty()) {
        for (std::vector<OverdensitySphere>& of_part : spheres)
            for (std::size_t at = 0; at < of_part.size(); ++at)
                if (!std::isnan(density[at % width])) of_part[at] = {0, 0};
        return spheres;
    }
    for (std::size_t first = 0; first < n_most; first += centres_at_once) {
        std::vector<std::vector<Vec3>> some(held.size());
        std::vector<std::span<OverdensitySphere>> result(held.size());
        for (std::size_t k = 0; k < held.size(); ++k) {
            const std::size_t begin = std::min(first, centre[k].size());
            const std::size_t end = std::min(first + centres_at_once, centre[k].size());
            for (std::size_t c = begin; c < end; ++c) some[k].push_back(box.wrap(centre[k][c]));
            result[k] = std::span(spheres[k]).subspan(begin * width, (end - begin) * width);
        }
        inquiry.run(some, result, width);
    }
    return spheres;
}

}  // namespace aureole::halo

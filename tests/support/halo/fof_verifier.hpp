// Judges friends-of-friends answers by what they must satisfy, and a slow answer of its own. Brute force over
// all pairs; shares no code with the finder.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "halo/fof/friends_of_friends.hpp"
#include "sim/core/particles.hpp"

namespace aureole::test {

/// The query put to a finder, in host memory.
struct FofProblem {
    const Particles& particles;
    halo::FofConfig config;
    std::vector<bool> is_core{};  ///< per particle; empty: all

    FofProblem(const Particles& host, const halo::FofConfig& settings) : particles(host), config(settings)
    {
        if (config.min_friends <= 1) return;
        std::vector<bool> core(size());
        for (std::size_t i = 0; i < size(); ++i) {
            Index found = 0;
            for (std::size_t j = 0; j < size(); ++j) found += j != i && links(j) && friends(i, j);
            core[i] = found >= config.min_friends;
        }
        is_core = core;
    }

    std::size_t size() const { return particles.size(); }
    std::uint64_t id(std::size_t i) const { return particles.id.host()[i]; }
    bool links(std::size_t i) const { return has_linking_type(i) && (is_core.empty() || is_core[i]); }
    /// Whether a particle that does not link joins its nearest one that does.
    bool joins(std::size_t i) const { return !has_linking_type(i) || config.border == halo::Border::nearest; }

    /// In space, and in phase space with the velocities in lengths.
    double squared_distance(std::size_t i, std::size_t j) const
    {
        double sum = 0;
        for (const auto& x :
             {particles.position.x.host(), particles.position.y.host(), particles.position.z.host()})
            sum += std::pow(along(x[i], x[j]), 2);
        if (!std::isfinite(config.linking_velocity)) return sum;
        const double lengths = config.linking_length / config.linking_velocity;
        for (const auto& v :
             {particles.velocity.x.host(), particles.velocity.y.host(), particles.velocity.z.host()})
            sum += std::pow(lengths * (v[i] - v[j]), 2);
        return sum;
    }
    bool friends(std::size_t i, std::size_t j) const
    {
        return squared_distance(i, j) <= config.linking_length * config.linking_length;
    }

    /// The nearest linking particle within the linking length, ties by smaller id; size() when there is none.
    std::size_t nearest_linking(std::size_t i) const
    {
        std::size_t best = size();
        if (!joins(i)) return best;
        for (std::size_t j = 0; j < size(); ++j) {
            if (!links(j) || !friends(i, j)) continue;
            if (best == size() || squared_distance(i, j) < squared_distance(i, best) ||
                (squared_distance(i, j) == squared_distance(i, best) && id(j) < id(best)))
                best = j;
        }
        return best;
    }

private:
    bool has_linking_type(std::size_t i) const
    {
        return config.linking_types >> particles.type.host()[i] & 1;
    }
    double along(double a, double b) const
    {
        const double side = config.box.side;
        if (side == 0) return a - b;
        const double d = std::abs(inside(a) - inside(b));
        return std::min(d, side - d);
    }
    double inside(double x) const
    {
        const double rest = std::fmod(x, config.box.side);
        return rest < 0 ? rest + config.box.side : rest;
    }
};

/// Components by flood fill over the pairs that `same(i, j)` allows: a number per particle.
template <class Same>
std::vector<std::size_t> components(std::size_t n, Same same)
{
    std::vector<std::size_t> component(n, n), front;
    for (std::size_t seed = 0; seed < n; ++seed) {
        if (component[seed] != n) continue;
        component[seed] = seed;
        front.assign(1, seed);
        while (!front.empty()) {
            const std::size_t i = front.back();
            front.pop_back();
            for (std::size_t j = 0; j < n; ++j)
                if (component[j] == n && same(i, j)) {
                    component[j] = seed;
                    front.push_back(j);
                }
        }
    }
    return component;
}

/// The right answer, slowly.
inline halo::Groups reference_groups(const FofProblem& problem)
{
    const std::size_t n = problem.size();
    std::vector<std::size_t> component = components(n, [&](std::size_t i, std::size_t j) {
        return problem.links(i) && problem.links(j) && problem.friends(i, j);
    });
    for (std::size_t i = 0; i < n; ++i)
        if (!problem.links(i)) {
            const std::size_t host = problem.nearest_linking(i);
            component[i] = host == n ? n : component[host];
        }
    struct Group {
        std::size_t component;
        Index length = 0;
        std::uint64_t smallest_id = std::numeric_limits<std::uint64_t>::max();
    };
    std::vector<Group> groups(n);
    for (std::size_t i = 0; i < n; ++i) {
        groups[i].component = i;
        if (component[i] == n) continue;
        Group& group = groups[component[i]];
        ++group.length;
        group.smallest_id = std::min(group.smallest_id, problem.id(i));
    }
    std::erase_if(groups, [&](const Group& g) { return g.length < problem.config.min_members; });
    std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
        return a.length != b.length ? a.length > b.length : a.smallest_id < b.smallest_id;
    });
    halo::Groups result;
    std::vector<std::int32_t> row(n + 1, -1);
    for (const Group& group : groups) {
        row[group.component] = static_cast<std::int32_t>(result.size());
        result.n_members.push_back(group.length);
    }
    for (std::size_t i = 0; i < n; ++i) result.label.push_back(row[component[i]]);
    return result;
}

/// What is wrong with `groups`, in a sentence; empty when nothing is.
class FofVerifier {
public:
    FofVerifier(const FofProblem& problem, const halo::Groups& groups) : problem_(problem), groups_(groups) {}

    std::string fault() const
    {
        for (const auto check : {&FofVerifier::bad_labels, &FofVerifier::bad_order, &FofVerifier::broken_link,
                                 &FofVerifier::bad_join, &FofVerifier::loose_group})
            if (std::string found = (this->*check)(); !found.empty()) return found;
        return {};
    }

private:
    static std::string text(std::size_t i) { return std::to_string(i); }

    std::string bad_labels() const
    {
        if (groups_.label.size() != problem_.size()) return "labels: " + text(groups_.label.size());
        std::vector<Index> count(groups_.n_members.size(), 0);
        for (const std::int32_t label : groups_.label) {
            if (label < -1 || label >= static_cast<std::int32_t>(count.size()))
                return "label " + std::to_string(label) + " out of range";
            if (label >= 0) ++count[label];
        }
        if (count != groups_.n_members) return "lengths are not the numbers of members";
        for (const Index length : count)
            if (length < problem_.config.min_members) return "a group is too small";
        return {};
    }

    std::string bad_order() const
    {
        std::vector<std::uint64_t> smallest(groups_.n_members.size(),
                                            std::numeric_limits<std::uint64_t>::max());
        for (std::size_t i = 0; i < problem_.size(); ++i)
            if (groups_.label[i] >= 0)
                smallest[groups_.label[i]] = std::min(smallest[groups_.label[i]], problem_.id(i));
        for (std::size_t g = 1; g < smallest.size(); ++g) {
            if (groups_.n_members[g] > groups_.n_members[g - 1])
                return "group " + text(g) + " is longer than the last";
            if (groups_.n_members[g] == groups_.n_members[g - 1] && smallest[g] < smallest[g - 1])
                return "group " + text(g) + " has a smaller id than its equal before";
        }
        return {};
    }

    std::string broken_link() const
    {
        for (std::size_t i = 0; i < problem_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (groups_.label[i] != groups_.label[j] && problem_.links(i) && problem_.links(j) &&
                    problem_.friends(i, j))
                    return "friends " + text(j) + " and " + text(i) + " are apart";
        return {};
    }

    std::string bad_join() const
    {
        for (std::size_t i = 0; i < problem_.size(); ++i) {
            if (problem_.links(i)) continue;
            const std::size_t host = problem_.nearest_linking(i);
            if (groups_.label[i] != (host == problem_.size() ? -1 : groups_.label[host]))
                return "particle " + text(i) + " is not with its nearest linking neighbour";
        }
        return {};
    }

    /// Groups that are more than one component, and ungrouped components that are large enough to be a group.
    std::string loose_group() const
    {
        const std::size_t n = problem_.size();
        const std::vector<std::size_t> component = components(n, [&](std::size_t i, std::size_t j) {
            return problem_.links(i) && problem_.links(j) && groups_.label[i] == groups_.label[j] &&
                   problem_.friends(i, j);
        });
        std::vector<std::size_t> first(groups_.n_members.size(), n), ungrouped(n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t label = groups_.label[i];
            if (label < 0) {
                const std::size_t host = problem_.links(i) ? i : problem_.nearest_linking(i);
                if (host < n && ++ungrouped[component[host]] >= problem_.config.min_members)
                    return "the particles with " + text(i) + " should be a group";
            } else if (problem_.links(i)) {
                if (first[label] == n) first[label] = component[i];
                if (first[label] != component[i])
                    return "group " + std::to_string(label) + " is not connected";
            }
        }
        return {};
    }

    const FofProblem& problem_;
    const halo::Groups& groups_;
};

inline std::string fault_in(const FofProblem& problem, const halo::Groups& groups)
{
    return FofVerifier(problem, groups).fault();
}

}  // namespace aureole::test

#include "gravity/components/plan.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace aureole::gravity::components {
namespace {

using scf::Mode;

/// Components whose number passes `test`.
template <class Test>
Numbers numbers_where(const Config& config, Test test)
{
    Numbers numbers;
    for (int k = 0; k < static_cast<int>(config.solvers.size()); ++k)
        if (test(k)) numbers.push_back(k);
    return numbers;
}

Numbers joined(const Numbers& a, const Numbers& b)
{
    Numbers all = a;
    all.insert(all.end(), b.begin(), b.end());
    std::ranges::sort(all);
    return all;
}

struct Sorted {
    Numbers direct, tree, live, frozen;  ///< frozen: or played back
    Numbers expansions;                  ///< live and frozen, the largest scale radius first
};

Sorted sort(const Config& config, const scf::Config& expansions)
{
    const auto is = [&](const char* solver) {
        return [&config, solver](int k) { return config.solvers[static_cast<std::size_t>(k)] == solver; };
    };
    const auto is_live = [&](int k) { return field_of(expansions, k).mode == Mode::live; };
    const Numbers all = numbers_where(config, is("scf"));
    Sorted sorted{numbers_where(config, is("direct")), numbers_where(config, is("tree")), {}, {}, all};
    for (const int k : all) (is_live(k) ? sorted.live : sorted.frozen).push_back(k);
    std::ranges::stable_sort(sorted.expansions, std::ranges::greater{},
                             [&](int k) { return field_of(expansions, k).basis.scale_radius; });
    return sorted;
}

void expect_possible(const Config& config, const Sorted& sorted)
{
    if (sorted.frozen.empty()) return;
    for (const int k : joined(sorted.direct, sorted.tree))
        if (config.cross_of(static_cast<std::size_t>(k)) != Cross::expansion)
            throw ConfigError(
                fmt::format("gravity.components.cross is {} for component {}, and the expansion of component "
                            "{} is not live: only particles of a live one act as particles; expected "
                            "expansion",
                            config.cross[static_cast<std::size_t>(k)], k, sorted.frozen.front()));
}

/// Those of `list` whose `cross` is one of the two.
Numbers with_cross(const Config& config, const Numbers& list, Cross a, Cross b)
{
    return numbers_where(config, [&](int k) {
        const Cross cross = config.cross_of(static_cast<std::size_t>(k));
        return std::ranges::find(list, k) != list.end() && (cross == a || cross == b);
    });
}

void add_pairs(Plan& plan, const Config& config, const Sorted& sorted)
{
    const Numbers particles = joined(sorted.direct, sorted.tree);
    const auto add = [&](const char* solver, const Numbers& sources, const Numbers& targets, bool adds) {
        if (!sources.empty() && !targets.empty()) plan.pairs.push_back({solver, sources, targets, adds});
    };
    const auto add_own = [&](const char* solver, const Numbers& own, const Numbers& sources) {
        const Numbers all = with_cross(config, own, Cross::particles, Cross::particles);
        add(solver, sources, with_cross(config, own, Cross::expansion, Cross::mixed), false);
        add(solver, joined(sources, sorted.live), all, false);
    };
    add_own("tree", sorted.tree, sorted.tree);
    add_own("direct", sorted.direct, particles);
    add("direct", sorted.direct, sorted.tree, true);  // as the tree's particles act on them: by pairs
    for (const auto& [solver, own] : {std::pair{"tree", &sorted.tree}, std::pair{"direct", &sorted.direct}})
        add(solver, with_cross(config, *own, Cross::particles, Cross::mixed), sorted.live, true);
}

void add_fields(Plan& plan, const Config& config, const Sorted& sorted)
{
    const Numbers particles = joined(sorted.direct, sorted.tree);
    const Numbers all = numbers_where(config, [](int) { return true; });
    const auto is_live = [&](int k) { return std::ranges::find(sorted.live, k) != sorted.live.end(); };
    for (std::size_t k = 0; k < sorted.expansions.size(); ++k) {
        FieldPlan field{sorted.expansions[k], {}, {}};
        if (is_live(field.component)) {
            Numbers smaller;  // live ones behind it, whose kernel it is
            for (std::size_t j = k + 1; j < sorted.expansions.size(); ++j)
                if (is_live(sorted.expansions[j])) smaller.push_back(sorted.expansions[j]);
            field.reach = joined(with_cross(config, particles, Cross::expansion, Cross::mixed), smaller);
            field.felt = joined(with_cross(config, particles, Cross::expansion, Cross::expansion), smaller);
        } else {
            for (const int other : all)
                if (other != field.component) field.reach.push_back(other);
        }
        plan.fields.push_back(std::move(field));
    }
}

}  // namespace

const scf::FieldConfig& field_of(const scf::Config& expansions, int component)
{
    const auto k = static_cast<std::size_t>(component);
    return k < expansions.components.size() ? expansions.components[k] : expansions.defaults;
}

Plan make_plan(const Config& config, const scf::Config& expansions)
{
    expect_valid(config);
    const Sorted sorted = sort(config, expansions);
    expect_possible(config, sorted);
    Plan plan;
    add_pairs(plan, config, sorted);
    add_fields(plan, config, sorted);
    plan.zeroed = joined(sorted.live, sorted.frozen);
    return plan;
}

}  // namespace aureole::gravity::components

#include "sim/analysis/particle_difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "sim/core/spatial/box.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::run {
namespace {

constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();

/// The column of three numbers whose name ends in "Pos".
const Column* position_column(const Table& table)
{
    for (const Column& column : table.columns)
        if (column.name.ends_with("Pos") && column.width == 3 &&
            std::holds_alternative<std::vector<double>>(column.values))
            return &column;
    return nullptr;
}

const Column* sibling(const Table& table, const std::string& position, const std::string& name)
{
    return table.find(position.substr(0, position.size() - 3) + name);
}

/// Positions of the rows of one table, and the rows of the other table that they are matched with.
class Places {
public:
    Places(const Table& table, const Column& position, double box_side) : box_side_(box_side)
    {
        const auto& values = std::get<std::vector<double>>(position.values);
        for (std::size_t k = 0; k < table.rows; ++k)
            at_.push_back({values[3 * k], values[3 * k + 1], values[3 * k + 2]});
        partner_.assign(table.rows, no_row);
        const Column* radius = sibling(table, position.name, "Radius");
        if (radius && radius->width == 1 && std::holds_alternative<std::vector<double>>(radius->values))
            radius_ = std::get<std::vector<double>>(radius->values);
    }

    std::size_t size() const { return at_.size(); }
    Vec3 at(std::size_t row) const { return at_[row]; }
    bool free(std::size_t row) const { return partner_[row] == no_row; }
    std::size_t partner(std::size_t row) const { return partner_[row]; }
    void match(std::size_t row, std::size_t other) { partner_[row] = other; }

    /// How far a partner may be; without radii, any distance.
    double reach(std::size_t row) const
    {
        return radius_.empty() ? std::numeric_limits<double>::infinity() : radius_[row];
    }

    void sort_free()
    {
        by_x_.clear();
        for (std::size_t k = 0; k < size(); ++k)
            if (free(k) && finite(at_[k])) by_x_.push_back(k);
        std::ranges::stable_sort(by_x_, {}, [&](std::size_t k) { return at_[k].x; });
    }

    /// The free row nearest to x, the lowest of several; no_row when none is free. After sort_free().
    std::size_t nearest(Vec3 x) const
    {
        Search search{x, box_side_};
        for (const double shift : {0.0, box_side_, -box_side_}) {  // images along x, which the sweep follows
            sweep(search, x.x + shift);
            if (!(box_side_ > 0)) break;
        }
        return search.row;
    }

private:
    struct Search {
        Vec3 x;
        double box_side;
        double squared = std::numeric_limits<double>::infinity();
        std::size_t row = no_row;
    };

    /// From the place of `x` outwards on both sides, as long as x alone does not rule the rest out.
    void sweep(Search& search, double x) const
    {
        const auto begin = std::ranges::lower_bound(by_x_, x, {}, [&](std::size_t k) { return at_[k].x; });
        for (auto k = begin; k != by_x_.end() && closer(search, *k, at_[*k].x - x); ++k) {
        }
        for (auto k = begin; k != by_x_.begin() && closer(search, *(k - 1), x - at_[*(k - 1)].x); --k) {
        }
    }

    /// Takes the row when it is nearer; false when rows beyond it cannot be.
    bool closer(Search& search, std::size_t row, double along_x) const
    {
        if (along_x * along_x > search.squared) return false;
        const Vec3 d = Box{search.box_side}.nearest(at_[row] - search.x);
        const double squared = dot(d, d);
        if (squared < search.squared || (squared == search.squared && row < search.row)) {
            search.squared = squared;
            search.row = row;
        }
        return true;
    }

    double box_side_;
    std::vector<Vec3> at_;
    std::vector<double> radius_;
    std::vector<std::size_t> partner_, by_x_;
};

void match_by_id(const Column* first, const Column* second, Places& a, Places& b)
{
    if (!first || !second) return;
    const auto* ids_a = std::get_if<std::vector<std::int64_t>>(&first->values);
    const auto* ids_b = std::get_if<std::vector<std::int64_t>>(&second->values);
    if (!ids_a || !ids_b) return;
    std::map<std::int64_t, std::size_t> rows;
    for (std::size_t j = 0; j < b.size(); ++j) rows.emplace((*ids_b)[j], j);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto found = rows.find((*ids_a)[i]);
        if (found == rows.end() || !b.free(found->second)) continue;
        a.match(i, found->second);
        b.match(found->second, i);
    }
}

void match_by_number(Places& a, Places& b)
{
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
        const Vec3 x = a.at(k), y = b.at(k);
        if (!a.free(k) || !b.free(k) || !same(x.x, y.x) || !same(x.y, y.y) || !same(x.z, y.z)) continue;
        a.match(k, k);
        b.match(k, k);
    }
}

/// One round of rows that are each other's nearest; whether there were any.
bool match_nearest(Places& a, Places& b, double box_side)
{
    a.sort_free();
    b.sort_free();
    std::vector<RowPair> found;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!a.free(i) || !finite(a.at(i))) continue;
        const std::size_t j = b.nearest(a.at(i));
        if (j == no_row || a.nearest(b.at(j)) != i) continue;
        const Vec3 d = Box{box_side}.nearest(a.at(i) - b.at(j));
        if (std::sqrt(dot(d, d)) <= std::max(a.reach(i), b.reach(j))) found.push_back({i, j});
    }
    for (const auto& [i, j] : found) {
        a.match(i, j);
        b.match(j, i);
    }
    return !found.empty();
}

}  // namespace

RowMatching matched_rows(const Table& first, const Table& second, double box_side)
{
    RowMatching result;
    const Column* position = position_column(first);
    const Column* other = position ? second.find(position->name) : nullptr;
    if (!other || other->width != 3 || !std::holds_alternative<std::vector<double>>(other->values)) {
        for (std::size_t k = 0; k < std::min(first.rows, second.rows); ++k) result.pairs.push_back({k, k});
        return result;
    }
    result.by_place = true;
    Places a(first, *position, box_side), b(second, *other, box_side);
    match_by_id(sibling(first, position->name, "IDMostbound"), sibling(second, position->name, "IDMostbound"),
                a, b);
    match_by_number(a, b);
    while (match_nearest(a, b, box_side)) {
    }
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!a.free(i)) result.pairs.push_back({i, a.partner(i)});
    return result;
}

}  // namespace aureole::run

#include "sim/analysis/particle_difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

/// Collects one quantity over all pairs.
class Collector {
public:
    explicit Collector(std::string name) { field_.name = std::move(name); }

    void add(std::uint64_t at, double squared_size, double difference, bool equal)
    {
        squares_ += squared_size;
        ++n_;
        if (equal) return;
        ++field_.n_different;
        // a difference that is no number is the largest of all
        const double d = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
        if (field_.n_different > 1 && !(d > field_.largest)) return;
        field_.largest = d;
        field_.at = at;
    }
    FieldDifference done()
    {
        field_.size = n_ > 0 ? std::sqrt(squares_ / static_cast<double>(n_)) : 0;
        return field_;
    }

private:
    FieldDifference field_;
    double squares_ = 0;
    std::uint64_t n_ = 0;
};

std::vector<Index> order_by_id(const Particles& host)
{
    std::vector<Index> order(host.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto ids = host.id.host();
    std::ranges::stable_sort(order, {}, [&](Index i) { return ids[i]; });
    return order;
}

struct Pair {
    Index first, second;
};

/// Particles with equal ids; of an id that occurs several times the first with the first, and so on.
std::vector<Pair> matched(const Particles& first, const Particles& second)
{
    const std::vector<Index> a = order_by_id(first), b = order_by_id(second);
    std::vector<Pair> pairs;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const std::uint64_t id_a = first.id.host()[a[i]], id_b = second.id.host()[b[j]];
        if (id_a == id_b) pairs.push_back({a[i], b[j]});
        i += id_a <= id_b;
        j += id_b <= id_a;
    }
    return pairs;
}

template <class Value>
FieldDifference scalars(const char* name, const Particles& first, const std::vector<Pair>& pairs,
                        const Value& value_a, const Value& value_b)
{
    Collector collector(name);
    for (const auto& [i, j] : pairs) {
        const auto a = static_cast<double>(value_a[i]), b = static_cast<double>(value_b[j]);
        collector.add(first.id.host()[i], a * a, std::abs(a - b), same(a, b));
    }
    return collector.done();
}

FieldDifference vectors(const char* name, const Particles& first, const std::vector<Pair>& pairs,
                        const Vec3Buffer& a, const Vec3Buffer& b)
{
    Collector collector(name);
    for (const auto& [i, j] : pairs) {
        const Vec3 u = a.load(i), v = b.load(j), d = u - v;
        collector.add(first.id.host()[i], dot(u, u), std::sqrt(dot(d, d)),
                      same(u.x, v.x) && same(u.y, v.y) && same(u.z, v.z));
    }
    return collector.done();
}

FieldDifference columns(const Column& a, const Column& b, const std::vector<RowPair>& pairs)
{
    Collector collector(a.name);
    std::visit(
        [&](const auto& first, const auto& second) {
            for (const auto& [i, j] : pairs)
                for (std::size_t k = 0; k < a.width; ++k) {
                    const auto u = static_cast<double>(first[i * a.width + k]),
                               v = static_cast<double>(second[j * a.width + k]);
                    collector.add(i, std::isnan(u) ? 0 : u * u, std::abs(u - v), same(u, v));
                }
        },
        a.values, b.values);
    return collector.done();
}

}  // namespace

double FieldDifference::relative() const
{
    if (n_different == 0) return 0;
    return size > 0 ? largest / size : std::numeric_limits<double>::infinity();
}

bool SetDifference::within(double tolerance) const
{
    return only_in_first == 0 && only_in_second == 0 && only_in_one.empty() &&
           std::ranges::all_of(fields, [&](const FieldDifference& field) {
               return field.n_different == 0 || field.relative() <= tolerance;
           });
}

SetDifference difference(const Particles& first, const Particles& second)
{
    const std::vector<Pair> pairs = matched(first, second);
    SetDifference result;
    result.in_both = pairs.size();
    result.only_in_first = first.size() - pairs.size();
    result.only_in_second = second.size() - pairs.size();
    result.fields = {scalars("mass", first, pairs, first.mass.host(), second.mass.host()),
                     vectors("position", first, pairs, first.position, second.position),
                     vectors("velocity", first, pairs, first.velocity, second.velocity),
                     scalars("type", first, pairs, first.type.host(), second.type.host()),
                     scalars("component", first, pairs, first.component.host(), second.component.host())};
    return result;
}

SetDifference difference(const Table& first, const Table& second, double box_side)
{
    const RowMatching rows = matched_rows(first, second, box_side);
    SetDifference result;
    result.in_both = rows.pairs.size();
    result.renumbered = static_cast<std::uint64_t>(
        std::ranges::count_if(rows.pairs, [](const RowPair& pair) { return pair.first != pair.second; }));
    result.only_in_first = first.rows - result.in_both;
    result.only_in_second = second.rows - result.in_both;
    for (const Column& column : first.columns) {
        const Column* other = second.find(column.name);
        if (other && other->width == column.width)
            result.fields.push_back(columns(column, *other, rows.pairs));
        else
            result.only_in_one.push_back(column.name);
    }
    for (const Column& column : second.columns)
        if (!first.find(column.name)) result.only_in_one.push_back(column.name);
    return result;
}

SetDifference difference(const io::CoefficientFile& first, const io::CoefficientFile& second)
{
    AUREOLE_EXPECT(first.basis == second.basis && first.n_max == second.n_max &&
                       first.l_max == second.l_max && first.scale == second.scale,
                   "expansions in different bases, expected {}, n_max {}, l_max {}, scale {} for both",
                   first.basis, first.n_max, first.l_max, first.scale);
    SetDifference result;
    result.in_both = std::min(first.moments.size(), second.moments.size());
    result.only_in_first = first.moments.size() - result.in_both;
    result.only_in_second = second.moments.size() - result.in_both;
    Collector time("time"), centre("centre"), values("coefficients"), variances("variances");
    const auto add = [&](Collector& to, std::uint64_t moment, const auto& a, const auto& b) {
        for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
            to.add(moment * first.size() + k, std::norm(a[k]), std::abs(a[k] - b[k]), a[k] == b[k]);
    };
    bool have_variances = false, one_has_them = false;
    for (std::size_t k = 0; k < result.in_both; ++k) {
        const io::CoefficientMoment &a = first.moments[k], &b = second.moments[k];
        time.add(k * first.size(), a.time * a.time, std::abs(a.time - b.time), a.time == b.time);
        const Vec3 d = a.centre - b.centre;
        centre.add(k * first.size(), dot(a.centre, a.centre), std::sqrt(dot(d, d)), dot(d, d) == 0);
        add(values, k, a.values, b.values);
        add(variances, k, a.variances, b.variances);
        have_variances |= !a.variances.empty() && !b.variances.empty();
        one_has_them |= a.variances.empty() != b.variances.empty();
    }
    result.fields = {time.done(), centre.done(), values.done()};
    if (have_variances) result.fields.push_back(variances.done());
    if (one_has_them) result.only_in_one.emplace_back("variances");
    return result;
}

}  // namespace aureole::run

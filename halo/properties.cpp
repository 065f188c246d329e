// Sums over the members of each group, in group_order: the same bits for any number of threads. Positions are
// taken relative to a group's first member (nearest images), so groups may lie across the faces of a box; a
// group longer than half the box has no unique centre. Where all members are massless each counts alike.
#include "halo/properties.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

using PerType = std::array<double, n_particle_types>;

struct Row {
    std::array<std::int64_t, n_particle_types> length_by_type{};
    PerType mass_by_type{};
    double mass = 0;
    Vec3 centre, velocity;
    double dispersion = 0, radius = 0, half_mass_radius = 0;
};

/// The members of one group, with weights that are their masses, or 1 each when nobody has mass.
class Members {
public:
    Members(const Particles& host, std::span<const Index> index, const Box& box)
        : host_(host), index_(index), box_(box)
    {
        for (const Index i : index_) mass_ += mass(i);
        total_ = mass_ > 0 ? mass_ : static_cast<double>(index_.size());
    }

    Row row() const
    {
        Row row;
        row.mass = mass_;
        for (const Index i : index_) {
            const ParticleType type = host_.type.host()[i];
            ++row.length_by_type.at(type);
            row.mass_by_type.at(type) += mass(i);
        }
        row.centre = centre();
        set_motion(row);
        set_radii(row);
        return row;
    }

private:
    double mass(Index i) const { return host_.mass.host()[i]; }
    double weight(Index i) const { return mass_ > 0 ? mass(i) : 1.0; }
    Vec3 position(Index i) const
    {
        const Vec3Buffer& x = host_.position;
        return box_.wrap(Vec3{x.x.host()[i], x.y.host()[i], x.z.host()[i]});
    }
    Vec3 velocity(Index i) const
    {
        const Vec3Buffer& v = host_.velocity;
        return {v.x.host()[i], v.y.host()[i], v.z.host()[i]};
    }

    Vec3 centre() const
    {
        const Vec3 origin = position(index_[0]);
        Vec3 sum;
        for (const Index i : index_) sum = sum + weight(i) * box_.nearest(position(i) - origin);
        return box_.wrap(origin + (1 / total_) * sum);
    }

    void set_motion(Row& row) const
    {
        const Vec3 origin =
            velocity(index_[0]);  // a common velocity, however large, leaves no rounding error
        Vec3 sum;
        for (const Index i : index_) sum = sum + weight(i) * (velocity(i) - origin);
        row.velocity = origin + (1 / total_) * sum;
        double squares = 0;
        for (const Index i : index_) {
            const Vec3 v = velocity(i) - row.velocity;
            squares += weight(i) * dot(v, v);
        }
        row.dispersion = std::sqrt(squares / (3 * total_));
    }

    void set_radii(Row& row) const
    {
        struct Shell {
            double radius, weight;
        };
        std::vector<Shell> shells;
        shells.reserve(index_.size());
        for (const Index i : index_) {
            const Vec3 d = box_.nearest(position(i) - row.centre);
            shells.push_back({std::sqrt(dot(d, d)), weight(i)});
        }
        std::stable_sort(shells.begin(), shells.end(),
                         [](const Shell& a, const Shell& b) { return a.radius < b.radius; });
        row.radius = shells.back().radius;
        row.half_mass_radius = row.radius;
        double inside = 0;
        for (const Shell& shell : shells) {
            inside += shell.weight;
            if (2 * inside >= total_) {
                row.half_mass_radius = shell.radius;
                break;
            }
        }
    }

    const Particles& host_;
    std::span<const Index> index_;
    Box box_;
    double mass_ = 0, total_ = 0;
};

std::vector<std::size_t> group_begins(const Groups& groups)
{
    std::vector<std::size_t> begin{0};
    for (const Index length : groups.length) begin.push_back(begin.back() + length);
    return begin;
}

/// Checked before the parallel loop, where nothing may be thrown.
void expect_types(const Particles& host)
{
    const auto type = host.type.host();
    for (std::size_t i = 0; i < type.size(); ++i)
        AUREOLE_EXPECT(type[i] < n_particle_types, "particle {} has type {}, expected 0 to {}", i, +type[i],
                       n_particle_types - 1);
}

std::vector<Row> rows_of(const Particles& host, const Groups& groups, const Box& box)
{
    const std::vector<Index> order = group_order(groups);
    const std::vector<std::size_t> begin = group_begins(groups);
    std::vector<Row> rows(groups.length.size());
#pragma omp parallel for schedule(dynamic) if (order.size() > parallel_threshold)
    for (std::size_t g = 0; g < rows.size(); ++g)
        rows[g] = Members(host, std::span(order).subspan(begin[g], groups.length[g]), box).row();
    return rows;
}

/// Collects columns: `of(row)` gives what one row contributes, a number or an array of `width`.
class TableBuilder {
public:
    explicit TableBuilder(const std::vector<Row>& rows) : rows_(rows) { table_.rows = rows.size(); }

    template <class Of>
    void number(const char* name, const char* description, Dimension dimension, Of of)
    {
        std::vector<double> values;
        for (const Row& row : rows_) values.push_back(of(row));
        add(name, description, dimension, 1, std::move(values));
    }
    template <class Of>
    void vector(const char* name, const char* description, Dimension dimension, Of of)
    {
        std::vector<double> values;
        for (const Row& row : rows_)
            for (const Vec3 v = of(row); const double c : {v.x, v.y, v.z}) values.push_back(c);
        add(name, description, dimension, 3, std::move(values));
    }
    template <class Value, class Of>
    void by_type(const char* name, const char* description, Dimension dimension, Of of)
    {
        std::vector<Value> values;
        for (const Row& row : rows_) {
            const auto part = of(row);
            values.insert(values.end(), part.begin(), part.end());
        }
        add(name, description, dimension, n_particle_types, std::move(values));
    }
    void add(const char* name, const char* description, Dimension dimension, std::size_t width, auto values)
    {
        table_.columns.push_back({name, description, dimension, width, std::move(values)});
    }
    Table take() { return std::move(table_); }

private:
    const std::vector<Row>& rows_;
    Table table_;
};

std::vector<std::int64_t> offsets_by_type(const std::vector<Row>& rows)
{
    std::vector<std::int64_t> values;
    std::array<std::int64_t, n_particle_types> end{};
    for (const Row& row : rows) {
        values.insert(values.end(), end.begin(), end.end());
        for (std::size_t t = 0; t < end.size(); ++t) end[t] += row.length_by_type[t];
    }
    return values;
}

}  // namespace

std::vector<Index> group_order(const Groups& groups)
{
    std::vector<std::size_t> next = group_begins(groups);
    std::vector<Index> order(groups.label.size());
    for (std::size_t i = 0; i < groups.label.size(); ++i) {
        const std::int32_t label = groups.label[i];
        const std::size_t group = label < 0 ? groups.length.size() : static_cast<std::size_t>(label);
        order[next[group]++] = static_cast<Index>(i);
    }
    return order;
}

Table group_properties(const Particles& host, const Groups& groups, const Box& box)
{
    AUREOLE_EXPECT(groups.label.size() == host.size(), "{} labels for {} particles", groups.label.size(),
                   host.size());
    expect_types(host);
    const std::vector<Row> rows = rows_of(host, groups, box);
    const Dimension count{}, length{.length = 1}, mass{.mass = 1}, velocity{.velocity = 1};
    TableBuilder table(rows);
    table.add("GroupLen", "Number of members", count, 1,
              std::vector<std::int64_t>(groups.length.begin(), groups.length.end()));
    table.by_type<std::int64_t>("GroupLenType", "Number of members of each type", count,
                                [](const Row& r) { return r.length_by_type; });
    table.add("GroupOffsetType", "First member among the particles of each type", count, n_particle_types,
              offsets_by_type(rows));
    table.number("GroupMass", "Sum of the members' masses", mass, [](const Row& r) { return r.mass; });
    table.by_type<double>("GroupMassType", "Mass of the members of each type", mass,
                          [](const Row& r) { return r.mass_by_type; });
    table.vector("GroupPos", "Centre of mass", length, [](const Row& r) { return r.centre; });
    table.vector("GroupVel", "Velocity of the centre of mass", velocity,
                 [](const Row& r) { return r.velocity; });
    table.number("GroupVelDisp", "One-dimensional velocity dispersion, mass-weighted", velocity,
                 [](const Row& r) { return r.dispersion; });
    table.number("GroupRadius", "Distance of the farthest member from GroupPos", length,
                 [](const Row& r) { return r.radius; });
    table.number("GroupHalfMassRad", "Radius about GroupPos that holds half of the mass", length,
                 [](const Row& r) { return r.half_mass_radius; });
    return table.take();
}

}  // namespace aureole::halo

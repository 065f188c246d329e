// Torques by component: two bodies by hand, pairs one by one, a field, trees beside direct sums, and memory.
#include "sim/analysis/angular_momentum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gravity/external/potential_field.hpp"
#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/support/models/mock_disks.hpp"

namespace aureole::test {
namespace {

using run::ComponentTorque, run::DiskFrame;

std::unique_ptr<gravity::Solver> exact_or_tree(const std::string& name, double softening)
{
    gravity::Config config;
    config.solver = name;
    config.precision = Precision::double_precision;
    config.softening.length.fill(softening);
    return gravity::make_solver(config);
}

std::vector<ComponentTorque> torques_of(Backend where, const Particles& host, const DiskFrame& frame,
                                        const std::string& solver, double softening,
                                        run::ExternalFields fields = {})
{
    const Particles there = host.copy_to(where);
    return run::component_torques({where}, there.view(), frame, *exact_or_tree(solver, softening), fields, 0);
}

/// A bar of three components, the last of which has two types, with unequal masses.
Particles three_components()
{
    Particles host = disk_of(rigid_bar(300, 0.3, 0.7, 5));
    for (std::size_t i = 0; i < host.size(); ++i) {
        host.component.host()[i] = static_cast<Component>(i % 7 == 0 ? 400 : i % 3 == 0 ? 2 : 0);
        host.type.host()[i] = i % 14 == 0 ? 4 : 2;
        host.mass.host()[i] *= 1 + 0.1 * static_cast<double>(i % 5);
    }
    return host;
}

const ComponentTorque& row_of(const std::vector<ComponentTorque>& rows, std::optional<Component> from,
                              Component on, ParticleType type)
{
    static const ComponentTorque none{};
    const auto it = std::ranges::find_if(rows, [&](const ComponentTorque& row) {
        return row.from == from && row.component == on && row.type == type;
    });
    EXPECT_NE(it, rows.end()) << on << " " << int{type};
    return it == rows.end() ? none : *it;
}

void expect_vector(Vec3 found, Vec3 expected, double tolerance)
{
    EXPECT_NEAR(found.x, expected.x, tolerance);
    EXPECT_NEAR(found.y, expected.y, tolerance);
    EXPECT_NEAR(found.z, expected.z, tolerance);
}

TEST(Torques, TwoBodiesDoneByHand)
{
    Particles host = disk_of({{{1, 0, 0}, {}}, {{0, 1, 0}, {}}});
    host.mass.host()[0] = 2;
    host.mass.host()[1] = 3;
    host.component.host()[1] = 4;
    DiskFrame frame;
    frame.axis = {0, 0.6, 0.8};
    frame.velocity = {7, 8, 9};  // takes no part
    for (const Backend where : available_backends()) {
        const auto rows = torques_of(where, host, frame, "direct", 0);
        ASSERT_EQ(rows.size(), 4u);
        // the force on the first is 6 (-1, 1, 0) / 2^1.5
        const double size = 6 / std::pow(2, 1.5);
        expect_vector(row_of(rows, Component{4}, 0, 2).torque, {0, 0, size}, 1e-14);
        expect_vector(row_of(rows, Component{0}, 4, 2).torque, {0, 0, -size}, 1e-14);
        expect_vector(row_of(rows, Component{0}, 0, 2).torque, {}, 1e-14);
        frame.centre = {1, 0, 0};  // there is no arm for the first, and one of (-1, 1, 0) for the other
        expect_vector(row_of(torques_of(where, host, frame, "direct", 0), Component{0}, 4, 2).torque, {},
                      1e-14);
        frame.centre = {};

        const Table table = run::torque_table(rows, frame, 10);
        EXPECT_EQ(table.rows, 4u);
        const auto& along = std::get<std::vector<double>>(table.find("AlongAxis")->values);
        EXPECT_NEAR(along[1], -8 * size, 1e-13);
        EXPECT_EQ(std::get<std::vector<std::int64_t>>(table.find("From")->values)[3], 4);
    }
}

TEST(Torques, OfADirectSumAreThoseOfAllPairsAndOppositeBetweenComponents)
{
    const Particles host = three_components();
    const ConstParticlesView p = host.view();
    const double softening = 0.05;
    DiskFrame frame;
    frame.centre = {0.3, -0.2, 0.1};
    gravity::TidalPotential tide{{0.1, 0.2, 0.3}, 0.5, -0.2, 0.1, 0.3, -0.4, 0.6};
    for (const Backend where : available_backends()) {
        std::vector<std::unique_ptr<gravity::ExternalField>> fields;
        fields.push_back(std::make_unique<gravity::PotentialField>(tide, gravity::FieldPlacement{}));
        const auto rows = torques_of(where, host, frame, "direct", softening, fields);
        EXPECT_EQ(rows.size(), 4u * 4u);  // three components and the field, on four components and types
        double size = 0;
        for (const ComponentTorque& row : rows) {
            Vec3 expected{};
            for (Index i = 0; i < p.n; ++i) {
                if (p.component[i] != row.component || p.type[i] != row.type) continue;
                const Vec3 x = p.position.load(i);
                Vec3 a{};
                for (Index j = 0; row.from && j < p.n; ++j) {
                    const Vec3 d = p.position.load(j) - x;
                    if (j == i || p.component[j] != *row.from) continue;
                    a = a + p.mass[j] / std::pow(dot(d, d) + softening * softening, 1.5) * d;
                }
                if (!row.from)
                    a = {0.1 + 0.5 * x.x + 0.3 * x.y - 0.4 * x.z, 0.2 + 0.3 * x.x - 0.2 * x.y + 0.6 * x.z,
                         0.3 - 0.4 * x.x + 0.6 * x.y + 0.1 * x.z};
                expected = expected + p.mass[i] * cross(x - frame.centre, a);
                size = std::max(size, p.mass[i] * length(x - frame.centre) * length(a));
            }
            expect_vector(row.torque, expected, 1e-13 * static_cast<double>(p.n) * size);
        }
        const auto both_types = [&](Component from, Component on) {
            return on == 400 ? row_of(rows, from, on, 2).torque + row_of(rows, from, on, 4).torque
                             : row_of(rows, from, on, 2).torque;
        };
        for (const Component a : {Component{0}, Component{2}, Component{400}})
            for (const Component b : {Component{0}, Component{2}, Component{400}})
                expect_vector(both_types(a, b) + both_types(b, a), {},
                              1e-13 * static_cast<double>(p.n) * size);
        EXPECT_GT(length(both_types(0, 2)), 1e-9 * size) << "torques that are not all zero";
    }
}

TEST(Torques, OfATreeAreThoseOfTheDirectSumToItsError)
{
    const Particles host = three_components();
    for (const Backend where : available_backends()) {
        const auto exact = torques_of(where, host, {}, "direct", 0.05);
        const auto tree = torques_of(where, host, {}, "tree", 0.05);
        ASSERT_EQ(tree.size(), exact.size());
        // errors of 1e-3 of the forces, which a sum of n particles with no sign in common adds as sqrt(n)
        double forces = 0;
        const ConstParticlesView p = host.view();
        for (Index i = 0; i < p.n; ++i) {
            const double r = length(p.position.load(i));
            forces += std::pow(p.mass[i] * r / (0.1 + r * r), 2);
        }
        for (std::size_t k = 0; k < tree.size(); ++k)
            expect_vector(tree[k].torque, exact[k].torque, 1e-3 * std::sqrt(forces));
    }
}

TEST(Torques, OfNoParticlesAreNoneAndMemoryIsAsForecast)
{
    const auto solver = exact_or_tree("direct", 0.05);
    for (const Backend where : available_backends()) {
        EXPECT_TRUE(run::component_torques({where}, Particles(where, 0).view(), {}, *solver).empty());
        const Particles there = disk_of(rigid_bar(2000, 0.3, 2, 5)).copy_to(where);
        for (const char* name : {"direct", "tree"}) {
            const std::size_t before = memory::held_bytes(where);
            memory::reset_peak(where);
            const auto own = exact_or_tree(name, 0.05);
            EXPECT_EQ(run::component_torques({where}, there.view(), {}, *own).size(), 1u);
            const std::size_t taken = memory::peak_bytes(where) - before;
            const std::size_t forecast =
                run::torque_bytes(where, there.size()) + own->scratch_bytes(where, there.size());
            EXPECT_LE(taken, forecast) << name_of(where) << " " << name;
            EXPECT_GT(taken, forecast / 2) << name_of(where) << " " << name;
        }
    }
}

}  // namespace
}  // namespace aureole::test

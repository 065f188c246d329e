// The expansion of distant cells about the origin of a group, against the sum over their bodies in double.
#include "gravity/tree/local_expansion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/point_sets.hpp"

namespace aureole::test::tree_local_expansion_test {
namespace {

using namespace gravity::tree;
using Point = std::array<double, 3>;

struct PointMass {
    Point x;
    double mass;
};

struct Field4 {
    double a[3] = {}, potential = 0;
};

/// Second moments of the bodies about `centre`.
DistantCell<double> cell_of(const std::vector<PointMass>& bodies, const Point& centre)
{
    DistantCell<double> cell{centre[0], centre[1], centre[2], 0, 0, 0, 0, 0, 0, 0};
    for (const PointMass& body : bodies) {
        double d[3];
        for (int k = 0; k < 3; ++k) d[k] = body.x[k] - centre[k];
        cell.mass += body.mass;
        cell.xx += body.mass * d[0] * d[0];
        cell.xy += body.mass * d[0] * d[1];
        cell.xz += body.mass * d[0] * d[2];
        cell.yy += body.mass * d[1] * d[1];
        cell.yz += body.mass * d[1] * d[2];
        cell.zz += body.mass * d[2] * d[2];
    }
    return cell;
}

Field4 direct(const std::vector<PointMass>& bodies, const Point& at, double eps = 0)
{
    Field4 sum;
    for (const PointMass& body : bodies) {
        double d[3], s2 = eps * eps;
        for (int k = 0; k < 3; ++k) d[k] = body.x[k] - at[k], s2 += d[k] * d[k];
        const double s = std::sqrt(s2);
        sum.potential -= body.mass / s;
        for (int k = 0; k < 3; ++k) sum.a[k] += body.mass * d[k] / (s * s2);
    }
    return sum;
}

template <class T>
LocalField<T> expanded(const std::vector<DistantCell<T>>& cells, const Point& at, double eps = 0)
{
    const T eps2 = static_cast<T>(eps * eps);
    T sum[n_local] = {};
    for (const auto& c : cells)
        add_to_local(c, static_cast<T>(1 / std::sqrt(c.x * c.x + c.y * c.y + c.z * c.z + eps2)), eps2, sum);
    return local_field(sum, static_cast<T>(at[0]), static_cast<T>(at[1]), static_cast<T>(at[2]));
}

double error_of(const LocalField<double>& found, const Field4& expected)
{
    return std::hypot(found.ax - expected.a[0], found.ay - expected.a[1], found.az - expected.a[2]);
}

const std::vector<Point> directions = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, -0.5, 0.3}, {-0.2, 0.7, 0.9}};
const std::vector<Point> places = {{2, 0.3, -0.4}, {-0.5, 1.7, 0.9}, {0.4, -0.8, -2.1}, {-1.2, -1.1, 1.3}};

// the first term left out is of fifth order in the potential, of fourth in the acceleration
TEST(LocalExpansion, OfPointMassesIsRightToFourthOrder)
{
    for (const Point& place : places)
        for (const Point& direction : directions) {
            const std::vector<PointMass> bodies{{place, 1.5}};
            double acceleration[2], potential[2];
            for (int k = 0; k < 2; ++k) {
                const double y = k == 0 ? 0.04 : 0.02;
                const Point at{y * direction[0], y * direction[1], y * direction[2]};
                const auto found = expanded<double>({cell_of(bodies, place)}, at);
                const Field4 expected = direct(bodies, at);
                acceleration[k] = error_of(found, expected);
                potential[k] = std::fabs(-found.phi - expected.potential);
            }
            EXPECT_GT(acceleration[0], 14 * acceleration[1]);
            EXPECT_LT(acceleration[0], 1e-5);
            EXPECT_GT(potential[0], 25 * potential[1] - 1e-12);  // sixth order where the fifth vanishes
            EXPECT_LT(potential[0], 1e-6);
        }
}

// bodies in opposite places: no third moments, fourth ones are out of sight. What quadrupoles lack is third
// order in the potential, second in the acceleration.
TEST(LocalExpansion, OfQuadrupolesIsRightToSecondOrder)
{
    constexpr double size = 1e-3;
    for (const Point& place : places)
        for (const Point& towards : directions) {
            std::vector<PointMass> bodies(2);
            for (int k = 0; k < 3; ++k) {
                bodies[0].x[k] = place[k] + size * towards[k];
                bodies[1].x[k] = place[k] - size * towards[k];
            }
            bodies[0].mass = bodies[1].mass = 0.5;
            const std::vector<PointMass> centre{{place, 1}};
            auto quadrupole = cell_of(bodies, place);
            quadrupole.mass = 0;
            for (const Point& direction : directions) {
                double acceleration[2], potential[2];
                for (int k = 0; k < 2; ++k) {
                    const double y = k == 0 ? 0.08 : 0.04;
                    const Point at{y * direction[0], y * direction[1], y * direction[2]};
                    const auto found = expanded<double>({quadrupole}, at);
                    Field4 expected = direct(bodies, at);
                    const Field4 without = direct(centre, at);
                    for (int axis = 0; axis < 3; ++axis) expected.a[axis] -= without.a[axis];
                    expected.potential -= without.potential;
                    acceleration[k] = error_of(found, expected) / (size * size);
                    potential[k] = std::fabs(-found.phi - expected.potential) / (size * size);
                }
                EXPECT_GT(acceleration[0], 3 * acceleration[1] - 1e-5);
                EXPECT_LT(acceleration[0], 0.2);
                EXPECT_GT(potential[0], 6 * potential[1] - 1e-5);
                EXPECT_LT(potential[0], 0.005);
            }
        }
}

TEST(LocalExpansion, OfManyCellsIsTheSumOverTheirBodies)
{
    Uniform uniform(5);
    std::vector<DistantCell<double>> cells;
    std::vector<DistantCell<float>> in_float;
    std::vector<PointMass> all;
    for (int c = 0; c < 50; ++c) {
        Point centre{};
        double norm = 0;
        for (double& x : centre) x = 2 * uniform() - 1, norm += x * x;
        for (double& x : centre) x *= (30 + 20 * uniform()) / std::sqrt(norm);
        std::vector<PointMass> bodies;
        for (int j = 0; j < 8; ++j) {
            PointMass body{centre, 1};
            for (int k = 0; k < 3; ++k) body.x[k] += 2 * uniform() - 1;
            bodies.push_back(body);
        }
        Point mean{};
        for (const auto& body : bodies)
            for (int k = 0; k < 3; ++k) mean[k] += body.x[k] / 8;
        const auto d = cell_of(bodies, mean);
        cells.push_back(d);
        const auto f = [](double x) { return static_cast<float>(x); };
        in_float.push_back(
            {f(d.x), f(d.y), f(d.z), f(d.mass), f(d.xx), f(d.xy), f(d.xz), f(d.yy), f(d.yz), f(d.zz)});
        all.insert(all.end(), bodies.begin(), bodies.end());
    }
    double pulls = 0;  // the sum of magnitudes: accelerations nearly cancel
    for (const auto& c : cells) pulls += c.mass / (c.x * c.x + c.y * c.y + c.z * c.z);
    for (const Point& at : directions) {
        const Field4 expected = direct(all, at);
        const auto found = expanded(cells, at);
        EXPECT_LT(error_of(found, expected), 2e-5 * pulls);  // (size / distance)^3
        EXPECT_NEAR(-found.phi, expected.potential, 2e-5 * std::fabs(expected.potential));
        const auto rounded = expanded(in_float, at);
        EXPECT_NEAR(rounded.ax, found.ax, 1e-6 * pulls);
        EXPECT_NEAR(rounded.ay, found.ay, 1e-6 * pulls);
        EXPECT_NEAR(rounded.az, found.az, 1e-6 * pulls);
        EXPECT_NEAR(rounded.phi, found.phi, 1e-6 * std::fabs(found.phi));
    }
}

TEST(LocalExpansion, KnowsSoftening)
{
    const std::vector<PointMass> bodies{{{3, -4, 5}, 2}};
    constexpr double eps = 1;
    const auto cell = cell_of(bodies, bodies[0].x);
    const auto here = expanded<double>({cell}, {0, 0, 0}, eps);
    const Field4 expected = direct(bodies, {0, 0, 0}, eps);
    EXPECT_LT(error_of(here, expected), 1e-16);
    EXPECT_NEAR(-here.phi, expected.potential, 1e-16);
    const Point beside{0.05, 0.02, -0.03};  // rank 3 is right to (eps / s)^2 = 2 %
    const Field4 there = direct(bodies, beside, eps);
    EXPECT_LT(error_of(expanded<double>({cell}, beside, eps), there), 0.06 * 0.06 * 0.04 / 7);
}

// a unit of length so small that high powers of the distance leave float's range on either side
TEST(LocalExpansion, StaysFiniteInAnyUnit)
{
    const float b2 = 0x1p74f;
    const DistantCell<float> cell{0x1p38f,   0x1p39f, -0x1p38f,  1,         0.2f * b2,
                                  0.1f * b2, 0,       0.3f * b2, 0.1f * b2, 0.2f * b2};
    const auto field = expanded<float>({cell}, {1, -1, 1});
    const double r2 = 6 * 0x1p76;
    EXPECT_NEAR(field.phi * std::sqrt(r2), 1, 0.05);
    EXPECT_NEAR(field.ay * std::pow(r2, 1.5) / 0x1p39, 1, 0.1);
}

}  // namespace
}  // namespace aureole::test::tree_local_expansion_test

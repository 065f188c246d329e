// What symmetry demands of TreePM: shifts, turns by a quarter, edges of the box, sets that rest.
#include <gtest/gtest.h>

#include "tests/support/backends.hpp"
#include "tests/unit/gravity/treepm/periodic_sets.hpp"

namespace aureole::test::treepm_test {
namespace {

class TreePmSymmetry : public OnEachBackend {};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreePmSymmetry);

constexpr Precision precisions[] = {Precision::mixed, Precision::double_precision};

/// Sums in another order: what pairs and meshes in float are off by, of the rms, and what those in double
/// are.
double rounding(Precision precision) { return precision == Precision::mixed ? 1e-5 : 1e-11; }

/// Clumps at multiples of 2^-40, of which 1 less is exact.
Particles rounded_clumps(Index n)
{
    Particles p = clumps(n);
    const auto round = [](double x) { return std::round(std::ldexp(x, 40)) / std::ldexp(1.0, 40); };
    for (Index i = 0; i < n; ++i) {
        const Vec3 x = p.position.load(i);
        p.view().position.store(i, Box{1}.wrap(Vec3{round(x.x), round(x.y), round(x.z)}));
    }
    return p;
}

/// First forces, for which all cells are opened: pairs and the mesh, of which no order of the tree is left.
void compute_by_pairs(Exec exec, Particles& p, Precision precision)
{
    gravity::Config config = config_of("treepm", 1e-3, 1e-3);
    config.precision = precision;
    compute(exec, config, p, 1, 1);
}

/// The largest difference of accelerations, over the rms of those of `expected`.
double worst_of_rms(const Particles& found, const Particles& expected)
{
    double worst = 0, square = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Vec3 a = expected.acceleration.load(i);
        worst = std::max(worst, length(found.acceleration.load(i) - a));
        square += dot(a, a);
    }
    EXPECT_GT(square, 0);
    return worst / std::sqrt(square / static_cast<double>(expected.size()));
}

/// By a quarter about an axis; the other two follow each other.
Vec3 turned(Vec3 x, int axis)
{
    if (axis == 0) return {x.x, -x.z, x.y};
    if (axis == 1) return {x.z, x.y, -x.x};
    return {-x.y, x.x, x.z};
}

TEST_P(TreePmSymmetry, ForcesTurnWithASetByAQuarterToRounding)
{
    constexpr Index n = 2000;
    for (const Precision precision : precisions) {
        Particles still = rounded_clumps(n);
        compute_by_pairs(exec(), still, precision);
        for (const int axis : {0, 1, 2}) {
            Particles moved = rounded_clumps(n), expected = rounded_clumps(n);
            for (Index i = 0; i < n; ++i) {
                moved.view().position.store(i, Box{1}.wrap(turned(moved.position.load(i), axis)));
                expected.view().acceleration.store(i, turned(still.acceleration.load(i), axis));
            }
            compute_by_pairs(exec(), moved, precision);
            EXPECT_LT(worst_of_rms(moved, expected), rounding(precision)) << "about axis " << axis;
        }
    }
}

/// A place at the upper edge is that at the lower one, and one just below it lies beside both.
TEST_P(TreePmSymmetry, TheUpperEdgeIsTheLowerOne)
{
    const double below = std::nextafter(1.0, 0.0);
    for (const Precision precision : precisions)
        for (const Vec3 along : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, 1, 0}}) {
            const auto with_one_at = [&](double edge) {
                Particles p = rounded_clumps(300);
                const auto at = [&](double is_along, double x) { return is_along > 0 ? edge : x; };
                p.view().position.store(7, {at(along.x, 0.3), at(along.y, 0.6), at(along.z, 0.8)});
                p.view().mass[7] = 40;
                compute_by_pairs(exec(), p, precision);
                return p;
            };
            const Particles lower = with_one_at(0);
            EXPECT_GT(length(lower.acceleration.load(7)), 0);
            EXPECT_LT(worst_of_rms(with_one_at(1), lower), rounding(precision));
            EXPECT_LT(worst_of_rms(with_one_at(below), lower), rounding(precision));
        }
}

TEST_P(TreePmSymmetry, APerfectLatticeRests)
{
    for (const Precision precision : {Precision::mixed, Precision::double_precision})
        for (const double shift : {0.0, 0.37 / 32}) {  // part of a cell of the mesh
            Particles p(Backend::cpu, 4096);
            for (Index i = 0; i < 4096; ++i) {
                p.view().mass[i] = 1;
                p.view().position.store(
                    i, 1.0 / 16 * Vec3{double(i / 256), double(i / 16 % 16), double(i % 16)} +
                           Vec3{shift, shift, shift});
            }
            gravity::Config config = config_of("treepm");
            config.precision = precision;
            compute(exec(), config, p, 1);
            // in float some hundred pairs, of up to m / spacing^2 each, cancel to their rounding
            const bool is_float = exec().backend == Backend::cuda && precision == Precision::mixed;
            for (std::size_t i = 0; i < p.size(); ++i)
                EXPECT_LT(length(p.acceleration.load(i)), (is_float ? 1e-5 : 1e-6) * 256)
                    << "of m / spacing^2";
        }
}

TEST_P(TreePmSymmetry, TwoParticlesHalfABoxApartDoNotMove)
{
    Particles p(Backend::cpu, 2);
    p.view().mass[0] = p.view().mass[1] = 1;
    p.view().position.store(0, {0.25, 0.25, 0.25});
    p.view().position.store(1, {0.75, 0.25, 0.25});
    compute(exec(), config_of("treepm"), p, 1);
    // of 14.7, the force at a quarter of the box
    EXPECT_LT(length(p.acceleration.load(0)), (exec().backend == Backend::cpu ? 1e-13 : 1e-3) * 14.7);
}

TEST_P(TreePmSymmetry, ShiftsAndRotationsChangeNothingBeyondItsErrors)
{
    Particles exact = clumps(2000);
    compute_exactly(exact, 1e-3);
    for (const double shift : {0.5, 0.013, 0.25 + 1e-9}) {
        Particles moved = clumps(2000);
        for (Index i = 0; i < 2000; ++i) {
            const Vec3 x = moved.position.load(i);
            moved.view().position.store(i, Box{1}.wrap(Vec3{x.y + shift, x.z + shift, x.x + shift}));
        }
        compute(exec(), config_of("treepm", 1e-3, 1e-3), moved, 1);
        for (Index i = 0; i < 2000; ++i) {
            const Vec3 a = moved.acceleration.load(i);
            moved.view().acceleration.store(i, {a.z, a.x, a.y});
        }
        EXPECT_LT(error_99(moved, exact), 1e-3) << shift;
    }
}

}  // namespace
}  // namespace aureole::test::treepm_test

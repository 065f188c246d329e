// The walk that ends at the cut with the kernels of each instruction set, against pairs one by one.
#include <cmath>

#include "gravity/pair.hpp"
#include "gravity/tree/source_tree.hpp"
#include "gravity/tree/tree.hpp"
#include "gravity/treepm/short_range.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"
#include "tests/support/cpu_paths.hpp"

namespace aureole::test::short_range_cpu_test {
namespace {

using gravity::Softening;
using gravity::SofteningKernel;

class ShortRangeOnCpu : public OnEachCpuPath {};
INSTANTIATE_TEST_SUITE_P(With, ShortRangeOnCpu, testing::ValuesIn(available_cpu_paths()),
                         [](const auto& info) { return name_of(info.param); });

constexpr double side = 3, pi = 3.14159265358979323846;

struct Field {
    Vec3 acceleration;
    double potential = 0;
    double size = 0, depth = 0;  ///< sums of the sizes of what adds up: forces, potentials
};

/// By the closed form of the split, over all pairs of nearest images.
Field field_at(const Particles& p, Index i, const Softening& softening, double split, double cut)
{
    Field field;
    const ConstParticlesView view = const_cast<Particles&>(p).view();
    for (Index j = 0; j < view.n; ++j) {
        const Vec3 d = Box{side}.nearest(view.position.load(j) - view.position.load(i));
        const double r2 = dot(d, d), r = std::sqrt(r2), u = r / (2 * split);
        if (j == i || !(r < cut)) continue;
        const double eps = std::max(softening.length[view.type_of(i)], softening.length[view.type_of(j)]);
        gravity::PairKernel<double> pair{0, 0};
        if (softening.kernel == SofteningKernel::spline && eps > 0)
            pair = gravity::spline_pair(r2, gravity::spline_support * eps);
        else if (r2 + eps * eps > 0)
            pair = gravity::plummer_pair(r2, eps * eps);
        const double scale = 1 / (6 * std::sqrt(pi) * split * split * split);
        const double of_mesh =
            u < 1e-3 ? scale : (std::erf(u) - 2 * u / std::sqrt(pi) * std::exp(-u * u)) / (r2 * r);
        const double depth = u < 1e-6 ? 1 / (std::sqrt(pi) * split) : std::erf(u) / r;
        field.acceleration = field.acceleration + view.mass[j] * (pair.force - of_mesh) * d;
        field.potential += view.mass[j] * (pair.potential + depth);
        field.size += view.mass[j] * (pair.force + of_mesh) * r;
        field.depth += view.mass[j] * (depth - pair.potential);
    }
    return field;
}

/// Pairs that meet in every way: coincident, beside each other, just within and beyond the cut, across the
/// border; and a clump with some that are spread.
Particles pairs_and_clump(double cut)
{
    constexpr Index n = 330;
    Particles p(Backend::cpu, n);
    for (Index i = 0; i < n; ++i) {
        Random random(5, i, 1);
        const double r = 0.4 * random.uniform();
        Vec3 x = Vec3{0.2, 1, 2.9} + r * r * random.direction();
        if (i % 3 == 0) x = side * Vec3{random.uniform(), random.uniform(), random.uniform()};
        p.view().position.store(i, Box{side}.wrap(x));
        p.view().mass[i] = 0.5 + random.uniform();
        p.view().type[i] = static_cast<ParticleType>(1 + i % 2);
    }
    const auto put = [&p](Index i, Vec3 from, Vec3 d) {
        p.view().position.store(i, from);
        p.view().position.store(i + 1, Box{side}.wrap(from + d));
    };
    put(10, {0.5, 0.5, 0.5}, {});
    put(12, {0.5, 1.5, 0.5}, {1e-9, 0, 0});
    put(14, {2.5, 1.5, 0.5}, {cut * (1 - 1e-5), 0, 0});
    put(16, {2.5, 2.5, 0.5}, {0, 0, cut * (1 + 1e-5)});
    put(18, {0, 0, 0}, {-0.01, -0.02, -0.03});
    put(20, {1, 0, 1}, {0, std::nextafter(side, 0.0), 0});
    return p;
}

/// Largest errors, each over the sum of the sizes of its pairs.
struct Errors {
    double acceleration = 0, potential = 0;
};

Errors errors_of(const Softening& softening, Precision precision, double split, double cut)
{
    Particles p = pairs_and_clump(cut);
    gravity::tree::SourceTree tree;
    const gravity::Selection all(0, p.view().n);
    tree.build({}, p.view(), all, {all, {}}, gravity::tree::type_softening(softening), 16);
    const gravity::treepm::SplitPair pair(split, cut);
    const gravity::treepm::ShortRangeTask task{.tree = tree.view(),
                                               .particles = p.view(),
                                               .targets = tree.ordered({}, p.view(), all),
                                               .n_targets = p.view().n,
                                               .previous_acceleration = {},
                                               .tolerance = 0,
                                               .softening_error = 0,
                                               .softening = softening,
                                               .box = {side},
                                               .pair = &pair};
    gravity::treepm::evaluate_short_range(task, precision, {p.view().acceleration, p.view().potential});
    Errors errors;
    for (Index i = 0; i < p.view().n; ++i) {
        const Field exact = field_at(p, i, softening, split, cut);
        errors.acceleration =
            std::max(errors.acceleration, length(p.acceleration.load(i) - exact.acceleration) / exact.size);
        errors.potential =
            std::max(errors.potential, std::abs(p.view().potential[i] - exact.potential) / exact.depth);
    }
    return errors;
}

TEST_P(ShortRangeOnCpu, IsTheSumOfPairsOneByOne)
{
    for (const auto kernel : {SofteningKernel::plummer, SofteningKernel::spline})
        for (const auto& lengths : {std::array{0.0, 0.0}, std::array{0.03, 0.03}, std::array{0.01, 0.1}})
            for (const double reach : {5.8, 7.0}) {
                Softening softening{kernel, {}};
                softening.length.fill(lengths[0]);
                softening.length[2] = lengths[1];
                const double cut = 0.9, split = cut / reach;
                const Errors in_float = errors_of(softening, Precision::mixed, split, cut);
                const Errors in_double = errors_of(softening, Precision::double_precision, split, cut);
                SCOPED_TRACE(testing::Message()
                             << "spline " << (kernel == SofteningKernel::spline) << ", eps " << lengths[0]
                             << ' ' << lengths[1] << ", cut " << reach);
                EXPECT_LT(in_float.acceleration, 3e-6);
                EXPECT_LT(in_float.potential, 3e-6);
                EXPECT_LT(in_double.acceleration, 1e-7) << "truncation of the polynomials";
                EXPECT_LT(in_double.potential, 1e-7);
            }
}

/// Cells, of which some are taken: with the tolerance errors go to those of float.
TEST_P(ShortRangeOnCpu, CellsAreTheirBodiesToTheTolerance)
{
    Particles p(Backend::cpu, 6000);
    for (Index i = 0; i < p.view().n; ++i) {
        Random random(8, i, 1);
        const double r = random.uniform();
        p.view().position.store(i, Box{side}.wrap(Vec3{0.1, 0.1, 1} + 0.5 * r * r * random.direction()));
        p.view().mass[i] = 1;
    }
    const double cut = 0.9, split = cut / 5.8;
    gravity::tree::SourceTree tree;
    const gravity::Selection all(0, p.view().n);
    Softening softening{SofteningKernel::spline, {}};
    softening.length.fill(1e-3);
    tree.build({}, p.view(), all, {all, {}}, gravity::tree::type_softening(softening), 16);
    const gravity::treepm::SplitPair pair(split, cut);
    const auto fields = [&](double tolerance, Precision precision) {
        Particles known(Backend::cpu, p.size());
        for (Index i = 0; i < known.view().n; ++i) known.view().acceleration.store(i, {1e4, 0, 0});
        const gravity::treepm::ShortRangeTask task{.tree = tree.view(),
                                                   .particles = p.view(),
                                                   .targets = tree.ordered({}, p.view(), all),
                                                   .n_targets = 640,
                                                   .previous_acceleration = known.view().acceleration,
                                                   .tolerance = tolerance,
                                                   .softening_error = 1,
                                                   .softening = softening,
                                                   .box = {side},
                                                   .pair = &pair};
        gravity::treepm::evaluate_short_range(task, precision, {p.view().acceleration, p.view().potential});
        std::vector<std::pair<Vec3, double>> found;
        for (Index k = 0; k < task.n_targets; ++k)
            found.emplace_back(p.acceleration.load(task.targets[k]), p.view().potential[task.targets[k]]);
        return found;
    };
    const auto exact = fields(0, Precision::double_precision);
    double last = 1;
    for (const double tolerance : {1e-3, 1e-5}) {
        const auto in_float = fields(tolerance, Precision::mixed),
                   in_double = fields(tolerance, Precision::double_precision);
        double worst = 0, rounding = 0;
        for (std::size_t k = 0; k < exact.size(); ++k) {
            const double size = length(exact[k].first);
            worst = std::max(worst, length(in_double[k].first - exact[k].first) / size);
            rounding = std::max(rounding, length(in_float[k].first - in_double[k].first) / size);
            EXPECT_NEAR(in_float[k].second, in_double[k].second, 1e-5 * std::abs(exact[k].second));
        }
        EXPECT_GT(worst, 1e-7) << "cells are taken";
        EXPECT_LT(worst, last / 3);
        EXPECT_LT(rounding, 1e-4);
        last = worst;
    }
}

}  // namespace
}  // namespace aureole::test::short_range_cpu_test

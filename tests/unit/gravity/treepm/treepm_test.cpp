// TreePM against Ewald's sums: tables of two boxes, the direct sum, and what symmetry demands.
#include "gravity/treepm/treepm.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "gravity/tree/tree.hpp"
#include "gravity/treepm/mesh_tiles.hpp"
#include "gravity/treepm/split_pair.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "sim/core/mesh/assignment.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/test_data.hpp"
#include "tests/unit/gravity/treepm/periodic_sets.hpp"

namespace aureole::test::treepm_test {
namespace {

using gravity::SofteningKernel;
using gravity::treepm::SplitPair;

class TreePm : public OnEachBackend {};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreePm);

TEST(SplitPair, IsTheClosedForm)
{
    for (const double cut : {5.6, 7.0}) {
        const double split = 0.02;
        const SplitPair pair(split, cut * split);
        const double scale = 1 / (6 * std::sqrt(3.14159265358979) * split * split * split);
        for (double r = 0.5 * split; r < SplitPair::beyond_cut * cut * split; r += 0.1 * split) {
            const double u = r / (2 * split);
            const double inside = std::erf(u) - 2 * u / std::sqrt(3.14159265358979323846) * std::exp(-u * u);
            EXPECT_NEAR(pair.force(r * r), inside / (r * r * r), 1e-7 * scale) << r / split;
            EXPECT_NEAR(pair.potential(r * r), std::erf(u) / r, 1e-7 / split) << r / split;
            const double h = 1e-3 * r * r;
            const auto smooth = pair.smooth(r * r);
            EXPECT_NEAR(smooth.value, pair.force(r * r), 1e-13 * scale);
            EXPECT_NEAR(smooth.slope, (pair.force(r * r + h) - pair.force(r * r - h)) / (2 * h),
                        1e-4 * scale / (r * r));
        }
        EXPECT_NEAR(pair.force(0), scale, 1e-7 * scale);
    }
}

/// Tiles of a tree's bodies against shares of particles one by one.
TEST(MeshTiles, HaveTheMassesThatAreAssigned)
{
    if constexpr (with_cuda) {
        if (device::count() == 0) GTEST_SKIP() << "no GPU";
        const Exec exec{Backend::cuda};
        constexpr double side = 1.7;
        constexpr Index n_bodies = 20000;
        Particles host = clumps(n_bodies);
        for (Index i = 0; i < n_bodies; ++i)
            host.view().position.store(i, side * host.position.load(i) + Vec3{i % 5 == 0 ? -side : 0, 0, 0});
        Particles p = host.copy_to(exec.backend);
        gravity::tree::SourceTree tree;
        const gravity::Selection all(0, n_bodies);
        tree.build(exec, p.view(), all, {all, {}}, gravity::tree::type_softening({}), 16);
        for (const int n : {8, 30, 48})
            for (const double shift : {0.0, 0.5}) {
                const int padding = n == 30 ? 2 : 0;
                const auto points = static_cast<std::size_t>(n) * n * n;
                Buffer<float> values(exec.backend, points + static_cast<std::size_t>(n) * n * padding);
                gravity::treepm::assign_masses_cuda(exec.stream,
                                                    {tree.view(), n, side, shift, padding, values.data()});
                std::vector<std::int64_t> sums(points);
                const double scale = mesh::fixed_point_scale(1.5, n_bodies);
                mesh::deposit({}, host.view(), {n, side, shift}, mesh::Assignment::pcs, scale, sums.data());
                const std::vector<float> found = values.to_vector();
                double largest = 0, worst = 0;
                for (std::size_t k = 0; k < points; ++k) {
                    const double expected = static_cast<double>(sums[k]) / scale;
                    largest = std::max(largest, expected);
                    worst =
                        std::max(worst, std::abs(static_cast<double>(found[k + k / n * padding]) - expected));
                }
                EXPECT_LT(worst, 1e-6 * largest) << n << " points, shifted by " << shift;
            }
    }
}

TEST_P(TreePm, IsTheDirectSumOfClumps)
{
    Particles exact = clumps(4000);
    compute_exactly(exact, 1e-3);
    for (const double alpha : {1e-3, 1e-4}) {
        Particles found = clumps(4000);
        compute(exec(), config_of("treepm", alpha, 1e-3), found, 1);
        EXPECT_LT(error_99(found, exact), alpha);
        EXPECT_GT(error_99(found, exact), 1e-3 * alpha) << "cells are taken";
        double worst = 0, size = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            worst = std::max(worst, std::abs(found.potential.host()[i] - exact.potential.host()[i]));
            size = std::max(size, std::abs(exact.potential.host()[i]));
        }
        EXPECT_LT(worst, 3 * alpha * size);
    }
}

/// One mesh would be wrong by up to 2.3 times as much: forces of even sets nearly cancel.
TEST_P(TreePm, KeepsItsAccuracyInRandomSets)
{
    for (const Index n : {Index{64}, Index{300}, Index{1000}}) {
        Particles exact(Backend::cpu, n);
        for (Index i = 0; i < n; ++i) {
            Random random(11, i, 1);
            exact.view().position.store(i, {random.uniform(), random.uniform(), random.uniform()});
            exact.view().mass[i] = 1;
        }
        Particles found = exact.copy_to(Backend::cpu);
        compute_exactly(exact, 1e-4);
        compute(exec(), config_of("treepm", 1e-3, 1e-4), found, 1);
        EXPECT_LT(error_99(found, exact), 1e-3) << n;
    }
}

TEST_P(TreePm, SoftensAsTheDirectSumDoes)
{
    for (const SofteningKernel kernel : {SofteningKernel::plummer, SofteningKernel::spline}) {
        Particles exact = clumps(1500), found = clumps(1500);
        compute_exactly(exact, 0.01, kernel);
        compute(exec(), config_of("treepm", 1e-4, 0.01, kernel), found, 1);
        EXPECT_LT(error_99(found, exact), 1e-3);
    }
}

/// Relative errors of the thousand particles of a table.
struct SetErrors {
    double relative_99, of_rms_99;
};

SetErrors errors_of_set(Exec exec, const std::filesystem::path& snapshot, const std::filesystem::path& table,
                        double alpha)
{
    const io::Snapshot file = io::read_snapshot(snapshot);
    Particles p(Backend::cpu, file.particles.size());
    std::unordered_map<std::uint64_t, Index> place;
    for (Index i = 0; i < p.view().n; ++i) {
        p.view().mass[i] = 1;
        p.view().position.store(i, Box{1}.wrap(1 / file.header.box_size * file.particles.position.load(i)));
        place[file.particles.id.host()[i]] = i;
    }
    compute(exec, config_of("treepm", alpha), p, 1);
    std::vector<double> relative, absolute;
    double square = 0;
    std::ifstream in(table);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream row(line);
        std::uint64_t id = 0;
        Vec3 exact;
        row >> id >> exact.x >> exact.y >> exact.z;
        const double error = length(p.acceleration.load(place.at(id)) - exact);
        relative.push_back(error / length(exact));
        absolute.push_back(error);
        square += dot(exact, exact);
    }
    EXPECT_EQ(relative.size(), 1000u);
    std::ranges::sort(relative);
    std::ranges::sort(absolute);
    return {relative[990], absolute[990] / std::sqrt(square / 1000)};
}

TEST_P(TreePm, MeetsTheAccuracyThatIsAskedForInAClusteredBox)
{
    AUREOLE_TEST_DATA_OR_SKIP(snapshot, "fof/psi_snapshot_010");
    AUREOLE_TEST_DATA_OR_SKIP(table, "cosmology/ewald_psi_snapshot_010.txt");
    for (const double alpha : {1e-3, 1e-4}) {
        const SetErrors errors = errors_of_set(exec(), snapshot, table, alpha);
        RecordProperty(fmt::format("alpha_{}", alpha), fmt::format("{:.3g}", errors.relative_99));
        EXPECT_LT(errors.relative_99, alpha);
        EXPECT_GT(errors.relative_99, 0.01 * alpha);
    }
}

TEST_P(TreePm, MeetsAThousandthOfTheRmsAtEarlyTimes)
{
    AUREOLE_TEST_DATA_OR_SKIP(snapshot, "cosmology/2lpt_32_z50.hdf5");
    AUREOLE_TEST_DATA_OR_SKIP(table, "cosmology/ewald_2lpt_z50.txt");
    const SetErrors errors = errors_of_set(exec(), snapshot, table, 1e-3);
    RecordProperty("of_rms", fmt::format("{:.3g}", errors.of_rms_99));
    EXPECT_LT(errors.of_rms_99, 1e-3);
}

TEST_P(TreePm, IsBitForBitTheSameForAnyNumberOfThreadsAndTwice)
{
    const int threads = omp_get_max_threads();
    const auto bits = [&](int count) {
        omp_set_num_threads(count);
        Particles p = clumps(3000);
        compute(exec(), config_of("treepm", 1e-3, 1e-3), p, 1);
        return std::pair{p.acceleration.x.to_vector(), p.potential.to_vector()};
    };
    const auto one = bits(1);
    EXPECT_EQ(bits(1), one);
    EXPECT_EQ(bits(3), one);
    omp_set_num_threads(threads);
}

/// With the spline and several lengths of softening, whose pairs are of all kinds.
TEST_P(TreePm, HasTheSameForcesOnEveryBackend)
{
    for (const SofteningKernel kernel : {SofteningKernel::plummer, SofteningKernel::spline})
        for (const bool alike : {true, false})
            for (const Precision precision : {Precision::mixed, Precision::double_precision}) {
                gravity::Config config = config_of("treepm", 1e-4, 2e-3, kernel);
                config.precision = precision;
                if (!alike) config.softening.length[2] = 6e-3;
                Particles here = clumps(5000);
                for (Index i = 0; i < 5000; ++i) here.view().type[i] = static_cast<ParticleType>(1 + i % 2);
                Particles there = here.copy_to(Backend::cpu);
                compute({Backend::cpu}, config, here, 1);
                compute(exec(), config, there, 1);
                // some groups are split on a GPU, so errors differ, each of which is below a quarter of alpha
                EXPECT_LT(error_99(there, here), 5e-5);
            }
}

TEST_P(TreePm, KeepsWhatBodiesBesideEachOtherNeed)
{
    Particles exact = clumps(500);
    const Vec3 near = exact.position.load(7);
    for (Index i = 0; i < 40; ++i)
        exact.view().position.store(100 + i, Box{1}.wrap(near + 1e-9 * (i % 5) * Vec3{1, 0.5, 0.25}));
    Particles found = exact.copy_to(Backend::cpu);
    compute_exactly(exact, 0);
    compute(exec(), config_of("treepm", 1e-4), found, 1);
    EXPECT_LT(error_99(found, exact), 1e-4);
}

TEST_P(TreePm, SourcesAndTargetsMayBePartsAndCoincide)
{
    const auto forces = [](Exec exec, const std::string& solver) {
        Particles p = clumps(600);
        p.view().position.store(5, p.position.load(3));
        p = p.copy_to(exec.backend);
        const auto made = gravity::make_solver(config_of(solver, 1e-4));
        accelerate(*made, exec, p.view(),
                   {.potential = true, .targets = {0, 100}, .sources = {50, 600}, .box = {1}});
        return p.copy_to(Backend::cpu);
    };
    const Particles found = forces(exec(), "treepm"), exact = forces({Backend::cpu}, "direct");
    for (std::size_t i = 0; i < 100; ++i)
        EXPECT_LT(length(found.acceleration.load(i) - exact.acceleration.load(i)),
                  1e-3 * length(exact.acceleration.load(i)))
            << i;
    EXPECT_EQ(length(found.acceleration.load(200)), 0) << "no target";
}

TEST_P(TreePm, RefusesWhatItCannotDo)
{
    Particles p = clumps(100);
    const auto refusal = [&](gravity::Config config, double side) {
        return message_of<ConfigError>([&] { compute(exec(), config, p, side, 1); });
    };
    EXPECT_NE(refusal(config_of("treepm"), 0).find("periodic boxes only"), std::string::npos);
    EXPECT_NE(refusal(config_of("treepm", -1), 1).find("force_accuracy"), std::string::npos);
    EXPECT_NE(refusal(config_of("treepm", 1e-3, 0.6), 1).find("softening length 0.6"), std::string::npos);
    gravity::Config coarse = config_of("treepm");
    coarse.plugins.get<gravity::treepm::Config>().mesh = 8;
    EXPECT_NE(refusal(coarse, 1).find("gravity.treepm.mesh is 8"), std::string::npos);
}

}  // namespace
}  // namespace aureole::test::treepm_test

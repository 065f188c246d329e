// Mass assignment on a periodic mesh: against B-splines by their definition, and what sums and symmetry
// demand.
#include "sim/core/mesh/assignment.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/buffer.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/spatial/ordered_bits.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::assignment_test {
namespace {

using mesh::Assignment;
using mesh::PeriodicMesh;

constexpr Assignment all_assignments[] = {Assignment::cic, Assignment::tsc, Assignment::pcs};

/// The B-spline of `order` cells at the distance x from its middle, in cells: the recursion of de Boor.
double spline(int order, double x)
{
    if (order == 1) return x >= -0.5 && x < 0.5 ? 1 : 0;
    const double half = 0.5 * order;
    return ((half + x) * spline(order - 1, x + 0.5) + (half - x) * spline(order - 1, x - 0.5)) / (order - 1);
}

/// The weight of a point for a particle, with all images of the mesh that can matter.
double weight(const PeriodicMesh& mesh, Assignment assignment, double x, int point)
{
    double sum = 0;
    for (int image = -8; image <= 8; ++image)
        sum += spline(static_cast<int>(assignment),
                      x * mesh.n / mesh.side - mesh.shift - point - image * mesh.n);
    return sum;
}

std::vector<double> slow_deposit(const Particles& p, const PeriodicMesh& mesh, Assignment assignment)
{
    std::vector<double> sums(mesh.size());
    for (std::size_t q = 0; q < p.size(); ++q) {
        std::vector<double> along[3];
        const double at[3] = {p.position.x.host()[q], p.position.y.host()[q], p.position.z.host()[q]};
        for (int axis = 0; axis < 3; ++axis)
            for (int i = 0; i < mesh.n; ++i) along[axis].push_back(weight(mesh, assignment, at[axis], i));
        std::size_t to = 0;
        for (const double x : along[0])
            for (const double y : along[1])
                for (const double z : along[2]) sums[to++] += p.mass.host()[q] * x * y * z;
    }
    return sums;
}

Particles weighted_particles(std::size_t n, double side)
{
    Particles p = particles_at(clustered_points(n, 3));
    Uniform u(4);
    for (double& m : p.mass.host()) m = u();
    for (auto* x : {&p.position.x, &p.position.y, &p.position.z})
        for (double& c : x->host()) c *= side;
    const double edges[] = {0, side, -0.01 * side, std::nextafter(side, 0.0), 1.3 * side, 0.5 * side};
    for (std::size_t k = 0; k < std::size(edges); ++k)
        p.position.x.host()[k] = p.position.z.host()[k + 2] = edges[k];
    return p;
}

class MeshAssignment : public OnEachBackend {
protected:
    double scale(const Particles& p)
    {
        Particles copy = p.copy_to(exec().backend);
        const std::uint64_t none = ordered_bits(0.0);
        Buffer<std::uint64_t> bits(exec().backend, std::span(&none, 1));
        mesh::find_heaviest(exec(), copy.view(), bits.data());
        return mesh::fixed_point_scale(from_ordered_bits(bits.to_vector()[0]), p.size());
    }

    std::vector<std::int64_t> deposited(const Particles& p, const PeriodicMesh& mesh, Assignment assignment)
    {
        Particles copy = p.copy_to(exec().backend);
        Buffer<std::int64_t> sums(exec().backend, std::vector<std::int64_t>(mesh.size()));
        mesh::deposit(exec(), copy.view(), mesh, assignment, scale(p), sums.data());
        return sums.to_vector();
    }
};

TEST_P(MeshAssignment, GivesTheSplinesOfItsDefinition)
{
    const Particles p = weighted_particles(60, 2.5);
    for (const Assignment assignment : all_assignments)
        for (const PeriodicMesh& mesh :
             {PeriodicMesh{5, 2.5}, PeriodicMesh{8, 2.5, 0.5}, PeriodicMesh{2, 2.5}}) {
            const std::vector<double> expected = slow_deposit(p, mesh, assignment);
            const std::vector<std::int64_t> sums = deposited(p, mesh, assignment);
            Buffer<std::int64_t> there(exec().backend, std::span<const std::int64_t>(sums));
            Buffer<double> values(exec().backend, sums.size());
            mesh::set_values(exec(), mesh, there.data(), 1 / scale(p), values.data());
            const std::vector<double> found = values.to_vector();
            for (std::size_t k = 0; k < found.size(); ++k)
                ASSERT_NEAR(found[k], expected[k], 1e-13) << k << " of " << mesh.n;
        }
}

TEST_P(MeshAssignment, HasTheBitsOfTheHostForAnyOrderAndNumberOfThreads)
{
    const Particles p = weighted_particles(3000, 1);
    std::vector<Index> order(p.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::reverse(order.begin(), order.end());
    const Particles reversed = p.gathered(order);
    const int threads = omp_get_max_threads();
    for (const Assignment assignment : all_assignments) {
        const PeriodicMesh mesh{12, 1, 0.5};
        std::vector<std::int64_t> host(mesh.size());
        Particles copy = p.copy_to(Backend::cpu);
        mesh::deposit({}, copy.view(), mesh, assignment, scale(p), host.data());
        EXPECT_EQ(deposited(p, mesh, assignment), host);
        EXPECT_EQ(deposited(reversed, mesh, assignment), host);
        omp_set_num_threads(1);
        EXPECT_EQ(deposited(p, mesh, assignment), host);
        omp_set_num_threads(threads);
        const double total = std::accumulate(p.mass.host().begin(), p.mass.host().end(), 0.0);
        const double sum = std::accumulate(host.begin(), host.end(), 0.0);
        EXPECT_NEAR(sum / scale(p), total, 1e-12 * total);
    }
}

TEST_P(MeshAssignment, MovesWithTheParticlesByWholeCells)
{
    Particles p = particles_at(uniform_points(500, 8));
    for (auto* x : {&p.position.x, &p.position.y, &p.position.z})
        for (double& c : x->host()) c = std::floor(c * 4096) / 4096;
    const int n = 16;
    Particles moved = p.copy_to(Backend::cpu);
    for (double& y : moved.position.y.host()) y = std::fmod(y + 3.0 / n, 1.0);
    for (const Assignment assignment : all_assignments) {
        const auto before = deposited(p, {n, 1}, assignment), after = deposited(moved, {n, 1}, assignment);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k)
                    ASSERT_EQ(after[static_cast<std::size_t>((i * n + (j + 3) % n) * n + k)],
                              before[static_cast<std::size_t>((i * n + j) * n + k)]);
    }
}

/// Sums of masses times a field are those of particles times the interpolated field: momentum is conserved.
TEST_P(MeshAssignment, IsTheAdjointOfInterpolation)
{
    const Particles p = weighted_particles(400, 1);
    for (const Assignment assignment : all_assignments) {
        const PeriodicMesh mesh{9, 1, 0.5};
        Uniform u(3);
        std::vector<float> field(mesh.size());
        for (float& f : field) f = static_cast<float>(u() - 0.5);
        const std::vector<std::int64_t> sums = deposited(p, mesh, assignment);
        double on_mesh = 0, on_particles = 0;
        for (std::size_t k = 0; k < field.size(); ++k)
            on_mesh += static_cast<double>(field[k]) * static_cast<double>(sums[k]) / scale(p);

        Particles copy = p.copy_to(exec().backend);
        const Buffer<float> there(exec().backend, std::span<const float>(field));
        Buffer<double> values(exec().backend, std::vector<double>(p.size(), 10.0));
        std::vector<Index> list;
        for (Index k = 0; k < p.size(); k += 2) list.push_back(k);
        const Buffer<Index> listed(exec().backend, std::span<const Index>(list));
        const ConstVec3View at = copy.view().position;
        const auto n = static_cast<Index>(list.size());
        mesh::interpolate(exec(), {at, listed.data(), 0, n}, mesh, assignment, there.data(), 2.0,
                          values.data());
        for (Index k = 1; k < p.size(); k += 2)
            mesh::interpolate(exec(), {at, nullptr, k, 1}, mesh, assignment, there.data(), 2.0,
                              values.data());
        const std::vector<double> found = values.to_vector();
        for (std::size_t k = 0; k < found.size(); ++k) on_particles += p.mass.host()[k] * (found[k] - 10) / 2;
        EXPECT_NEAR(on_particles, on_mesh, 1e-11);
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(MeshAssignment);

TEST(MeshScale, KeepsSumsOfAnyMassesBelowTheLargestInteger)
{
    for (const double heaviest : {1.0, 3.0, 1e-280, 1e280})
        for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{1} << 31}) {
            const double most = mesh::fixed_point_scale(heaviest, n) * heaviest * static_cast<double>(n);
            EXPECT_LE(most, 0x1p61);
            EXPECT_GT(most, 0x1p58);
        }
    EXPECT_EQ(mesh::fixed_point_scale(0, 5), 1);
}

}  // namespace
}  // namespace aureole::test::assignment_test

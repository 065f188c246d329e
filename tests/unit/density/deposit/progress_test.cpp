// Stop callbacks end deposits on grids, octrees and points on each backend; arrays that are not read may be
// absent; names of methods and their aliases.
#include "density/octree/octree_deposit.hpp"
#include "density/points/sheet_points.hpp"
#include "density/rendering/volume.hpp"
#include "tests/support/backends.hpp"
#include "tests/unit/density/sheets.hpp"

namespace aureole::test::progress_test {
namespace {

constexpr Method methods[] = {Method::tetrahedra, Method::nearest_grid_point, Method::cloud_in_cell,
                              Method::triangular_shaped_cloud};

/// Stops at the k-th call; copies count together.
Progress stop_at(int k)
{
    return {{}, [k, calls = std::make_shared<int>(0)] { return ++*calls == k; }};
}

OctreeConfig octree_config()
{
    OctreeConfig config{.root = whole_box(4), .rules = {50, 2}, .fields = {.velocity = true}, .lattice = {}};
    config.batch_bytes = 20000;
    return config;
}

class StoppedDeposit : public OnEachBackend {};

TEST_P(StoppedDeposit, EndsAGridAtAnyReportAndCanBeRepeated)
{
    Particles host = sheet(12, crossed, swirl);
    for (const Method method : methods) {
        DepositConfig config = config_of(whole_box(8), {.velocity = true}, method);
        DensityGrid expected = deposit(exec(), host.view(), config);
        int reports = 0;
        config.progress.report = [&](double, std::string_view) { ++reports; };
        deposit(exec(), host.view(), config);
        ASSERT_GE(reports, 2);
        for (int k = 1; k <= reports; ++k) {
            config.progress = stop_at(k);
            EXPECT_THROW(deposit(exec(), host.view(), config), Stopped) << name_of(method) << " at " << k;
        }
        config.progress = {};
        EXPECT_EQ(deposit(exec(), host.view(), config).total_mass(), expected.total_mass());
    }
}

TEST_P(StoppedDeposit, EndsThePlanOfAnOctree)
{
    Particles host = sheet(12, crossed, swirl);
    for (int k = 1; k <= 3; ++k) {
        OctreeConfig config = octree_config();
        config.progress = stop_at(k);
        EXPECT_THROW(plan_octree(host.view(), config), Stopped) << k;
    }
}

TEST_P(StoppedDeposit, WritesNoPatchOfAnOctreeThatIsStoppedInItsFirstBatch)
{
    Particles host = sheet(12, crossed, swirl);
    OctreePlan plan = plan_octree(host.view(), octree_config());
    plan.config.progress = stop_at(1);
    int written = 0;
    const auto sink = [&](const PatchFields&) { ++written; };
    EXPECT_THROW(deposit_octree(exec(), host.view(), plan, sink), Stopped);
    EXPECT_EQ(written, 0);
    plan.config.progress = stop_at(2);
    EXPECT_THROW(deposit_octree(exec(), host.view(), plan, sink), Stopped);
    EXPECT_GT(written, 0);
    EXPECT_LT(written, static_cast<int>(plan.tree().n_nodes()));
}

TEST_P(StoppedDeposit, EndsTheSearchAtPoints)
{
    Particles host = sheet(12, crossed, swirl);
    const Lattice lattice = make_lattice(host.view(), {side});
    const std::vector<Vec3> points{{1, 2, 3}, {4, 5, 6}};
    EXPECT_THROW(streams_at(exec(), {host.view(), {side}, lattice}, points, stop_at(1)), Stopped);
}

TEST_P(StoppedDeposit, EndsAPictureOfAVolumeAndReportsChangeNoPixel)
{
    std::vector<double> values(4 * 4 * 4);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = 0.01 * static_cast<double>(k);
    const CellField field = grid_field({4, 4, 4}, {0, 0, 0}, {1, 1, 1}, values);
    Volume volume(exec().backend, brick_tree(field, {.logarithmic = false, .floor = 0}));
    const std::vector<Vec3f> colours{{0, 0, 1}, {1, 0, 0}};
    volume.set_transfer(exec(), glowing(0, 1, colours, {}));
    const Volume::View view{camera_view(camera_on({0, 0, 0}, {1, 1, 1}), 40, 600)};
    Buffer<Radiance> plain, watched;
    volume.cast(exec(), view, plain);
    std::vector<double> told;
    volume.cast(exec(), view, watched, {[&](double done, std::string_view) { told.push_back(done); }});
    EXPECT_EQ(told, (std::vector<double>{0, 256.0 / 600, 512.0 / 600, 1}));
    const std::vector<Radiance> a = plain.to_vector(), b = watched.to_vector();
    for (std::size_t k = 0; k < a.size(); ++k) {
        ASSERT_EQ(a[k].red, b[k].red) << k;
        ASSERT_EQ(a[k].transmittance, b[k].transmittance) << k;
    }
    EXPECT_THROW(volume.cast(exec(), view, watched, stop_at(2)), Stopped);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(StoppedDeposit);

TEST(AbsentArrays, DepositsAndPointsNeedOnlyWhatTheyRead)
{
    Particles host = sheet(6, crossed, swirl);
    ConstParticlesView bare{};
    const ConstParticlesView all = host.view();
    bare.n = all.n;
    bare.where = all.where;
    bare.mass = all.mass;
    bare.position = all.position;
    const auto same = [&](Method method) {
        const DepositConfig config = config_of(whole_box(4), {}, method);
        DensityGrid found = deposit({}, bare, config), expected = deposit({}, all, config);
        for (std::int64_t c = 0; c < found.grid().n_cells(); ++c) ASSERT_EQ(found.mass(c), expected.mass(c));
    };
    same(Method::cloud_in_cell);
    EXPECT_THROW(deposit({}, bare, config_of(whole_box(4))), Error) << "tetrahedra need ids";
    EXPECT_THROW(deposit({}, bare, config_of(whole_box(4), {.velocity = true}, Method::cloud_in_cell)),
                 Error);
    bare.id = all.id;
    same(Method::tetrahedra);

    const Lattice lattice = make_lattice(bare, {side});
    const std::vector<Vec3> points{{1, 2, 3}};
    const StreamsAtPoints found = streams_at({}, {bare, {side}, lattice}, points),
                          expected = streams_at({}, {all, {side}, lattice}, points);
    ASSERT_EQ(found.streams.size(), expected.streams.size());
    for (std::size_t k = 0; k < found.streams.size(); ++k) {
        EXPECT_EQ(found.streams[k].density, expected.streams[k].density);
        EXPECT_TRUE(std::isnan(found.streams[k].velocity.x));
    }
}

TEST(MethodNames, AreFoundAndElementsIsAnAliasOfTetrahedra)
{
    for (const Method method : methods) EXPECT_EQ(method_of(name_of(method)), method);
    EXPECT_EQ(method_of("elements"), Method::tetrahedra);
    EXPECT_STREQ(name_of(Method::tetrahedra), "tetrahedra");
    EXPECT_STREQ(attribute_of(Method::tetrahedra), "elements") << "files keep their value";
    EXPECT_STREQ(attribute_of(Method::cloud_in_cell), "cic");
    EXPECT_FALSE(method_of("clouds"));
}

}  // namespace
}  // namespace aureole::test::progress_test

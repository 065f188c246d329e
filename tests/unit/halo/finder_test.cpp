// The interface of finders: what they read, what they return on request, how they are stopped.
#include "halo/finder.hpp"

#include <algorithm>
#include <optional>

#include "halo/centres/centres.hpp"
#include "halo/device_members.hpp"
#include "halo/properties/device_properties.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/halo/fof_verifier.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::finder_test {
namespace {

using halo::Border;
using halo::FofConfig;
using halo::Groups;

/// Positions alone.
ConstParticlesView bare(const Particles& particles)
{
    const ConstParticlesView view = particles.view();
    return {view.n, view.where, nullptr, view.position, {}, {}, nullptr, nullptr, nullptr, nullptr};
}

/// Three clumps, and velocities that tell one half of each from the other.
Particles moving_points(std::size_t n)
{
    Particles particles = particles_at(clustered_points(n, 7));
    for (std::size_t i = 0; i < n; ++i) particles.velocity.x.host()[i] = i % 2 ? 1.0 : -1.0;
    for (std::size_t i = 0; i < n; ++i) particles.mass.host()[i] = 1;
    return particles;
}

class Finders : public testing::TestWithParam<std::tuple<Backend, std::string>> {
protected:
    Exec exec() const { return {std::get<0>(GetParam())}; }
    std::string method() const { return std::get<1>(GetParam()); }
    bool knows_core_particles() const { return method() != "spanning_tree"; }

    FofConfig config() const
    {
        FofConfig config;
        config.linking_length = 0.04;
        config.min_members = 2;
        if (method() == "dbscan") config.min_friends = 3;
        return config;
    }
    std::unique_ptr<halo::Finder> finder(const FofConfig& config) const
    {
        return halo::make_finder(method(), config);
    }
};

TEST_P(Finders, BarePositionsGiveTheLabelsOfWholeParticles)
{
    const Particles particles = moving_points(3000).copy_to(exec().backend);
    for (const double side : {0.0, 1.0})
        for (const Border border : {Border::excluded, Border::nearest}) {
            FofConfig settings = config();
            settings.box = {side};
            settings.border = border;
            const Groups whole = finder(settings)->find(exec(), particles.view());
            const Groups alone = finder(settings)->find(exec(), bare(particles));
            EXPECT_GT(whole.size(), 5u);
            EXPECT_EQ(alone.label, whole.label);
            EXPECT_EQ(alone.n_members, whole.n_members);
        }
}

TEST_P(Finders, GroupsOnTheDeviceAreThoseOnTheHost)
{
    const Particles particles = moving_points(500).copy_to(exec().backend);
    FofConfig settings = config();
    settings.core_flags = true;
    const auto made = finder(settings);
    const Groups on_host = made->find(exec(), particles.view());
    const Groups copied = halo::groups_on_host(exec(), made->find_on_device(exec(), particles.view()));
    EXPECT_EQ(copied.label, on_host.label);
    EXPECT_EQ(copied.n_members, on_host.n_members);
    EXPECT_EQ(copied.core, on_host.core);
    EXPECT_GT(made->scratch_bytes(exec().backend, 500), 500u * 30);
    EXPECT_EQ(made->scratch_bytes(exec().backend, 0), 0u);
}

TEST_P(Finders, CoreFlagsAreThoseOfASlowCount)
{
    Particles host = moving_points(400);
    for (std::size_t i = 0; i < host.size(); i += 5) host.type.host()[i] = 4;
    FofConfig settings = config();
    settings.core_flags = true;
    settings.linking_types = 1 << 1;
    for (const Index friends : {1u, 2u, 6u, 500u}) {
        if (friends > 1 && !knows_core_particles()) continue;
        if (friends == 1 && method() == "dbscan") continue;
        settings.min_friends = friends;
        const FofProblem problem(host, settings);
        const Particles particles = host.copy_to(exec().backend);
        const Groups found = finder(settings)->find(exec(), particles.view());
        ASSERT_EQ(found.core.size(), host.size());
        for (std::size_t i = 0; i < host.size(); ++i)
            ASSERT_EQ(found.core[i], problem.links(i) ? 1 : 0)
                << "particle " << i << ", " << friends << " friends";
    }
}

TEST_P(Finders, CoreFlagsAreAbsentUnlessAskedFor)
{
    const Particles particles = moving_points(100).copy_to(exec().backend);
    EXPECT_TRUE(finder(config())->find(exec(), particles.view()).core.empty());
    EXPECT_EQ(finder(config())->find_on_device(exec(), particles.view()).core, nullptr);
}

TEST_P(Finders, AStopEndsTheSearchAndTheNextOneIsWhole)
{
    const Particles particles = moving_points(1000).copy_to(exec().backend);
    const auto made = finder(config());
    const Groups expected = finder(config())->find(exec(), particles.view());
    int calls = 0;
    const Progress count{{}, [&] { return ++calls < 0; }};
    made->find(exec(), particles.view(), count);
    const int all = calls;
    ASSERT_GT(all, 2);
    for (int last = 1; last <= all; ++last) {
        calls = 0;
        const Progress stop{{}, [&] { return ++calls == last; }};
        EXPECT_THROW(made->find(exec(), particles.view(), stop), Stopped);
        EXPECT_EQ(calls, last);
        EXPECT_EQ(made->find(exec(), particles.view()).label, expected.label);
    }
}

TEST_P(Finders, ProgressRisesFromZeroToOneAtMost)
{
    const Particles particles = moving_points(1000).copy_to(exec().backend);
    FofConfig settings = config();
    settings.relative_linking_velocity = 2;  // a find in space, then one in phase space
    std::vector<double> fractions;
    const Progress progress{[&](double fraction, std::string_view what) {
                                EXPECT_FALSE(what.empty());
                                fractions.push_back(fraction);
                            },
                            {}};
    finder(settings)->find(exec(), particles.view(), progress);
    ASSERT_GT(fractions.size(), 4u);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_EQ(fractions.front(), 0);
    EXPECT_LE(fractions.back(), 1);
}

TEST_P(Finders, AnArrayThatIsNeededAndAbsentIsNamed)
{
    const Particles particles = moving_points(100).copy_to(exec().backend);
    const auto refused = [&](const ConstParticlesView& view, const FofConfig& settings, const char* name) {
        try {
            finder(settings)->find(exec(), view);
            ADD_FAILURE() << "expected " << name << " to be missed";
        } catch (const ArgumentError& e) {
            EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
        }
    };
    FofConfig in_phase_space = config();
    in_phase_space.linking_velocity = 1;
    refused(bare(particles), in_phase_space, "velocities");
    FofConfig in_dispersions = config();
    in_dispersions.relative_linking_velocity = 1;
    refused(bare(particles), in_dispersions, "velocities");
    ConstParticlesView nowhere = particles.view();
    nowhere.position.y = nullptr;
    refused(nowhere, config(), "positions");
    ConstParticlesView elsewhere = particles.view();
    elsewhere.where = exec().backend == Backend::cpu ? Backend::cuda : Backend::cpu;
    refused(elsewhere, config(), "memory");
}

std::vector<std::string> method_names() { return halo::finders().names(); }

INSTANTIATE_TEST_SUITE_P(
    On, Finders, testing::Combine(testing::ValuesIn(available_backends()), testing::ValuesIn(method_names())),
    [](const auto& info) {
        return std::string(name_of(std::get<0>(info.param))) + "_" + std::get<1>(info.param);
    });

TEST(MakeFinder, RefusesUnknownMethodsAndDbscanOfOneFriend)
{
    EXPECT_THROW(halo::make_finder("octree", {}), ConfigError);
    EXPECT_THROW(halo::make_finder("dbscan", {}), ArgumentError);
    EXPECT_EQ(halo::make_finder("grid", {.linking_length = 2})->settings().linking_length, 2);
}

/// One group of all particles, and the searches that follow a finder.
class AfterTheFinder : public OnEachBackend {
protected:
    AfterTheFinder() : host_(moving_points(300)), particles_(host_.copy_to(exec().backend))
    {
        for (std::size_t i = 0; i < host_.size(); ++i) members_.particle.push_back(static_cast<Index>(i));
        members_.begin = {0, 200, 300};
        lists_.emplace(exec().backend, members_);
    }

    Particles host_, particles_;
    halo::Members members_;
    std::optional<halo::DeviceMembers> lists_;
};

TEST_P(AfterTheFinder, CentresNeedNeitherIdsNorVelocities)
{
    ConstParticlesView view = particles_.view();
    view.velocity = {};
    view.id = nullptr;
    view.type = nullptr;
    const auto whole = halo::find_centres(exec(), particles_.view(), lists_->view(), {}, {.softening = 0.01});
    const auto alone = halo::find_centres(exec(), view, lists_->view(), {}, {.softening = 0.01});
    EXPECT_EQ(alone.particle, whole.particle);
    EXPECT_EQ(alone.value, whole.value);
}

TEST_P(AfterTheFinder, CentresRefuseAbsentMassesAndVelocitiesByName)
{
    const auto refused = [&](const ConstParticlesView& view, halo::Centre method, const char* name) {
        try {
            halo::find_centres(exec(), view, lists_->view(), {}, {.method = method, .softening = 0.01});
            ADD_FAILURE() << "expected " << name << " to be missed";
        } catch (const ArgumentError& e) {
            EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
        }
    };
    refused(bare(particles_), halo::Centre::most_bound, "masses");
    ConstParticlesView still = particles_.view();
    still.velocity = {};
    refused(still, halo::Centre::most_bound_energy, "velocities");
}

TEST_P(AfterTheFinder, CentresStopWhenAsked)
{
    const Progress stop{{}, [] { return true; }};
    EXPECT_THROW(halo::find_centres(exec(), particles_.view(), lists_->view(), {}, {.softening = 0.01}, stop),
                 Stopped);
}

TEST_P(AfterTheFinder, PropertiesNeedVelocitiesAndNoTypes)
{
    ConstParticlesView view = particles_.view();
    view.type = nullptr;
    halo::DeviceProperties properties;
    const auto& rows = properties.compute(exec(), {.particles = view, .members = lists_->view()});
    EXPECT_EQ(rows[0].n_members_by_type[1], 200);
    view.velocity = {};
    EXPECT_THROW(properties.compute(exec(), {.particles = view, .members = lists_->view()}), ArgumentError);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(AfterTheFinder);

TEST(SubhaloSearch, StopsWhenAskedAndNeedsVelocities)
{
    const Particles host = moving_points(300);
    halo::Members members;
    for (std::size_t i = 0; i < host.size(); ++i) members.particle.push_back(static_cast<Index>(i));
    members.begin = {0, 300};
    halo::SubhaloConfig config;
    config.softening = 0.01;
    const Progress stop{{}, [] { return true; }};
    EXPECT_THROW(halo::find_subhalos(host.view(), members, config, stop), Stopped);
    ConstParticlesView still = host.view();
    still.velocity = {};
    EXPECT_THROW(halo::find_subhalos(still, members, config), ArgumentError);
}

}  // namespace
}  // namespace aureole::test::finder_test

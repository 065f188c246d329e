#include "integrators/passes.hpp"

#include <limits>

#include "sim/core/particles.hpp"
#include "tests/support/backends.hpp"

namespace aureole::test {
namespace {

using integrators::drift;
using integrators::kick;
using integrators::kick_and_drift;

class KickAndDrift : public OnEachBackend {
protected:
    /// n particles of numbers that are exact in binary, so that results can be compared exactly.
    static Particles made(Index n)
    {
        Particles p(Backend::cpu, n);
        const ParticlesView view = p.view();
        for (Index i = 0; i < n; ++i) {
            const double s = i;
            view.position.store(i, {s, s + 0.5, -s});
            view.velocity.store(i, {2 * s, 1, 0.25});
            view.acceleration.store(i, {-4, s, 8});
        }
        return p;
    }
    static void expect_equal(Vec3 found, Vec3 expected)
    {
        EXPECT_EQ(found.x, expected.x);
        EXPECT_EQ(found.y, expected.y);
        EXPECT_EQ(found.z, expected.z);
    }
};

TEST_P(KickAndDrift, EachMovesWhatItNamesByHand)
{
    Particles p = made(2).copy_to(GetParam());
    kick(exec(), p.view(), 0.5);
    Particles kicked = p.copy_to(Backend::cpu);
    expect_equal(kicked.view().velocity.load(1), {2 - 2, 1 + 0.5, 0.25 + 4});
    expect_equal(kicked.view().position.load(1), {1, 1.5, -1});

    drift(exec(), p.view(), 2);
    Particles drifted = p.copy_to(Backend::cpu);
    expect_equal(drifted.view().position.load(1), {1, 4.5, 7.5});
    expect_equal(drifted.view().velocity.load(1), {0, 1.5, 4.25});
    expect_equal(drifted.view().acceleration.load(1), {-4, 1, 8});
}

TEST_P(KickAndDrift, FusedIsOneAfterTheOtherForAnyNumber)
{
    for (Index n : {0u, 1u, 255u, 256u, 257u, 3000u}) {
        Particles apart = made(n).copy_to(GetParam()), fused = made(n).copy_to(GetParam());
        kick(exec(), apart.view(), 0.25);
        drift(exec(), apart.view(), 0.5);
        kick_and_drift(exec(), fused.view(), 0.25, 0.5);
        for (auto member : {&Particles::position, &Particles::velocity}) {
            EXPECT_EQ((apart.*member).x.to_vector(), (fused.*member).x.to_vector()) << n;
            EXPECT_EQ((apart.*member).y.to_vector(), (fused.*member).y.to_vector()) << n;
            EXPECT_EQ((apart.*member).z.to_vector(), (fused.*member).z.to_vector()) << n;
        }
    }
}

TEST_P(KickAndDrift, AWatchIsToldOfTheFirstNewNumberBeyondItsLimits)
{
    const auto seen = [&](Particles host, auto move) {
        Particles p = host.copy_to(GetParam());
        const std::uint64_t nobody = 999;
        Buffer<std::uint64_t> first(GetParam(), std::span<const std::uint64_t>(&nobody, 1));
        move(p.view(), LimitWatch{{1e6, 1e5, 0}, first.data()});
        return first.to_vector()[0];
    };
    const auto kicked = [&](ParticlesView p, LimitWatch watch) { kick(exec(), p, 0.5, watch); };
    const auto drifted = [&](ParticlesView p, LimitWatch watch) { drift(exec(), p, 2, watch); };
    const auto both = [&](ParticlesView p, LimitWatch watch) { kick_and_drift(exec(), p, 0.5, 2, watch); };
    EXPECT_EQ(seen(made(300), kicked), 999u);
    EXPECT_EQ(seen(made(300), drifted), 999u);
    EXPECT_EQ(seen(made(300), both), 999u);
    for (const double wrong :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(), 1e9}) {
        Particles p = made(300);
        p.acceleration.z.host()[150] = p.acceleration.x.host()[270] = wrong;
        EXPECT_EQ(seen(p.copy_to(Backend::cpu), kicked), 150u) << wrong;
        EXPECT_EQ(seen(p.copy_to(Backend::cpu), both), 150u) << wrong;
        EXPECT_EQ(seen(p.copy_to(Backend::cpu), drifted), 999u) << wrong;
        p.velocity.y.host()[40] = wrong;
        EXPECT_EQ(seen(p.copy_to(Backend::cpu), drifted), 40u) << wrong;
    }
}

TEST_P(KickAndDrift, NothingMovesWhereTheStepBeforeWasBad)
{
    const auto moved = [&](std::uint64_t seen_before, auto move) {
        Particles p = made(300).copy_to(GetParam());
        const std::uint64_t numbers[2] = {seen_before, nothing_beyond};
        Buffer<std::uint64_t> first(GetParam(), std::span<const std::uint64_t>(numbers));
        move(p.view(), LimitWatch{{1e6, 1e5, 0}, first.data() + 1, first.data()});
        std::vector<double> all = p.position.y.to_vector();
        for (const double v : p.velocity.y.to_vector()) all.push_back(v);
        return all;
    };
    const auto nothing = [](ParticlesView, LimitWatch) {};
    const auto kicked = [&](ParticlesView p, LimitWatch watch) { kick(exec(), p, 0.5, watch); };
    const auto drifted = [&](ParticlesView p, LimitWatch watch) { drift(exec(), p, 2, watch); };
    const auto both = [&](ParticlesView p, LimitWatch watch) { kick_and_drift(exec(), p, 0.5, 2, watch); };
    const std::vector<double> start = moved(nothing_beyond, nothing);
    for (const std::uint64_t seen : {std::uint64_t{0}, std::uint64_t{299}}) {
        EXPECT_EQ(moved(seen, kicked), start);
        EXPECT_EQ(moved(seen, drifted), start);
        EXPECT_EQ(moved(seen, both), start);
    }
    EXPECT_NE(moved(nothing_beyond, kicked), start);
    EXPECT_NE(moved(nothing_beyond, drifted), start);
    EXPECT_NE(moved(nothing_beyond, both), start);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(KickAndDrift);

}  // namespace
}  // namespace aureole::test

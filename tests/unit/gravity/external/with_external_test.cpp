// The decorator that adds external fields passes every call of the solver's interface on.
#include "gravity/external/with_external.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gravity/scf/scf.hpp"
#include "sim/core/particles.hpp"

namespace aureole::test::with_external_test {
namespace {

using gravity::ForceOutputs;
using gravity::Selection;
using gravity::TargetRequest;

/// Notes every call and gives recognisable results.
class NotingSolver final : public gravity::Solver {
public:
    explicit NotingSolver(std::vector<std::string>& calls) : calls_(calls) {}
    void prepare(Exec, const ConstParticlesView&, const gravity::SourceRequest& request,
                 const TargetRequest& expected) override
    {
        calls_.push_back(fmt::format("prepare {} {} {}", request.time, request.sources.range.end,
                                     expected.targets.range.end));
    }
    void evaluate(Exec, const ConstParticlesView&, const TargetRequest& request,
                  const ForceOutputs& outputs) override
    {
        calls_.push_back(
            fmt::format("evaluate {} {}", request.targets.range.end, outputs.potential != nullptr));
        outputs.acceleration.store(0, {1, 2, 3});
    }
    std::size_t scratch_bytes(Backend, std::size_t n) const override { return 3 * n; }
    gravity::EnergyTerms energy_terms() const override { return {1, 2, "why"}; }
    std::vector<double> kept_state() const override { return {4, 5}; }
    void restore_state(Exec, const ConstParticlesView&, std::span<const double> state) override
    {
        calls_.push_back(fmt::format("restore {}", state.size()));
    }

private:
    std::vector<std::string>& calls_;
};

/// Adds its time to x.
class TimeField final : public gravity::FieldWithoutPotential {
public:
    void add_acceleration(Exec, const ConstParticlesView&, const Selection& targets, double time,
                          const Vec3View& acceleration) override
    {
        for (Index k = 0; k < targets.size(); ++k) acceleration.x[targets[k]] += time;
    }
    double power(Exec, const ConstParticlesView&, double time) override { return time; }
    std::size_t scratch_bytes(std::size_t n) const override { return n; }
    std::optional<PhaseSpacePoint> body(double) const override { return {}; }
};

TEST(WithExternal, PassesEveryCallOnAndAddsItsFieldsAtTheTimeOfThePreparation)
{
    std::vector<std::string> calls;
    gravity::WithExternal::Fields fields;
    fields.push_back(std::make_unique<TimeField>());
    gravity::WithExternal both(std::make_unique<NotingSolver>(calls), std::move(fields));
    Particles particles(Backend::cpu, 5);
    both.prepare({}, particles.view(), {.time = 7, .sources = {0, 4}}, {.targets = {0, 3}});
    both.evaluate({}, particles.view(), {.targets = {0, 1}}, {particles.acceleration.view(), nullptr});
    EXPECT_EQ(calls, (std::vector<std::string>{"prepare 7 4 3", "evaluate 1 false"}));
    EXPECT_EQ(particles.acceleration.x.host()[0], 8);
    EXPECT_EQ(particles.acceleration.x.host()[1], 0);
    EXPECT_EQ(both.scratch_bytes(Backend::cpu, 10), 40u);
    EXPECT_EQ(both.energy_terms().fixed_field, 1);
    EXPECT_EQ(both.energy_terms().not_conserved, "why");
    EXPECT_EQ(both.kept_state(), (std::vector<double>{4, 5}));
    both.restore_state({}, particles.view(), both.kept_state());
    EXPECT_EQ(calls.back(), "restore 2");
    EXPECT_TRUE(gravity::scf::coefficients_of(both.self_gravity()).empty()) << "it is no expansion";
}

}  // namespace
}  // namespace aureole::test::with_external_test

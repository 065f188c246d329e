// The plug-ins of docs/extending.md. The code between the lines "// [name]" and "// [/name]" stands on the
// page word by word. For extending_test.cpp alone.
#pragma once

#include <cmath>
#include <fstream>
#include <ostream>

// [solver]
#include "gravity/solver.hpp"
#include "gravity/solver_registry.hpp"

using namespace aureole;

/// What a user may set, with its defaults.
struct SpringConfig {
    double strength = 1;
};

/// A spring from every particle to the origin: a = -k x. It keeps nothing from one evaluation to the next.
class Spring final : public gravity::Stateless<gravity::Solver> {
public:
    explicit Spring(const gravity::Config& config) : strength_(config.plugins.get<SpringConfig>().strength) {}

    /// The field needs no sources.
    void prepare(Exec, const ConstParticlesView&, const gravity::SourceRequest&,
                 const gravity::TargetRequest&) override
    {
    }
    void evaluate(Exec, const ConstParticlesView& particles, const gravity::TargetRequest& request,
                  const gravity::ForceOutputs& outputs) override
    {
        const gravity::Selection targets = request.targets.clipped(particles.n);
        for (Index k = 0; k < targets.size(); ++k) {
            const Index i = targets[k];
            const Vec3 x = particles.position.load(i);
            outputs.acceleration.store(i, -strength_ * x);
            if (outputs.potential) outputs.potential[i] = 0.5 * strength_ * dot(x, x);
        }
    }
    std::size_t scratch_bytes(Backend, std::size_t) const override { return 0; }
    gravity::EnergyTerms energy_terms() const override { return {}; }

private:
    double strength_;
};

/// The one registration. Its key is gravity.spring.strength.
gravity::SolverPlugin spring_plugin()
{
    return {"spring", "a spring to the origin, a = -strength x",
            [](const gravity::Config& config) { return std::make_unique<Spring>(config); },
            plugin_settings<SpringConfig>({setting("strength", Quantity::number, &SpringConfig::strength,
                                                   "k of a = -k x", positive())})};
}
// [/solver]

// [integrator]
#include "gravity/solver.hpp"
#include "integrators/integrator.hpp"
#include "integrators/passes.hpp"

/// The symplectic Euler method: a kick, then a drift, both of the whole step.
class SymplecticEuler final : public integrators::Integrator {
public:
    void step(Exec exec, const ParticlesView& particles, gravity::Solver& solver, double& time, double dt,
              bool potential) override
    {
        integrators::kick_and_drift(exec, particles, dt, dt, watch());
        time += dt;
        accelerate(solver, exec, particles, {.time = time, .potential = potential});
    }

    /// Only kick_and_drift() changes particles.
    bool stands_still() const override { return true; }

    /// A step starts from particles and time alone, so that a checkpoint needs no more.
    std::vector<double> kept_state() const override { return {}; }
    void restore_state(std::span<const double> state) override { integrators::expect_no_state(state); }
};

integrators::IntegratorPlugin euler_plugin()
{
    return {"symplectic_euler", "kick and drift of the whole step, first order",
            [](const PluginConfigs&) { return std::make_unique<SymplecticEuler>(); }};
}
// [/integrator]

// [model]
#include "ics/check_config.hpp"
#include "ics/model.hpp"

struct RingConfig {
    double radius = 1;
};

/// Particles at rest, evenly on a circle in the xy plane.
class Ring final : public ics::ComponentModel {
public:
    void check(const std::string& where, const ics::Component& c) const override
    {
        ics::expect_positive(where, "mass", c.mass);
        ics::expect_positive(where, "ring.radius", c.own.get<RingConfig>().radius);
    }
    double carried_mass(const ics::Component& c) const override { return c.mass; }
    void fill(const ParticlesView& p, const ics::Slot& slot, const ics::Config& config,
              std::size_t number) const override
    {
        const ics::Component& c = config.components[number];
        const double radius = c.own.get<RingConfig>().radius;
        for (Index k = 0; k < slot.n; ++k) {
            const double angle = 2 * std::acos(-1.0) * k / slot.n;
            const Index i = slot.first + k;
            p.mass[i] = c.mass / slot.n;
            p.position.store(i, slot.centre.position + radius * Vec3{std::cos(angle), std::sin(angle), 0});
            p.velocity.store(i, slot.centre.velocity);
        }
    }
};

/// Its key is initial_conditions.ring.radius.
ics::ModelPlugin ring_plugin()
{
    return {"ring", "particles evenly on a circle, at rest", [] { return std::make_unique<Ring>(); },
            ics::model_settings<RingConfig>("ring", {setting("radius", Quantity::length, &RingConfig::radius,
                                                             "of the circle", positive())})};
}
// [/model]

// [finder]
#include "halo/finder.hpp"

using namespace aureole;

struct SidesConfig {
    double plane = 0;
};

/// Two groups: the particles on either side of the plane at x.
class Sides final : public halo::Finder {
public:
    Sides(const halo::FofConfig& settings, const SidesConfig& own) : settings_(settings), plane_(own.plane) {}

    const halo::FofConfig& settings() const override { return settings_; }

    std::size_t scratch_bytes(Backend, std::size_t n) const override { return n * sizeof(std::int32_t); }

private:
    halo::GroupsView do_find(Exec exec, const ConstParticlesView& particles,
                             const Progress& progress) override
    {
        AUREOLE_EXPECT(exec.backend == Backend::cpu,
                       "the finder 'sides' is for the CPU, expected --device cpu");
        progress.at(0, "sides");
        label_.resize(particles.n);
        Index n_right = 0;
        for (Index i = 0; i < particles.n; ++i) n_right += particles.position.x[i] > plane_ ? 1 : 0;
        const Index n_left = particles.n - n_right;
        // the larger group is the first, and groups with fewer than min_members are left out
        const int right = n_right > n_left ? 0 : 1;
        n_members_ = {std::max(n_left, n_right), std::min(n_left, n_right)};
        while (!n_members_.empty() && n_members_.back() < settings_.min_members) n_members_.pop_back();
        const auto n_groups = static_cast<std::int32_t>(n_members_.size());
        for (Index i = 0; i < particles.n; ++i) {
            const int group = particles.position.x[i] > plane_ ? right : 1 - right;
            label_[i] = group < n_groups ? group : -1;
        }
        return {particles.n, static_cast<Index>(n_members_.size()), label_.data(), n_members_.data()};
    }

    halo::FofConfig settings_;
    double plane_;
    std::vector<std::int32_t> label_;
    std::vector<Index> n_members_;
};

/// Its key is halos.sides.plane.
halo::FinderPlugin sides_plugin()
{
    return {"sides", "two groups on either side of a plane",
            [](const halo::FofConfig& settings, const PluginConfigs& own) {
                return std::make_unique<Sides>(settings, own.get<SidesConfig>());
            },
            plugin_settings<SidesConfig>(
                {setting("plane", Quantity::length, &SidesConfig::plane, "x of the plane")})};
}
// [/finder]

// [centre]
#include "halo/centres/centre_method.hpp"

using namespace aureole;

struct HeaviestConfig {
    std::uint32_t rank = 1;
};

/// The heaviest member, or the second, third, ... heaviest.
class Heaviest final : public halo::HostCentreMethod {
public:
    explicit Heaviest(const HeaviestConfig& own) : rank_(own.rank) {}

    void expect_possible(const halo::CentreConfig&, const Box&) const override {}
    bool needs_velocities() const override { return false; }
    bool by_potential() const override { return false; }

    halo::Centres find(const halo::ListsOnHost& lists) const override
    {
        halo::CentreList centres(lists);
        for (std::size_t list = 0; list < lists.members.size(); ++list) {
            lists.progress.at(0, "centres of groups");
            const auto own = lists.members.of(list);
            std::vector<Index> members(own.begin(), own.end());
            // ties go to the smallest id, so that the order of the input changes nothing
            std::ranges::sort(members, [&](Index a, Index b) {
                const double of_a = lists.particles.mass[a], of_b = lists.particles.mass[b];
                return of_a != of_b ? of_a > of_b : lists.particles.id_of(a) < lists.particles.id_of(b);
            });
            const Index best = members[std::min<std::size_t>(rank_, members.size()) - 1];
            centres.set_particle(list, best, lists.particles.mass[best]);
        }
        return std::move(centres.centres());
    }

private:
    std::uint32_t rank_;
};

/// Its key is halos.heaviest.rank.
halo::CentrePlugin heaviest_plugin()
{
    return {"heaviest", "heaviest member",
            [](const PluginConfigs& own) { return std::make_unique<Heaviest>(own.get<HeaviestConfig>()); },
            plugin_settings<HeaviestConfig>({setting("rank", Quantity::number, &HeaviestConfig::rank,
                                                     "1: the heaviest, 2: the next", at_least(1u))})};
}
// [/centre]

// [format]
#include "sim/io/atomic_file.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"

/// One line for each particle: mass and position, in the units of the file.
class LinesWriter final : public io::SingleFileWriter {
public:
    void write(const std::filesystem::path& file, ConstParticlesView host,
               const io::SnapshotContent& content) const override
    {
        io::AtomicFile target(file);
        target.write([&](std::ostream& out) {
            for (Index i = 0; i < host.n; ++i) {
                const Vec3 x = content.scales.length * host.position.load(i);
                out << content.scales.mass * host.mass[i] << ' ' << x.x << ' ' << x.y << ' ' << x.z << '\n';
            }
        });
        target.commit();
    }
    std::vector<std::string> losses(ConstParticlesView, const io::SnapshotContent&) const override
    {
        return {"These lines hold masses and positions alone."};
    }
};

io::SnapshotFormat lines_format()
{
    return {.name = "lines",
            .writing = {.documentation = "mass and position of each particle in a line",
                        .endings = {".lines"},
                        .make = [] { return std::make_unique<LinesWriter>(); }}};
}
// [/format]

// [analysis]
#include "sim/core/particles_view.hpp"
#include "sim/core/table.hpp"

/// The mass and the mean velocity along z on either side of the plane z = 0; NaN where there is no mass.
Table flow_through_the_plane(const ConstParticlesView& host)
{
    std::vector<double> mass(2), momentum(2), velocity(2);
    for (Index i = 0; i < host.n; ++i) {
        const std::size_t side = host.position.z[i] > 0 ? 1 : 0;
        mass[side] += host.mass[i];
        momentum[side] += host.mass[i] * host.velocity.z[i];
    }
    for (std::size_t side = 0; side < 2; ++side) velocity[side] = momentum[side] / mass[side];
    return {2,
            {{"Mass", "Mass below and above the plane.", {.mass = 1}, 1, mass},
             {"Velocity", "Mean velocity along z.", {.velocity = 1}, 1, velocity}}};
}
// [/analysis]

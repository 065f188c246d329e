// Steps of a run whose particles lie on all ranks against those of one process, bit for bit; threads stand
// for the ranks.
#include "sim/run/ranks/particle_runs.hpp"

#include <gtest/gtest.h>

#include "gravity/external/potential_field.hpp"
#include "gravity/external/with_external.hpp"
#include "gravity/scf/scf_config.hpp"
#include "gravity/solver_config.hpp"
#include "integrators/leapfrog.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/ranks/thread_ranks.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test::particle_runs {
namespace {

namespace scf = gravity::scf;

constexpr double dt = 0.01;

struct Case {
    const char* name;
    gravity::Config config;
    std::size_t n_components = 2;
    bool shares_every_step = true;
    bool has_field = false;
};

/// The same on every rank.
gravity::WithExternal::Fields fields_of(const Case& of)
{
    if (!of.has_field) return {};
    gravity::WithExternal::Fields fields;
    fields.push_back(
        std::make_unique<gravity::PotentialField>(gravity::NfwPotential{3, 2}, gravity::FieldPlacement{}));
    return fields;
}

gravity::Config expansions(int n, int l)
{
    gravity::Config config;
    config.solver = "scf";
    auto& own = config.plugins.get<scf::Config>();
    own.components = {scf::FieldConfig{}, scf::FieldConfig{}, scf::FieldConfig{}};
    for (scf::FieldConfig& field : own.components) {
        field.basis.n_max = n;
        field.basis.l_max = l;
    }
    return config;
}

std::vector<Case> cases()
{
    std::vector<Case> all{{"two components", expansions(6, 4)},
                          {"one component in double", expansions(3, 3), 1},
                          {"an order without a kernel of its own", expansions(7, 5)},
                          {"sub-samples", expansions(3, 2)},
                          {"recentring", expansions(4, 2), 3, false},
                          {"a frozen component", expansions(3, 2), 2, false},
                          {"no net force", expansions(3, 2), 2, false},
                          {"an external field", expansions(3, 2), 2, false, true}};
    all[1].config.precision = Precision::double_precision;
    const auto of = [&](std::size_t k) -> scf::Config& { return all[k].config.plugins.get<scf::Config>(); };
    of(3).components[1].smoothing.samples = 9;
    of(4).components[0].recenter_every = 2.5 * dt;
    of(5).components[1].mode = scf::Mode::frozen;
    of(6).subtract_mean_acceleration = true;
    for (Case& one : all) one.config.plugins.get<scf::Config>().components.resize(one.n_components);
    return all;
}

/// Plummer spheres of a hundred, two hundred ... particles side by side.
Particles spheres(std::size_t n, Backend where)
{
    std::vector<Body> bodies;
    for (std::size_t k = 0; k < n; ++k)
        for (Body body : plummer_bodies(100 * (k + 1), 5 + static_cast<unsigned>(k))) {
            body.position[0] += 2.0 * static_cast<double>(k);
            bodies.push_back(body);
        }
    Particles host = to_particles(bodies, Backend::cpu);
    for (std::size_t i = 0, k = 0, end = 100; i < bodies.size(); ++i) {
        if (i == end) end += 100 * (++k + 1);
        host.component.host()[i] = static_cast<Component>(k);
    }
    return host.copy_to(where);
}

gravity::Softening softening_of(double length)
{
    gravity::Softening softening;
    softening.length.fill(length);
    return softening;
}

bool same_bits(const Buffer<double>& a, const Buffer<double>& b)
{
    const std::vector<double> x = a.to_vector(), y = b.to_vector();
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

void expect_same(const Particles& found, const Particles& expected, const std::string& what)
{
    for (const auto member : {&Particles::position, &Particles::velocity, &Particles::acceleration})
        for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
            EXPECT_TRUE(same_bits((found.*member).*axis, (expected.*member).*axis)) << what;
    EXPECT_TRUE(same_bits(found.potential, expected.potential)) << what;
}

/// Of one rank; every rank calls the same.
struct RunChecks {
    comm::Communicator& ranks;
    Backend where;
    std::shared_ptr<comm::DeviceMoves> moves =
        where == Backend::cpu ? comm::host_moves(ranks) : comm::staged_moves(ranks, comm::pinned_staging());

    template <class Body>
    void with_others(Body body)
    {
        ranks.checks_calls(true);
        if (ranks.rank() > 0) {
            run::ParticleRunServer server(ranks, *moves);
            const auto make = [&](std::span<const std::byte> number) {
                std::size_t k = 0;
                std::memcpy(&k, number.data(), sizeof k);
                server.set_fields(fields_of(cases()[k]));
                return make_solver(cases()[k].config);
            };
            return gravity::serve_forces(
                ranks, *moves, make,
                [&](gravity::Solver* solver, double work_seconds, std::span<const std::byte> task) {
                    server.perform(*solver, work_seconds, task);
                });
        }
        try {
            body();
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
        gravity::end_forces(ranks);
    }

    /// Seven steps, potentials with every third, looked at by rank 0 after some.
    void expect_one_ranks_bits(std::size_t k)
    {
        const Case here = cases()[k];
        const Exec exec{where};
        Particles particles = spheres(here.n_components, where), alone = particles.copy_to(where);
        gravity::WithExternal several(std::make_unique<gravity::RankedSolver>(
                                          ranks, moves, make_solver(here.config), comm::bytes_of(k)),
                                      fields_of(here));
        gravity::WithExternal one(make_solver(here.config), fields_of(here));
        accelerate(several, exec, particles.view(), {.potential = true});
        accelerate(one, exec, alone.view(), {.potential = true});
        run::Timers timers;
        const auto runs =
            run::ParticleRuns::of(exec, ranks, *moves, several.self_gravity(), several.fields(), timers);
        EXPECT_EQ(runs == nullptr, ranks.size() == 1);
        if (!runs) return;
        runs->watch({1e100, 1e100, 1e100});
        integrators::Leapfrog leapfrog;
        double time = 0;
        int n_shared = 0;
        for (int step = 0; step < 7; ++step) {
            const bool potential = step % 3 == 2;
            const double begin = time;
            leapfrog.step(exec, alone.view(), one, time, dt, potential);
            if (runs->can_step(begin + dt, potential)) {
                runs->step(particles.view(), begin, dt, potential);
                EXPECT_TRUE(runs->has_looked() && runs->within_limits());
                EXPECT_TRUE(runs->is_ahead());
                integrators::AdaptiveTimestep adaptive(0.1, softening_of(0.3));
                EXPECT_EQ(runs->longest_step(0.1, 0.3, particles.view()), adaptive(exec, alone.view()));
                ++n_shared;
                if (step == 3) expect_pieces_of(*runs, alone);
            } else {
                runs->collect(particles.view());
                double same_time = begin;
                leapfrog.step(exec, particles.view(), several, same_time, dt, potential);
                runs->renew();
            }
            if (step % 2 == 0) continue;
            runs->collect(particles.view());
            expect_same(particles, alone, fmt::format("{}, step {}", here.name, step));
            EXPECT_EQ(several.kept_state(), one.kept_state()) << here.name;
        }
        EXPECT_EQ(n_shared == 7, here.shares_every_step) << here.name;
    }

    /// Pieces of a checkpoint that all ranks write hold the particles of one process.
    void expect_pieces_of(run::ParticleRuns& runs, const Particles& alone)
    {
        const TemporaryFolder folder;
        const run::CheckpointPieces pieces = runs.write_pieces(3, folder.path());
        EXPECT_EQ(pieces.piece.size(), static_cast<std::size_t>(ranks.size()));
        Particles read(Backend::cpu, alone.size());
        run::read_checkpoint_pieces(folder.path(), pieces, "checkpoint.bin", read);
        expect_same(read, alone, "pieces");
        EXPECT_FALSE(runs.write_pieces(3, folder / "nowhere").any());
        std::filesystem::create_directory(folder / run::checkpoint_piece_name(4, 1));
        EXPECT_TRUE(
            contains(message_of<IoError>([&] { runs.write_pieces(4, folder.path()); }), "rank 1 of "));
    }

    void see_a_particle_beyond_the_limits_on_any_rank()
    {
        const std::size_t k = 0;
        for (const Index culprit : {0u, 299u}) {
            Particles particles = spheres(2, Backend::cpu);
            particles.velocity.x.host()[culprit] = 5000 / dt;
            particles = particles.copy_to(where);
            const Exec exec{where};
            gravity::RankedSolver several(ranks, moves, make_solver(cases()[k].config), comm::bytes_of(k));
            accelerate(several, exec, particles.view(), {.potential = true});
            run::Timers timers;
            const gravity::WithExternal::Fields no_fields;
            const auto runs = run::ParticleRuns::of(exec, ranks, *moves, several, no_fields, timers);
            if (!runs) return;
            runs->watch({12000, 1e100, 1e100});
            for (const bool is_within : {true, true, false}) {
                EXPECT_TRUE(runs->can_step(0, false));
                runs->step(particles.view(), 0, dt, false);
                EXPECT_EQ(runs->within_limits(), is_within) << "particle " << culprit;
            }
        }
    }
};

class ParticleRuns : public OnEachBackend {};

TEST_P(ParticleRuns, TakeTheStepsOfOneRankWithItsBits)
{
    on_thread_ranks([&](comm::Communicator& ranks) {
        RunChecks checks{ranks, GetParam()};
        checks.with_others([&] {
            for (std::size_t k = 0; k < cases().size(); ++k) checks.expect_one_ranks_bits(k);
        });
    });
}

TEST_P(ParticleRuns, SeeAParticleBeyondTheLimitsOnAnyRank)
{
    on_thread_ranks([&](comm::Communicator& ranks) {
        RunChecks checks{ranks, GetParam()};
        checks.with_others([&] { checks.see_a_particle_beyond_the_limits_on_any_rank(); });
    });
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ParticleRuns);

}  // namespace
}  // namespace aureole::test::particle_runs

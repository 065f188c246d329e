// Forces by several ranks against those of one process, bit for bit, as checks that the ranks run together.
#pragma once

#include <cstring>

#include "gravity/ranks/ranked_solver.hpp"
#include "gravity/solver_config.hpp"
#include "gravity/treepm/treepm.hpp"
#include "sim/core/error.hpp"
#include "tests/support/gravity/frozen_potential.hpp"
#include "tests/unit/gravity/scf/scf_solver_fixture.hpp"
#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test {

inline constexpr Exec cpu{};

/// Sums nothing, and fails where it is asked to.
class Faulty final : public gravity::SlicedSolver {
public:
    /// Of rank `own`; evaluations of one target, and restored states, fail on rank `at`.
    Faulty(int own, int at) : own_(own), at_(at) {}

    void prepare(Exec, const ConstParticlesView& p, const gravity::SourceRequest& request,
                 const gravity::TargetRequest&) override
    {
        fail_at(request.time, p.n);
    }
    void evaluate_slice(Exec, const ConstParticlesView& p, const gravity::TargetRequest& request,
                        gravity::Slice, const gravity::ForceOutputs&) override
    {
        if (request.targets.size() == 1) fail_at(at_, p.n);
    }
    void finish(Exec, const ConstParticlesView&, const gravity::TargetRequest&,
                const gravity::ForceOutputs&) override
    {
    }
    std::size_t scratch_bytes(Backend, std::size_t) const override { return 0; }
    gravity::EnergyTerms energy_terms() const override { return {}; }
    std::vector<double> kept_state() const override { return {}; }
    void restore_state(Exec, const ConstParticlesView& p, std::span<const double> state) override
    {
        fail_at(state.empty() ? -1 : at_, p.n);
    }

private:
    void fail_at(double rank, Index n) const
    {
        if (own_ == rank) throw ConfigError(fmt::format("found {} particles, expected none", n));
    }
    int own_, at_;
};

inline gravity::Config scf_config(int component_mode)
{
    gravity::Config config;
    config.solver = "scf";
    auto& own = config.plugins.get<gravity::scf::Config>();
    own.components = {FieldConfig{}, FieldConfig{}};
    own.components[0].basis.n_max = 3;
    own.components[0].recenter_every = 0.5;
    if (component_mode == 1) own.components[1].mode = gravity::scf::Mode::frozen;
    if (component_mode == 2) own.components[1].smoothing.samples = 8;
    own.subtract_mean_acceleration = true;
    return config;
}

inline gravity::Config periodic_config(const std::string& solver)
{
    gravity::Config config = direct_config(plummer_softening(0.001), gravity::Precision::mixed);
    config.solver = solver;
    config.plugins.get<gravity::treepm::Config>().mesh = 16;
    return config;
}

inline gravity::Config conserving(gravity::Config config)
{
    config.plugins.get<gravity::tree::Config>().conserve_momentum = true;
    return config;
}

inline gravity::Config by_domains(gravity::Config config)
{
    config.plugins.get<gravity::tree::Config>().domains = true;
    return config;
}

/// What the ranks agree to call solver k.
inline std::vector<gravity::Config> open_configs()
{
    const ReferenceSoftening by_type{false, {0.01, 0.02, 0.03, 0.04, 0.05, 0.06}};
    return {direct_config(by_type, gravity::Precision::mixed),
            direct_config(by_type, gravity::Precision::double_precision),
            conserving(tree_config(by_type, 1e-3)),
            tree_config(plummer_softening(0), 0, 0.5),
            scf_config(0),
            scf_config(1),
            scf_config(2),
            by_domains(conserving(tree_config(by_type, 1e-3))),
            by_domains(tree_config(plummer_softening(0), 0, 0.5))};
}
inline std::vector<gravity::Config> periodic_configs()
{
    return {periodic_config("direct"), periodic_config("treepm")};
}

inline constexpr int first_periodic = 100, faulty = 1000, missing = 2000;

/// On rank `own`.
inline std::unique_ptr<gravity::Solver> solver_of_number(int k, int own = 0)
{
    if (k >= missing) throw ConfigError("no such solver");
    if (k >= faulty) return std::make_unique<Faulty>(own, k - faulty);
    if (k >= first_periodic)
        return make_solver(periodic_configs()[static_cast<std::size_t>(k - first_periodic)]);
    return make_solver(open_configs()[static_cast<std::size_t>(k)]);
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b)
{
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline void expect_same(const Particles& found, const Particles& expected, const std::string& what)
{
    EXPECT_TRUE(same_bits(found.acceleration.x.to_vector(), expected.acceleration.x.to_vector())) << what;
    EXPECT_TRUE(same_bits(found.acceleration.y.to_vector(), expected.acceleration.y.to_vector())) << what;
    EXPECT_TRUE(same_bits(found.acceleration.z.to_vector(), expected.acceleration.z.to_vector())) << what;
    EXPECT_TRUE(same_bits(found.potential.to_vector(), expected.potential.to_vector())) << what;
}

/// Components of two thirds and a third, side by side.
inline Particles of_two(std::vector<Body> bodies)
{
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].type = static_cast<int>(i % 4);
    Particles host = to_particles(bodies, Backend::cpu);
    const auto numbers = host.component.host();
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i > 2 * numbers.size() / 3;
    return host;
}

/// Of one rank; every rank calls the same check.
struct RankedSolverChecks {
    comm::Communicator& ranks;

    /// Calls body() on rank 0, whose RankedSolvers the others serve.
    template <class Body>
    void with_solver(Body body)
    {
        ranks.checks_calls(true);
        if (ranks.rank() > 0)
            return gravity::serve_forces(ranks, [this](std::span<const std::byte> settings) {
                int k = 0;
                std::memcpy(&k, settings.data(), sizeof k);
                return solver_of_number(k, ranks.rank());
            });
        try {
            body();
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
        gravity::end_forces(ranks);
    }

    std::unique_ptr<gravity::RankedSolver> ranked(int k)
    {
        return std::make_unique<gravity::RankedSolver>(ranks, solver_of_number(k, ranks.rank()),
                                                       comm::bytes_of(k));
    }

    /// Several evaluations by both solvers, of particles that move and change in between.
    void expect_one_ranks_bits(int k, Particles particles, Box box)
    {
        const std::string what = fmt::format("solver {}, {} particles", k, particles.size());
        Particles alone = particles.copy_to(Backend::cpu);
        const auto several = ranked(k);
        const auto one = solver_of_number(k);
        const auto n = static_cast<Index>(particles.size());
        std::vector<gravity::ForceRequest> requests(5, {.potential = true, .box = box});
        requests[1].targets = requests[1].sources = IndexRange{n / 4, n / 2};
        requests[1].time = requests[2].time = 0.3;
        requests[2].potential = false;
        requests[3].targets = IndexRange{n / 2, n};
        requests[4].time = 0.7;
        for (std::size_t step = 0; step < requests.size(); ++step) {
            for (Particles* p : {&particles, &alone}) {
                for (double& x : p->position.x.host()) x += 1e-3;
                if (step == 2 && n > 0) p->mass.host()[n / 2] *= 2;
                if (step == 3 && n > 0) p->type.host()[0] = 4;
            }
            accelerate(*several, cpu, particles.view(), requests[step]);
            accelerate(*one, cpu, alone.view(), requests[step]);
            expect_same(particles, alone, fmt::format("{}, step {}", what, step));
            EXPECT_EQ(several->energy_terms().fixed_field, one->energy_terms().fixed_field) << what;
            EXPECT_EQ(several->energy_terms().recentring_jumps, one->energy_terms().recentring_jumps) << what;
            EXPECT_TRUE(same_bits(several->kept_state(), one->kept_state())) << what;
        }
        EXPECT_EQ(several->coefficients().size(), gravity::scf::coefficients_of(*one).size()) << what;
    }

    void has_the_bits_of_one_rank_in_open_space()
    {
        with_solver([&] {
            for (int k = 0; k < static_cast<int>(open_configs().size()); ++k)
                for (const std::size_t n : {0u, 1u, 63u, 65u, 1000u})
                    if (n == 0 || n > 3 || open_configs()[static_cast<std::size_t>(k)].solver != "scf")
                        expect_one_ranks_bits(k, of_two(plummer_bodies(n, 3)), {});
        });
    }

    void has_the_bits_of_one_rank_in_a_box()
    {
        with_solver([&] {
            for (const std::size_t n : {1u, 40u})
                expect_one_ranks_bits(first_periodic, of_two(random_bodies(n, 4)), {1});
            expect_one_ranks_bits(first_periodic + 1, of_two(random_bodies(1000, 5)), {1});
        });
    }

    void takes_lists_of_particles()
    {
        with_solver([&] {
            for (const int k : {0, 2}) {
                Particles particles = of_two(plummer_bodies(500, 6)), alone = particles.copy_to(Backend::cpu);
                std::vector<Index> odd, even;
                for (Index i = 0; i < 500; ++i) (i % 2 ? odd : even).push_back(i);
                const auto first = gravity::Selection::listed(odd.data(), 250),
                           second = gravity::Selection::listed(even.data(), 250);
                const auto several = ranked(k);
                const auto one = solver_of_number(k);
                for (const gravity::Selection& sources : {first, second, gravity::Selection()}) {
                    accelerate(*several, cpu, particles.view(),
                               {.potential = true, .targets = first, .sources = sources});
                    accelerate(*one, cpu, alone.view(),
                               {.potential = true, .targets = first, .sources = sources});
                    expect_same(particles, alone, "lists");
                }
            }
        });
    }

    void evaluates_several_times_after_one_preparation()
    {
        with_solver([&] {
            Particles particles = of_two(plummer_bodies(600, 7)), alone = particles.copy_to(Backend::cpu);
            const auto several = ranked(2);
            const auto one = solver_of_number(2);
            for (auto& [solver, p] : {std::pair<gravity::Solver*, Particles*>{several.get(), &particles},
                                      std::pair<gravity::Solver*, Particles*>{one.get(), &alone}}) {
                const ParticlesView view = p->view();
                const gravity::TargetRequest targets{{}, view.acceleration}, none{};
                solver->prepare(cpu, view, {}, targets);
                for (const auto& request : {targets, targets, none, targets})
                    solver->evaluate(cpu, view, request, {view.acceleration, view.potential});
            }
            expect_same(particles, alone, "four evaluations");
        });
    }

    void leaves_absent_arrays_absent()
    {
        with_solver([&] {
            for (int k = 0; k < 4; ++k) {
                Particles particles = of_two(plummer_bodies(400, 8)), alone = particles.copy_to(Backend::cpu);
                const auto several = ranked(k);
                const auto one = solver_of_number(k);
                for (const bool has_arrays : {false, true, false}) {
                    for (auto& [solver, p] :
                         {std::pair<gravity::Solver*, Particles*>{several.get(), &particles},
                          std::pair<gravity::Solver*, Particles*>{one.get(), &alone}}) {
                        ParticlesView view = p->view();
                        if (!has_arrays) view.id = nullptr, view.type = nullptr, view.component = nullptr;
                        accelerate(*solver, cpu, view, {.potential = true});
                    }
                    expect_same(particles, alone, "absent arrays");
                }
            }
        });
    }

    void sees_another_particle_set_where_rank_0_does()
    {
        with_solver([&] {
            const auto several = ranked(4);
            const auto one = solver_of_number(4);
            std::vector<Particles> sets;  // all live, so that each has addresses of its own
            for (const unsigned seed : {1u, 2u, 3u}) {
                sets.push_back(of_two(plummer_bodies(700, seed)));
                sets.push_back(sets.back().copy_to(Backend::cpu));
                Particles &particles = sets[sets.size() - 2], &alone = sets.back();
                for (const double time : {0.0, 0.2}) {
                    accelerate(*several, cpu, particles.view(), {.time = time, .potential = true});
                    accelerate(*one, cpu, alone.view(), {.time = time, .potential = true});
                    expect_same(particles, alone, fmt::format("set {}", seed));
                }
            }
        });
    }

    void continues_from_a_kept_state()
    {
        with_solver([&] {
            for (const int k : {0, 2, 4, 5, 6}) {
                Particles particles = of_two(plummer_bodies(900, 9));
                const auto one = solver_of_number(k);
                accelerate(*one, cpu, particles.view(), {.time = 0.3, .potential = true});
                Particles again = particles.copy_to(Backend::cpu);
                const auto several = ranked(k);
                several->restore_state(cpu, again.view(), one->kept_state());
                EXPECT_TRUE(same_bits(several->kept_state(), one->kept_state()));
                for (const double time : {0.4, 0.6}) {
                    accelerate(*one, cpu, particles.view(), {.time = time, .potential = true});
                    accelerate(*several, cpu, again.view(), {.time = time, .potential = true});
                    expect_same(again, particles, fmt::format("solver {}", k));
                }
            }
        });
    }

    void throws_the_error_of_any_rank_on_rank_0_and_goes_on()
    {
        with_solver([&] {
            Particles particles = of_two(plummer_bodies(10, 10));
            const std::string fault = "found 10 particles, expected none";
            for (int rank = 0; rank < ranks.size(); ++rank) {
                const std::string expected =
                    rank == 0 ? fault : fmt::format("rank {} of {}: {}", rank, ranks.size(), fault);
                const auto solver = ranked(faulty + rank);
                const auto prepare = [&] {
                    accelerate(*solver, cpu, particles.view(), {.time = double(rank)});
                };
                const auto evaluate = [&] {
                    accelerate(*solver, cpu, particles.view(), {.time = -1, .targets = {3, 4}});
                };
                const auto restore = [&] {
                    solver->restore_state(cpu, particles.view(), std::vector<double>{1});
                };
                EXPECT_EQ(message_of<Error>(prepare), expected);
                EXPECT_EQ(message_of<Error>(evaluate), expected);
                EXPECT_EQ(message_of<Error>(restore), expected);
                if (rank == 0) {
                    EXPECT_THROW(prepare(), ConfigError);  // its own, as it was
                }
            }
            expect_one_ranks_bits(0, of_two(plummer_bodies(100, 11)), {});
        });
    }

    void refuses_solvers_that_cannot_share_and_gpus()
    {
        with_solver([&] {
            const auto unshared = [&] {
                gravity::RankedSolver(ranks, std::make_unique<FrozenPotential>(kepler_field),
                                      comm::bytes_of(0));
            };
            EXPECT_NE(message_of<ConfigError>(unshared).find("expected one of the solvers"),
                      std::string::npos);
            if (ranks.size() > 1) {
                const auto unmade = [&] {
                    gravity::RankedSolver(ranks, solver_of_number(0), comm::bytes_of(missing));
                };
                EXPECT_NE(message_of<Error>(unmade).find("rank 1 of"), std::string::npos);
            }
            ConstParticlesView there{};
            there.where = Backend::cuda;
            const auto solver = ranked(0);
            EXPECT_THROW(solver->prepare({Backend::cuda}, there, {}, {}), ConfigError);
        });
    }
};

}  // namespace aureole::test

#include "gravity/solver_config.hpp"

#include <gtest/gtest.h>

#include "gravity/solver.hpp"
#include "gravity/solver_registry.hpp"
#include "sim/core/error.hpp"

namespace aureole::test::automatic_solver_test {
namespace {

using gravity::settled_solver;

TEST(AutomaticSolver, IsTheDirectSumUpToANumberAndTheTreeAboveIt)
{
    for (const Backend where : {Backend::cpu, Backend::cuda})
        for (const Precision precision : {Precision::mixed, Precision::double_precision}) {
            const std::size_t most = gravity::direct_up_to(where, precision);
            EXPECT_EQ(settled_solver("auto", where, precision, 1), "direct");
            EXPECT_EQ(settled_solver("auto", where, precision, most), "direct");
            EXPECT_EQ(settled_solver("auto", where, precision, most + 1), "tree");
            EXPECT_EQ(settled_solver("scf", where, precision, most + 1), "scf") << "as it was chosen";
            EXPECT_TRUE(gravity::solvers().find("direct") && gravity::solvers().find("tree"));
        }
    EXPECT_GT(gravity::direct_up_to(Backend::cuda, Precision::mixed),
              gravity::direct_up_to(Backend::cpu, Precision::mixed))
        << "a GPU has more lanes than a small tree has work for";
}

TEST(AutomaticSolver, IsNoSolverOfItsOwn)
{
    EXPECT_THROW(gravity::make_solver({.solver = "auto"}), ConfigError);
}

}  // namespace
}  // namespace aureole::test::automatic_solver_test

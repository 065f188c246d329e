// Bases and what is done to their coefficients: refusals, conventions, series over time.
#include <limits>

#include "tests/support/message_of.hpp"
#include "tests/unit/gravity/scf/scf_fixture.hpp"

namespace aureole::test::scf_basis_test {
namespace {

using gravity::scf::CoefficientSeries;

TEST(ScfBasis, BadOrdersAndScalesAreRefusedWithTheirName)
{
    const auto refusal = [](Basis basis) {
        return message_of<ConfigError>([&] { check_basis(basis, "the galaxy"); });
    };
    EXPECT_TRUE(contains(refusal(basis_of(-1, 4)), "the galaxy: n_max is -1"));
    EXPECT_TRUE(contains(refusal(basis_of(65, 4)), "n_max is 65"));
    EXPECT_TRUE(contains(refusal(basis_of(6, -2)), "l_max is -2"));
    EXPECT_TRUE(contains(refusal(basis_of(6, 65)), "0 to 64"));
    for (double a :
         {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        EXPECT_TRUE(contains(refusal(basis_of(6, 4, Family::hernquist_ostriker, a)), "a positive length"));
    EXPECT_NO_THROW(check_basis(basis_of(0, 0), ""));
    EXPECT_NO_THROW(check_basis(basis_of(64, 64), ""));
    EXPECT_THROW(gravity::scf::Expansion(basis_of(-1, 0), Precision::mixed), ConfigError);
}

TEST(ScfBasis, NormsAreThoseOfTheTextbook)
{
    for (Family family : {Family::hernquist_ostriker, Family::clutton_brock}) {
        const Basis basis = basis_of(40, 30, family);
        const auto tables = make_tables(basis);
        for (int l = 0; l <= basis.l_max; ++l)
            for (int n = 0; n <= basis.n_max; ++n) {
                const double expected = double(std::sqrt(-ReferenceScf::norm(reference_basis(basis), n, l)));
                ASSERT_TRUE(close_to(tables.norm_of(n, l), expected, expected, {1e-14, "long double gammas"}))
                    << n << " " << l;
            }
    }
    EXPECT_NEAR(make_tables(basis_of(0, 0)).norm_of(0, 0), std::sqrt(1.0 / 3), 1e-15);
}

TEST(ScfBasis, LowingsConventionAndBackIsTheSame)
{
    const Basis basis = basis_of(5, 4);
    const auto tables = make_tables(basis);
    std::vector<double> a(basis.size());
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = std::sin(double(k) + 1);
    const auto back = from_lowing(tables, to_lowing(tables, a));
    for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(back[k], a[k], 1e-15);
    EXPECT_THROW(to_lowing(tables, {1, 2}), Error);
}

TEST(ScfBasis, SlotsCountEveryAngularFunctionOnce)
{
    int expected = 0;
    for (int l = 0; l <= 5; ++l)
        for (int m = 0; m <= l; ++m)
            for (int sine = 0; sine < (m == 0 ? 1 : 2); ++sine)
                EXPECT_EQ(slot_of(l, m, sine == 1), expected++);
    EXPECT_EQ(basis_of(3, 5).n_slots(), static_cast<std::size_t>(expected));
    EXPECT_EQ(basis_of(3, 5).size(), static_cast<std::size_t>(4 * expected));
}

TEST(ScfBasis, SeriesAreLinearBetweenMomentsAndConstantBeyond)
{
    CoefficientSeries series{basis_of(0, 0),
                             {{1, {0, 0, 0}, {10}}, {2, {4, 0, 0}, {20}}, {4, {4, 2, 0}, {0}}}};
    EXPECT_EQ(interpolate(series, 0).values[0], 10);
    EXPECT_EQ(interpolate(series, 1).values[0], 10);
    EXPECT_DOUBLE_EQ(interpolate(series, 1.25).values[0], 12.5);
    EXPECT_DOUBLE_EQ(interpolate(series, 1.25).centre.x, 1);
    EXPECT_DOUBLE_EQ(interpolate(series, 3).values[0], 10);
    EXPECT_DOUBLE_EQ(interpolate(series, 3).centre.y, 1);
    EXPECT_EQ(interpolate(series, 9).values[0], 0);
    series.moments.clear();
    EXPECT_THROW(interpolate(series, 0), Error);
}

}  // namespace
}  // namespace aureole::test::scf_basis_test

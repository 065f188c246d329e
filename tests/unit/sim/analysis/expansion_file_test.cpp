#include "sim/analysis/expansion_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gravity/scf/scf_config.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test {
namespace {

using gravity::scf::Family;

/// Numbers that differ all, of both signs.
std::vector<double> some_numbers(std::size_t n)
{
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = std::sin(1.0 + static_cast<double>(i * i));
    return values;
}

TEST(ExpansionFile, CoefficientsComeBackFromTheirFile)
{
    for (const Family family : {Family::hernquist_ostriker, Family::clutton_brock}) {
        gravity::scf::CoefficientSeries series{{family, 3, 2, 2.5}, {}};
        for (const double time : {1.0, 4.0})
            series.moments.push_back({time, {time, 2, 3}, some_numbers(series.basis.size())});
        const gravity::scf::CoefficientSeries back = run::to_series(run::to_file(series));
        EXPECT_EQ(back.basis, series.basis);
        ASSERT_EQ(back.moments.size(), 2u);
        EXPECT_EQ(back.moments[1].time, 4);
        EXPECT_EQ(back.moments[1].centre.x, 4);
        for (std::size_t i = 0; i < series.basis.size(); ++i)
            EXPECT_NEAR(back.moments[1].values[i], series.moments[1].values[i], 1e-15) << i;
    }
}

TEST(ExpansionFile, TheLowestCoefficientOfTheHernquistProfileIsOne)
{
    // S_000 = 3 sum m / (1 + r): a particle of mass 2 at r = 1 gives 3
    Particles p(Backend::cpu, 1);
    p.mass.host()[0] = 2;
    p.position.z.host()[0] = 1;
    gravity::scf::Expansion expansion({Family::hernquist_ostriker, 2, 2, 1},
                                      gravity::Precision::double_precision);
    Buffer<double> sums;
    expansion.expand({}, p.view(), {}, {}, sums);
    const io::CoefficientFile file = run::to_file({expansion.tables().basis, {{0, {}, sums.to_vector()}}});
    EXPECT_NEAR(file.moments[0].values[file.index(0, 0, 0)].real(), 3, 1e-14);
    EXPECT_EQ(file.moments[0].values[file.index(1, 2, 1)].imag(), 0);  // a particle on the axis
}

TEST(ExpansionFile, BadContentsAreRefused)
{
    io::CoefficientFile file = run::to_file({{Family::clutton_brock, 0, 0, 1}, {{0, {}, {1}}}});
    EXPECT_EQ(file.eta, 0.5);
    file.basis = "bessel";
    EXPECT_TRUE(contains(message_of<IoError>([&] { run::to_series(file); }), "basis is 'bessel'"));
    EXPECT_TRUE(contains(message_of<ConfigError>([] { run::family_of("plummer"); }), "clutton-brock"));
    EXPECT_EQ(run::family_of("clutton_brock"), Family::clutton_brock) << "as configurations spell it";
}

/// What a unit Hernquist (Plummer) sphere of scale a and mass m is, and the expansion that is exactly that.
struct Exact {
    Family family;
    double m, a;
    Vec3 centre;

    double density(double r) const
    {
        if (family == Family::hernquist_ostriker)
            return m * a / (2 * std::numbers::pi * r * std::pow(r + a, 3));
        return 3 * m * a * a / (4 * std::numbers::pi) * std::pow(r * r + a * a, -2.5);
    }
    double potential(double r) const
    {
        return family == Family::hernquist_ostriker ? -m / (r + a) : -m / std::sqrt(r * r + a * a);
    }
    double inward(double r) const
    {
        if (family == Family::hernquist_ostriker) return m / ((r + a) * (r + a));
        return m * r * std::pow(r * r + a * a, -1.5);
    }
    io::CoefficientFile file() const
    {
        io::CoefficientFile content =
            run::to_file({{family, 2, 1, a},
                          {{0, centre, std::vector<double>(gravity::scf::Basis{family, 2, 1, a}.size())}}});
        content.moments[0].values[0] = m;
        return content;
    }
};

TEST(ExpansionField, FieldsOfTwoSpheresAddUpInUnitsWithG)
{
    const double g = 43;
    const Exact spheres[] = {{Family::hernquist_ostriker, 2, 0.5, {1, 0, 0}},
                             {Family::clutton_brock, 3, 2, {0, -1, 0.5}}};
    run::ExpansionField field({}, gravity::Precision::double_precision);
    for (const Exact& sphere : spheres) {
        const auto series = run::to_series(sphere.file());
        field.add(series.basis, series.moments[0], g);
    }
    std::vector<io::FieldValue> values;
    for (const Vec3 x : {Vec3{0, 0, 0}, {0, 0, 3}, {1, 0.1, 0}, {-40, 20, 7}})
        values.push_back({x, 0, 0, {}});
    for (int repeat = 0; repeat < 2; ++repeat) field.evaluate(values);
    for (const io::FieldValue& value : values) {
        double density = 0, potential = 0;
        Vec3 acceleration;
        for (const Exact& sphere : spheres) {
            const Vec3 d = value.position - sphere.centre;
            const double r = std::sqrt(dot(d, d));
            density += sphere.density(r);
            potential += g * sphere.potential(r);
            acceleration = acceleration - g * sphere.inward(r) / r * d;
        }
        EXPECT_NEAR(value.density, density, 1e-13 * density);
        EXPECT_NEAR(value.potential, potential, -1e-13 * potential);
        EXPECT_NEAR(value.acceleration.x, acceleration.x, 1e-13 * std::sqrt(dot(acceleration, acceleration)));
        EXPECT_NEAR(value.acceleration.y, acceleration.y, 1e-13 * std::sqrt(dot(acceleration, acceleration)));
    }
}

TEST(ExpansionField, TheDensityOfACuspIsInfiniteAtItsCentreOnly)
{
    const Exact cusp{Family::hernquist_ostriker, 1, 1, {1, 2, 3}};
    auto series = run::to_series(cusp.file());
    std::vector<io::FieldValue> values{{{1, 2, 3}, 0, 0, {}}, {{1, 2, 3 + 1e-9}, 0, 0, {}}};
    run::ExpansionField field({}, gravity::Precision::double_precision);
    field.add(series.basis, series.moments[0], 1);
    field.evaluate(values);
    EXPECT_EQ(values[0].density, std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(values[1].density));
    EXPECT_NEAR(values[0].potential, -1, 1e-14);

    run::ExpansionField nothing({}, gravity::Precision::double_precision);
    std::fill(series.moments[0].values.begin(), series.moments[0].values.end(), 0.0);
    nothing.add(series.basis, series.moments[0], 1);
    nothing.evaluate(values);
    EXPECT_EQ(values[0].density, 0);
}

}  // namespace
}  // namespace aureole::test

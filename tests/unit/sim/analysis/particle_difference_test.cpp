#include "sim/analysis/particle_difference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace aureole::test {
namespace {

using run::difference, run::FieldDifference, run::SetDifference;

Particles line(std::size_t n)
{
    Particles particles(Backend::cpu, n);
    for (std::size_t i = 0; i < n; ++i) {
        particles.position.x.host()[i] = 3;
        particles.position.y.host()[i] = 4;
        particles.mass.host()[i] = 1;
    }
    return particles;
}

const FieldDifference& field(const SetDifference& set, const std::string& name)
{
    for (const FieldDifference& one : set.fields)
        if (one.name == name) return one;
    throw std::runtime_error(name);
}

TEST(ParticleDifference, FindsTheSameParticlesInAnyOrder)
{
    const Particles a = line(5);
    const Particles b = a.gathered(std::vector<Index>{3, 1, 4, 0, 2});
    const SetDifference set = difference(a, b);
    EXPECT_EQ(set.in_both, 5u);
    EXPECT_TRUE(set.within(0));
}

TEST(ParticleDifference, NamesTheParticleThatIsFarthestOff)
{
    const Particles a = line(5);
    Particles b = line(5);
    b.position.x.host()[1] = 3.1;
    b.position.y.host()[3] = 4.5;  // id 4
    const SetDifference set = difference(a, b);
    const FieldDifference& position = field(set, "position");
    EXPECT_EQ(position.n_different, 2u);
    EXPECT_EQ(position.at, 4u);
    EXPECT_DOUBLE_EQ(position.largest, 0.5);
    EXPECT_DOUBLE_EQ(position.size, 5);
    EXPECT_EQ(field(set, "mass").n_different, 0u);
    EXPECT_FALSE(set.within(0.09));
    EXPECT_TRUE(set.within(0.11));
}

TEST(ParticleDifference, CountsParticlesThatOneSetHasAlone)
{
    const SetDifference set = difference(line(5), line(3));
    EXPECT_EQ(set.in_both, 3u);
    EXPECT_EQ(set.only_in_first, 2u);
    EXPECT_FALSE(set.within(1));
    EXPECT_EQ(difference(line(0), line(2)).only_in_second, 2u);
    EXPECT_TRUE(difference(line(0), line(0)).within(0));
}

TEST(ParticleDifference, NeverTakesNaNForSmall)
{
    Particles b = line(2);
    b.mass.host()[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(difference(line(2), b).within(1e9));
}

TEST(TableDifference, ComparesColumnsByNameAndRowsByNumber)
{
    const double none = std::numeric_limits<double>::quiet_NaN();
    const Table a{
        2,
        {{"x", "", {}, 1, std::vector<double>{1, none}}, {"n", "", {}, 1, std::vector<std::int64_t>{1, 2}}}};
    Table b = a;
    EXPECT_TRUE(difference(a, b).within(0));
    std::get<std::vector<std::int64_t>>(b.columns[1].values)[1] = 4;
    EXPECT_EQ(field(difference(a, b), "n").at, 1u);
    b.columns.pop_back();
    EXPECT_EQ(difference(a, b).only_in_one, std::vector<std::string>{"n"});
}

}  // namespace
}  // namespace aureole::test

// Exact numbers of components of a clustered cosmological sample that others published (hfof), singles
// counted.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "halo/fof/friends_of_friends.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test::cosmo_sample_test {
namespace {

struct Case {
    double length;
    std::size_t components;
};

std::filesystem::path sample() { return test_data_folder() / "fof/cosmo32768.dat"; }

/// Triples of 16-bit fractions of the unit box.
Points read_sample()
{
    std::ifstream file(sample(), std::ios::binary);
    std::array<std::uint16_t, 3> q;
    Points x;
    while (file.read(reinterpret_cast<char*>(q.data()), sizeof q))
        x.push_back({q[0] / 65536.0, q[1] / 65536.0, q[2] / 65536.0});
    return x;
}

class CosmoSample : public OnEachBackend {
protected:
    void SetUp() override
    {
        if (!std::filesystem::exists(sample()))
            GTEST_SKIP() << sample() << " is absent: set AUREOLE_TEST_DATA to the folder of real data";
        particles_ = particles_at(read_sample()).copy_to(GetParam());
        ASSERT_EQ(particles_.size(), 32768u);
    }
    void expect_components(const std::vector<Case>& cases, double side)
    {
        halo::FriendsOfFriends finder;
        for (const auto& [length, components] : cases) {
            const halo::Groups groups = finder.find(exec(), particles_.view(), {length, 1, 0x3f, {side}});
            EXPECT_EQ(groups.size(), components) << "linking length " << length;
        }
    }

    Particles particles_;
};

TEST_P(CosmoSample, PeriodicComponentsAreExact)
{
    expect_components({{0.3, 1}, {0.1, 1}, {0.05, 396}, {0.01, 9580}, {0.005, 14488}, {0.001, 27823}}, 1.0);
}

TEST_P(CosmoSample, OpenComponentsAreExact)
{
    expect_components({{0.1, 2}, {0.05, 461}, {0.01, 9600}, {0.005, 14497}, {0.001, 27824}}, 0.0);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(CosmoSample);

}  // namespace
}  // namespace aureole::test::cosmo_sample_test

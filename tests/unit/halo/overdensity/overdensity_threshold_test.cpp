// Names of overdensities, and densities of an epoch.
#include "halo/overdensity/overdensity_threshold.hpp"

#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::overdensity_threshold_test {
namespace {

using halo::Cosmology;
using halo::ReferenceDensities;

constexpr double pi = std::numbers::pi;
constexpr Tolerance rounding{1e-14, "a handful of double operations"};

TEST(OverdensityThreshold, NamesSayMultipleAndReference)
{
    const ReferenceDensities reference{10, 3, 1000};
    struct Case {
        const char *name, *column;
        double density;
    };
    for (const auto& [name, column, density] : {Case{"200c", "Crit200", 2000},
                                                {"500c", "Crit500", 5000},
                                                {"200m", "Mean200", 600},
                                                {"vir", "TopHat200", 1000},
                                                {"2500c", "2500c", 25000},
                                                {"177.5m", "177.5m", 532.5}}) {
        const halo::DensityThreshold found = halo::density_threshold(name, reference);
        EXPECT_EQ(found.name, name);
        EXPECT_EQ(found.column, column);
        EXPECT_DOUBLE_EQ(found.density, density) << name;
    }
    EXPECT_EQ(halo::usual_thresholds(reference).size(), 4u);
}

TEST(OverdensityThreshold, OtherNamesAreRefusedByName)
{
    for (const char* name :
         {"", "c", "200", "200x", "-200c", "0m", "nanc", "infc", "200cc", "virial", " 200c", "200 c"})
        EXPECT_TRUE(contains(message_of<ConfigError>([&] {
                                 halo::density_threshold(name, ReferenceDensities{1, 1, 1});
                             }),
                             fmt::format("\"{}\"", name)));
}

TEST(ReferenceDensities, OfAFlatUniverseDoneByHand)
{
    // Omega_m = 0.3 at a = 1/2: E^2 = 0.3 * 8 + 0.7 = 3.1, Omega_m(a) = 2.4 / 3.1
    const auto found = halo::reference_densities({0.3, 0.7, 2, 0.5}, 4);
    const double critical = 3 * 4 * 3.1 / (8 * pi * 4);
    EXPECT_TRUE(close_to(found.critical, critical, critical, rounding));
    EXPECT_TRUE(close_to(found.mean, critical * 2.4 / 3.1, critical, rounding));
    const double x = 2.4 / 3.1 - 1, virial = critical * (18 * pi * pi + 82 * x - 39 * x * x);
    EXPECT_TRUE(close_to(found.virial, virial, virial, rounding));
    const auto comoving = halo::reference_densities({0.3, 0.7, 2, 0.5, true}, 4);
    EXPECT_TRUE(close_to(comoving.mean, found.mean / 8, critical, rounding));
    EXPECT_TRUE(close_to(comoving.virial, virial / 8, virial, rounding));
}

TEST(ReferenceDensities, OfAnOpenUniverseAndOfEinsteinAndDeSitter)
{
    const auto open = halo::reference_densities({0.25, 0, 1, 1}, 1);
    EXPECT_TRUE(close_to(open.virial / open.critical, 18 * pi * pi - 45 - 18, 100, rounding));
    const auto flat = halo::reference_densities({1, 0, 1, 1}, 1);
    EXPECT_TRUE(close_to(flat.virial / flat.critical, 18 * pi * pi, 100, rounding));
    EXPECT_EQ(flat.mean, flat.critical);
}

TEST(ReferenceDensities, ComeFromAGivenDensityOrAreUnknown)
{
    const auto given = halo::reference_densities(5);
    EXPECT_EQ(halo::density_threshold("200c", given).density, 1000);
    EXPECT_EQ(halo::density_threshold("200m", given).density, 1000);
    EXPECT_NEAR(halo::density_threshold("vir", given).density, 5 * 177.65, 0.05);
    for (const auto& t : halo::usual_thresholds(halo::unknown_reference_densities()))
        EXPECT_TRUE(std::isnan(t.density)) << t.name;
    EXPECT_THROW(halo::reference_densities(0.0), Error);
    EXPECT_THROW(halo::reference_densities(Cosmology{}, 1), Error);
    EXPECT_THROW(halo::reference_densities(Cosmology{0.1, 3, 1, 0.6}, 1), Error) << "a bouncing universe";
}

}  // namespace
}  // namespace aureole::test::overdensity_threshold_test

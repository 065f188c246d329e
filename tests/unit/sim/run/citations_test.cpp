// What to cite: the methods of a configuration, and papers for all that documentation names.
#include "sim/run/citations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "gravity/solver_registry.hpp"
#include "halo/finder.hpp"
#include "ics/model.hpp"
#include "integrators/integrator.hpp"
#include "sim/core/bibliography/bibliography.hpp"

namespace aureole::test {
namespace {

/// A run that uses much: what it cites is compared below.
constexpr char configuration[] = R"(
initial_conditions:
  - {model: hernquist, particles: 100, mass: 1, scale_radius: 1, anisotropy_radius: 2}
  - {model: plummer, particles: 100, mass: 1, scale_radius: 1, position: [9, 0, 0]}
gravity: {solver: tree, softening: 0.1, softening_kernel: spline}
integrator: {adaptive: {eta: 0.02}}
run: {end_time: 1}
output: {halos: {every: 1}}
halos: {absolute_linking_length: 0.2, substructure: true, centre: shrinking_sphere}
)";

/// A cosmological box with exact forces.
constexpr char box[] = R"(
units: {length: Mpc/h, mass: 1e10 Msun/h, velocity: km/s}
box: 100
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.05, sigma_8: 0.8, spectral_index: 0.96}
initial_conditions: {model: cosmological, field: {grid: 8, fixed: true}}
gravity: {solver: direct, softening: 0.1}
integrator: {timestep: 0.05}
run: {start_time: z=49, end_time: z=0}
output: {power: {redshifts: [0]}, density: {redshifts: [0]}}
)";

std::string documentation_of(const std::vector<run::UsedMethod>& methods)
{
    std::string text;
    for (const auto& method : methods) text += method.documentation + "\n";
    return text;
}

std::set<std::string> cited(const std::string& configuration)
{
    std::set<std::string> names;
    for (const Paper* paper :
         papers_in(documentation_of(run::methods_of(run::parse_config(configuration, "x", {})))))
        names.emplace(paper->name);
    return names;
}

TEST(Citations, ARunNamesThePapersOfItsMethods)
{
    EXPECT_EQ(cited(configuration),
              (std::set<std::string>{"Barnes & Hut 1986", "Springel 2005", "Hernquist 1990", "Plummer 1911",
                                     "Osipkov 1979", "Merritt 1985", "Monaghan & Lattanzio 1985",
                                     "Quinn et al. 1997", "Power et al. 2003", "Davis et al. 1985",
                                     "Behroozi, Wechsler & Wu 2013", "Lacey & Cole 1994",
                                     "Bryan & Norman 1998", "Dehnen 2002", "Salmon et al. 2011"}));
    EXPECT_EQ(cited(box),
              (std::set<std::string>{"Bouchet et al. 1995", "Eisenstein & Hu 1998", "Angulo & Pontzen 2016",
                                     "Ewald 1921", "Abel, Hahn & Kaehler 2012", "Jenkins et al. 1998",
                                     "Hockney & Eastwood 1981", "Sefusatti et al. 2016", "Quinn et al. 1997",
                                     "Salmon et al. 2011"}));
    EXPECT_EQ(cited("{initial_conditions: {model: file, file: a.hdf5}, gravity: {solver: direct}, run: "
                    "{end_time: 1}}"),
              (std::set<std::string>{"Quinn et al. 1997"}));
}

TEST(Citations, TheTextHasOneEntryForEachPaper)
{
    const auto methods = run::methods_of(run::parse_config(configuration, "x", {}));
    const std::string text = run::citation_text(methods, "1.2.3");
    EXPECT_NE(text.find("gravity.solver: tree"), std::string::npos);
    EXPECT_NE(text.find("version   = {1.2.3}"), std::string::npos);
    const std::string bibtex = run::bibtex_of(methods, "1.2.3");
    EXPECT_EQ(std::ranges::count(bibtex, '@'), 16);  // the program and 15 papers
    EXPECT_EQ(text.substr(text.size() - bibtex.size()), bibtex);
}

/// "Barnes & Hut 1986" in "octree (Barnes & Hut 1986), accepted"; several in one pair of parentheses.
std::vector<std::string> names_in(const std::string& text)
{
    static const std::regex name(
        R"(([A-Z][A-Za-z'.]+(?:(?:, | & |-)[A-Z][A-Za-z'-]+)*(?: et al\.)? (?:19|20)\d\d))");
    std::vector<std::string> names;
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it)
        names.push_back(it->str(1));
    return names;
}

template <class Registry>
void expect_known(const Registry& registry)
{
    for (const auto& plugin : registry.entries())
        for (const std::string& name : names_in(plugin.documentation))
            EXPECT_TRUE(
                std::ranges::any_of(bibliography(), [&](const Paper& paper) { return paper.name == name; }))
                << name << " of " << plugin.name << " is not in sim/core/bibliography";
}

TEST(Citations, TheBibliographyHasEveryPaperOfThePlugins)
{
    EXPECT_EQ(
        names_in("a (Navarro, Frenk & White 1996) b (Ester et al. 1996; Zel'dovich 1970)"),
        (std::vector<std::string>{"Navarro, Frenk & White 1996", "Ester et al. 1996", "Zel'dovich 1970"}));
    expect_known(gravity::solvers());
    expect_known(integrators::integrators());
    expect_known(ics::models());
    expect_known(halo::finders());
}

TEST(Citations, EntriesAreWholeAndInOrder)
{
    std::string last;
    std::set<std::string_view> names;
    for (const Paper& paper : bibliography()) {
        EXPECT_TRUE(names.insert(paper.name).second) << paper.name;
        EXPECT_EQ(std::ranges::count(paper.bibtex, '{'), std::ranges::count(paper.bibtex, '}')) << paper.name;
        const std::string year(paper.name.substr(paper.name.size() - 4));
        EXPECT_NE(paper.bibtex.find("year      = {" + year + "}"), std::string_view::npos) << paper.name;
        EXPECT_LE(last, year);
        last = year;
    }
}

}  // namespace
}  // namespace aureole::test

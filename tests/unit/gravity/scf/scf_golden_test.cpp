// The basis expansion against files that others computed: two independent codes, 60-digit arithmetic, and
// Hernquist's own Fortran.
#include "tests/support/files/gzip_text.hpp"
#include "tests/support/test_data.hpp"
#include "tests/unit/gravity/scf/scf_fixture.hpp"

namespace aureole::test::scf_golden_test {
namespace {

class ScfGolden : public OnEachBackend {};

std::vector<Body> bodies_of(const Table& table)
{
    std::vector<Body> bodies;
    for (const auto& row : table) bodies.push_back({row[0], {row[1], row[2], row[3]}});
    return bodies;
}

/// Rows n l m S T
std::vector<ReferenceTerm> terms_of(const Table& table)
{
    std::vector<ReferenceTerm> terms;
    for (const auto& row : table) terms.push_back({int(row[0]), int(row[1]), int(row[2]), row[3], row[4]});
    return terms;
}

std::vector<double> orthonormal_of(const Basis& basis, const std::vector<ReferenceTerm>& terms)
{
    std::vector<double> lowing(basis.size(), 0);
    for (const auto& term : terms) {
        lowing[basis.index(term.n, slot_of(term.l, term.m, false))] = double(term.s);
        if (term.m > 0) lowing[basis.index(term.n, slot_of(term.l, term.m, true))] = double(term.t);
    }
    return from_lowing(make_tables(basis), lowing);
}

struct Golden {
    Basis basis;
    std::vector<Body> bodies;
    std::vector<ReferenceTerm> terms;
    std::vector<Field> fields;
};

Golden golden_of(const std::filesystem::path& folder, int n_max, int l_max)
{
    const std::string order = "_" + std::to_string(n_max) + "_" + std::to_string(l_max) + ".txt.gz";
    Golden golden{basis_of(n_max, l_max),
                  bodies_of(read_table(folder / "particles.txt.gz", 4)),
                  terms_of(read_table(folder / ("coef" + order), 5)),
                  {}};
    for (const auto& row : read_table(folder / ("accp" + order), 4))
        golden.fields.push_back({{row[0], row[1], row[2]}, row[3]});
    return golden;
}

constexpr int orders[][2] = {{3, 3}, {6, 4}};

TEST_P(ScfGolden, CoefficientsAreThoseOfTwoIndependentCodes)
{
    AUREOLE_TEST_DATA_OR_SKIP(folder, "scf");
    for (const auto& [n_max, l_max] : orders) {
        const Golden golden = golden_of(folder, n_max, l_max);
        ASSERT_EQ(golden.bodies.size(), 4096u);
        ASSERT_EQ(golden.terms.size(), static_cast<std::size_t>((n_max + 1) * (l_max + 1) * (l_max + 2) / 2));
        const auto found = lowing_of(exec(), golden.bodies, golden.basis);
        for (const auto& term : golden.terms)
            for (bool sine : {false, true}) {
                const double expected = double(sine ? term.t : term.s);
                if (term.m == 0 && sine) continue;
                EXPECT_TRUE(close_to(found[golden.basis.index(term.n, slot_of(term.l, term.m, sine))],
                                     expected, std::abs(expected), {1e-12, "the codes agree to 8e-14"}))
                    << term.n << " " << term.l << " " << term.m << (sine ? " T" : " S");
            }
        expect_same_terms(golden.basis, lowing_of(exec(), golden.bodies, golden.basis, Precision::mixed),
                          golden.terms, {2e-6, "float functions, 16-term float sums"});
    }
}

TEST_P(ScfGolden, AccelerationsAreThoseOfTwoIndependentCodes)
{
    AUREOLE_TEST_DATA_OR_SKIP(folder, "scf");
    for (const auto& [n_max, l_max] : orders) {
        const Golden golden = golden_of(folder, n_max, l_max);
        ASSERT_EQ(golden.fields.size(), golden.bodies.size());
        const auto at = positions_of(golden.bodies);
        const auto exact = coefficients_of(exec(), golden.bodies, golden.basis);
        expect_same_field(fields_at(exec(), at, golden.basis, exact), golden.fields,
                          {1e-11, "the codes agree to 8e-14"});
        const auto rounded = coefficients_of(exec(), golden.bodies, golden.basis, Precision::mixed);
        expect_same_field(fields_at(exec(), at, golden.basis, rounded, Precision::mixed), golden.fields,
                          {1e-5, "float functions, relative to the largest"});
    }
}

TEST_P(ScfGolden, SpecialPointsAreFiniteAndRight)
{
    AUREOLE_TEST_DATA_OR_SKIP(folder, "scf");
    const Golden golden = golden_of(folder, 6, 4);
    const auto coefficients = orthonormal_of(golden.basis, golden.terms);
    Positions at;
    std::vector<Field> expected;
    for (const auto& row : read_table(folder / "special_6_4.txt", 7)) {
        at.push_back({row[0], row[1], row[2]});
        expected.push_back({{row[3], row[4], row[5]}, row[6]});
    }
    ASSERT_EQ(at.size(), 23u);
    const auto exact = fields_at(exec(), at, golden.basis, coefficients);
    expect_same_field(exact, expected, {1e-11, "60-digit arithmetic"});
    expect_same_field(exact, expected, {1e-11, "60-digit arithmetic"}, true);
    const auto rounded = fields_at(exec(), at, golden.basis, coefficients, Precision::mixed);
    expect_same_field(rounded, expected, {1e-5, "float"});
    expect_same_field(rounded, expected, {1e-5, "float"}, true);
}

TEST_P(ScfGolden, HernquistsFortranGivesTheSameField)
{
    AUREOLE_TEST_DATA_OR_SKIP(folder, "scf/gala");
    Positions at;
    for (const auto& row : read_table(folder / "positions.dat.gz", 3)) at.push_back({row[0], row[1], row[2]});
    for (const std::string model : {"simple-hernquist", "wang-zhao"}) {
        SCOPED_TRACE(model);
        auto terms = terms_of(read_table(folder / (model + ".coeff"), 5));
        int n_max = 0, l_max = 0;
        for (auto& [n, l, m, s, t] : terms) {
            n_max = std::max(n_max, n), l_max = std::max(l_max, l);
            const long double unit =
                -std::sqrt((2 * l + 1) * std::tgamma(l - m + 1.0L) / std::tgamma(l + m + 1.0L));
            s /= unit, t /= unit;
        }
        const Basis basis = basis_of(n_max, l_max);
        const auto found = fields_at(exec(), at, basis, orthonormal_of(basis, terms));
        const Table expected = read_table(folder / (model + "-accp.dat.gz"), 4);
        ASSERT_EQ(expected.size(), at.size());
        std::vector<Field> fields;
        for (const auto& row : expected) fields.push_back({{row[0], row[1], row[2]}, row[3]});
        expect_same_field(found, fields, {1e-6, "the file has 7 digits"});
    }
}

TEST_P(ScfGolden, HernquistsFortranGivesTheSameCoefficients)
{
    AUREOLE_TEST_DATA_OR_SKIP(folder, "scf/gala");
    std::vector<Body> bodies;
    for (const auto& row : read_table(folder / "hernquist-samples.dat.gz", 3))
        bodies.push_back({1.0 / 8192, {row[0], row[1], row[2]}});
    ASSERT_EQ(bodies.size(), 8192u);
    auto terms = terms_of(read_table(folder / "computed-hernquist.coeff", 5));
    ASSERT_EQ(terms.size(), 462u);
    for (auto& [n, l, m, s, t] : terms) {
        const long double unit =
            -std::sqrt((2 * l + 1) * std::tgamma(l - m + 1.0L) / std::tgamma(l + m + 1.0L));
        s /= unit, t /= unit;
    }
    const Basis basis = basis_of(6, 10);
    expect_same_terms(basis, lowing_of(exec(), bodies, basis), terms, {1e-9, "its logarithm of gamma"});
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ScfGolden);

}  // namespace
}  // namespace aureole::test::scf_golden_test

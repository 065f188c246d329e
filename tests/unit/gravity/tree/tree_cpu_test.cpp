// What only the CPU's tree walk has: one set of kernels per instruction set, decisions in vectors, lists in
// float and double, threads.
#include "gravity/tree/tree.hpp"
#include "gravity/tree/walk_decisions.hpp"
#include "tests/support/cpu_paths.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test::tree_cpu_test {
namespace {

using gravity::Precision;

class TreeOnCpu : public OnEachCpuPath {};

/// Types in turn; some bodies coincide, some nearly do.
std::vector<Body> typed_sphere(std::size_t n)
{
    auto bodies = plummer_bodies(n, 23);
    for (std::size_t i = 0; i < n; ++i) bodies[i].type = static_cast<int>(i % 3);
    bodies[1].position = bodies[2].position = bodies[0].position;
    bodies[4].position = bodies[3].position;
    bodies[4].position[0] += 1e-8;
    bodies[6].position = bodies[5].position;
    bodies[6].position[1] += 1e-6;
    return bodies;
}

const std::vector<std::array<double, 6>> softening_lengths = {{0.02, 0.02, 0.02, 0.02, 0.02, 0.02},
                                                              {0.01, 0.2, 0.05, 0, 0, 0},
                                                              {1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6},
                                                              {}};

template <class Test>
void for_each_softening(Test test)
{
    for (const auto& lengths : softening_lengths)
        for (const bool spline : {false, true}) {
            SCOPED_TRACE(testing::Message() << "lengths " << lengths[0] << " " << lengths[1] << ", spline "
                                            << spline << ", seed = 23");
            test(ReferenceSoftening{spline, lengths});
        }
}

/// Bodies that are not close are apart by a 16th of the group's size, coordinates rounded to 2^-24 of it.
Tolerance rounding_of(Precision precision)
{
    if (precision == Precision::double_precision)
        return {4e-14, "double rounding of pairs and of sums over lists"};
    return {0x1p-24 * 16 * 4, "float rounding of coordinates"};
}

TEST_P(TreeOnCpu, WithoutCellsIsTheDirectSum)
{
    for_each_softening([&](const ReferenceSoftening& softening) {
        auto bodies = typed_sphere(700);
        if (softening.length[0] == 0) {  // closer than powers in float reach
            bodies[7].position = {1e-20, 0, 0};
            bodies[8].position = {3e-20, 0, 0};
        }
        for (const Precision precision : {Precision::mixed, Precision::double_precision}) {
            const auto config = tree_config(softening, 0, 1e-6, precision);
            const auto found = tree_fields({}, config, bodies);
            expect_fields(found, bodies, softening, rounding_of(precision));
            const auto forces_only = tree_fields({}, config, bodies, {});
            for (std::size_t i = 0; i < bodies.size(); ++i)
                ASSERT_EQ(forces_only[i].acceleration, found[i].acceleration) << "particle " << i;
        }
    });
}

/// Relative to the size of the field.
void expect_alike(const std::vector<Field>& found, const std::vector<Field>& expected, double tolerance)
{
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double pull = length_of(expected[i].acceleration);
        ASSERT_LE(distance_of(found[i].acceleration, expected[i].acceleration), tolerance * pull) << i;
        ASSERT_LE(std::abs(found[i].potential - expected[i].potential),
                  tolerance * std::abs(expected[i].potential))
            << i;
    }
}

// one node more or less changes a field by 1e-6 and more
TEST_P(TreeOnCpu, TakesTheSameNodesWithEveryKernel)
{
    auto bodies = plummer_bodies(3000, 29);
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].type = static_cast<int>(i % 3);
    for_each_softening([&](const ReferenceSoftening& softening) {
        for (const double accuracy : {0.0, 1e-3}) {
            const auto config = tree_config(softening, accuracy, 0.7, Precision::double_precision);
            setenv("AUREOLE_SIMD", "baseline", 1);
            const auto expected = tree_fields({}, config, bodies);
            setenv("AUREOLE_SIMD", name_of(GetParam()), 1);
            expect_alike(tree_fields({}, config, bodies), expected, 1e-10);
        }
    });
}

TEST_P(TreeOnCpu, RoundsLittleInMixedPrecision)
{
    const auto bodies = plummer_bodies(3000, 29);
    const auto softening = plummer_softening(0.01);
    const Particles host = with_accelerations({}, bodies, softening);
    const auto fields = [&](Precision precision) {
        return to_fields(evaluated({}, tree_config(softening, 1e-4, 0.6, precision), host));
    };
    expect_alike(fields(Precision::mixed), fields(Precision::double_precision),
                 2e-5);  // accelerations partly cancel
}

TEST_P(TreeOnCpu, TheNumberOfThreadsDoesNotChangeABit)
{
    const auto bodies = typed_sphere(5000);
    for (const Precision precision : {Precision::mixed, Precision::double_precision}) {
        const auto config = tree_config(plummer_softening(0.01), 1e-3, 0.6, precision);
        omp_set_num_threads(1);
        const auto one = tree_fields({}, config, bodies);
        for (const int threads : {2, 3}) {
            omp_set_num_threads(threads);
            expect_same_bits(one, tree_fields({}, config, bodies));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(With, TreeOnCpu, testing::ValuesIn(available_cpu_paths()),
                         [](const auto& info) { return name_of(info.param); });

/// Vectors of four without any instruction of their own: what decide() makes of nodes is up to decide().
struct FourLanes {
    static constexpr int bytes = 16;
    typedef float Floats4 __attribute__((vector_size(16)));
    typedef double Doubles2 __attribute__((vector_size(16)));
    typedef std::int32_t Mask4 __attribute__((vector_size(16)));
    static Floats4 exact_fma(Floats4 a, Floats4 b, Floats4 c)
    {
        for (int lane = 0; lane < 4; ++lane) c[lane] = std::fmaf(a[lane], b[lane], c[lane]);
        return c;
    }
    static Floats4 fma(Floats4 a, Floats4 b, Floats4 c) { return a * b + c; }
    static Doubles2 fma(Doubles2 a, Doubles2 b, Doubles2 c) { return a * b + c; }
    static Floats4 sqrt(Floats4 x)
    {
        for (int lane = 0; lane < 4; ++lane) x[lane] = std::sqrt(x[lane]);
        return x;
    }
    static unsigned bits(Mask4 mask)
    {
        unsigned result = 0;
        for (int lane = 0; lane < 4; ++lane) result |= (mask[lane] ? 1u : 0u) << lane;
        return result;
    }
};

struct RandomNodes {
    std::vector<gravity::tree::NodeHead> heads;
    std::vector<gravity::tree::NodeTail> tails;
    std::vector<gravity::tree::NodeBox> boxes;
    std::vector<float> eps;
};

/// Of all sizes and distances from the middle of the unit cube, some without mass, some of several lengths.
RandomNodes random_nodes(std::size_t n, Uniform& uniform)
{
    RandomNodes nodes;
    for (std::size_t k = 0; k < n; ++k) {
        const double distance = std::pow(2.0, -12 * uniform()),
                     radius = distance * std::pow(2.0, -6 * uniform());
        const auto place = [&] { return 0.5 + distance * (2 * uniform() - 1); };
        const auto mass = static_cast<float>(uniform() < 0.05 ? 0 : std::pow(2.0, -20 * uniform()));
        nodes.heads.push_back({place(), place(), place(), mass, static_cast<float>(radius)});
        nodes.tails.push_back({});
        nodes.tails.back().count = static_cast<Index>(6 * uniform());
        const auto side = [&] { return static_cast<float>(radius * uniform()); };
        nodes.boxes.push_back({{-side(), -side(), -side()}, {side(), side(), side()}});
        const auto length = static_cast<float>(0.01 * uniform());
        nodes.eps.push_back(uniform() < 0.5 ? length : -length);
    }
    return nodes;
}

/// How many nodes ended how.
struct Seen {
    int distant = 0, cells = 0;
};

/// The decisions on all nodes, in batches, against those of acceptance.hpp one by one.
void expect_same_decisions(const RandomNodes& nodes, bool by_type, const gravity::tree::Group& group,
                           Seen& seen)
{
    using namespace gravity::tree;
    TreeView tree{};
    tree.heads = nodes.heads.data();
    tree.tails = nodes.tails.data();
    tree.boxes = nodes.boxes.data();
    tree.node_softening = by_type ? nodes.eps.data() : nullptr;
    for (std::size_t begin = 0; begin + batch_nodes <= nodes.heads.size(); begin += batch_nodes) {
        NodeBatch batch{};
        for (Index k = 0; k < batch_nodes; ++k) append(tree, group, static_cast<Index>(begin) + k, batch);
        const Decisions found = decide<FourLanes>(group, batch);
        for (int k = 0; k < batch_nodes; ++k) {
            const std::size_t slot = begin + static_cast<std::size_t>(k);
            const NodeHead& head = nodes.heads[slot];
            const auto place = place_of(group, head);
            const Index count = nodes.tails[slot].count;
            const bool taken =
                is_taken(group, head, place, &nodes.boxes[slot], by_type ? nodes.eps[slot] : 0.0f);
            const bool cell = taken && !(count > 0 && count <= few_sources);
            const bool distant = cell && is_far(group, head, place);
            seen.distant += distant;
            seen.cells += cell && !distant;
            ASSERT_EQ(found.distant >> k & 1, unsigned{distant}) << "node " << slot;
            ASSERT_EQ(found.cells >> k & 1, unsigned{cell && !distant}) << "node " << slot;
            ASSERT_EQ(found.leaves >> k & 1, unsigned{!cell && count > 0}) << "node " << slot;
            ASSERT_EQ(found.opened >> k & 1, unsigned{!cell && count == 0}) << "node " << slot;
        }
    }
}

TEST(WalkDecisions, OfABatchAreThoseOfEachNode)
{
    using namespace gravity::tree;
    Uniform uniform(31);
    const RandomNodes nodes = random_nodes(8000, uniform);
    Seen seen;
    for (const float accuracy : {0.0f, 1e-2f, 1.0f})
        for (const bool spline : {false, true})
            for (const bool by_type : {false, true})
                for (const double size : {0.1, 0.001, 0.0}) {
                    SCOPED_TRACE(testing::Message() << "accuracy " << accuracy << ", spline " << spline
                                                    << ", by type " << by_type << ", size " << size);
                    GroupExtent extent{};
                    const double corner = 0.5 - size / 2;
                    extent.low = {corner, corner, corner};
                    extent.high = {corner + size, corner + 0.7 * size, corner + 0.9 * size};
                    extent.least_acceleration = 0.1;
                    extent.largest_acceleration = 1;
                    extent.exponents = -2;
                    extent.n = 1;
                    extent.softening = 0.003;
                    extent.pair_softening = by_type ? 0.01 : 0.003;
                    AcceptanceCriterion rule{};
                    rule.error_per_acceleration = accuracy;
                    rule.inverse_angle = 1.5f;
                    rule.spline = spline;
                    rule.uniform = !by_type;
                    rule.softening_error = 0.01f;
                    expect_same_decisions(nodes, by_type, group_of(extent, rule), seen);
                }
    EXPECT_GT(seen.distant, 1000);
    EXPECT_GT(seen.cells, 1000);
}

}  // namespace
}  // namespace aureole::test::tree_cpu_test

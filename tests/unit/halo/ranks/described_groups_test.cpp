// What is told of groups over parts has the bits of one rank.
#include "halo/ranks/described_groups.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>

#include "halo/catalogue/catalogue_loops.hpp"
#include "halo/catalogue/halo_tables.hpp"
#include "halo/needed_arrays.hpp"
#include "sim/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/halo/mock_halos.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/ranks/fof_over_parts.hpp"
#include "tests/support/ranks/thread_ranks.hpp"

namespace aureole::test::described_groups_test {
namespace {

using halo::DescribedGroups;
using halo::DescriptionQuery;

constexpr double box_side = 40, linking_length = 0.35;

/// Hosts with satellites around them and a loose background, several at faces and the corner of the box.
Particles hosts_and_satellites()
{
    std::vector<ics::Component> components;
    const auto add = [&](std::uint64_t n, double mass, double scale, Vec3 at) {
        ics::Component one = plummer_halo(n, mass, scale);
        one.position = at;
        components.push_back(one);
    };
    add(900, 9, 0.5, {0, 0, 0});
    add(200, 2, 0.15, {1.2, 0.4, 0.1});
    add(600, 6, 0.5, {20, 10, 0.1});
    add(120, 1.2, 0.12, {20.9, 10.5, 0});
    for (int k = 0; k < 24; ++k)
        add(20 + 3 * static_cast<std::uint64_t>(k), 0.5, 0.2,
            {7.0 * (k % 5), 5.0 + 6 * (k % 6), 3.0 * (k % 13)});
    Particles particles = make_mock(5, components);
    for (Index i = 0; i < particles.size(); ++i) {
        particles.id.host()[i] = (i * 7919ull) % 100003 + 10;
        particles.type.host()[i] = static_cast<ParticleType>(i % 4);
        particles.mass.host()[i] *= 1 + 0.25 * static_cast<double>(i % 3);
    }
    return particles;
}

DescriptionQuery usual_query(std::span<const halo::DensityThreshold> thresholds, Exec exec = {})
{
    DescriptionQuery query;
    query.exec = exec;
    query.catalogue.box = {box_side};
    query.catalogue.thresholds = thresholds;
    query.catalogue.centre.softening = 0.01;
    query.catalogue.centre.linking_length = linking_length / 2;
    query.catalogue.gravitational_constant = 1.7;
    query.subhalos.emplace();
    query.subhalos->box = {box_side};
    query.subhalos->softening = 0.01;
    query.subhalos->gravitational_constant = 1.7;
    query.batch_members = 400;
    return query;
}

struct Tables {
    Table groups;
    std::optional<Table> subhalos;
    std::vector<Index> members;  ///< of subhalos
    std::vector<double> value;
    std::vector<std::int64_t> ties;
};

Tables tables_of(const DescribedGroups& found, const DescriptionQuery& query)
{
    const double G = query.catalogue.gravitational_constant;
    Tables tables;
    tables.groups = halo::group_table({.rows = found.rows,
                                       .thresholds = query.catalogue.thresholds,
                                       .spheres = found.spheres,
                                       .potentials = true,
                                       .subhalos = found.subhalos ? &found.subhalos->lists : nullptr,
                                       .gravitational_constant = G});
    tables.value = found.centre_value;
    tables.ties = found.centre_ties;
    if (!found.subhalos) return tables;
    std::vector<halo::PerType> types;
    for (const halo::HaloProperties& row : found.rows) types.push_back(row.n_members_by_type);
    tables.subhalos = halo::subhalo_table({.rows = found.subhalos->rows,
                                           .subhalos = found.subhalos->lists,
                                           .types_of_groups = types,
                                           .most_bound_id = found.subhalos->most_bound_id,
                                           .thresholds = query.catalogue.thresholds,
                                           .spheres = found.subhalos->spheres,
                                           .potentials = true,
                                           .gravitational_constant = G});
    tables.members = found.subhalos->lists.members.particle;
    return tables;
}

/// The way of one rank, without parts.
DescribedGroups described_by_one(const Particles& particles, const halo::Groups& groups,
                                 const DescriptionQuery& query)
{
    const Exec exec = query.exec;
    const Particles there = halo::copy_needed(exec.backend, particles, {.mass = true, .velocity = true});
    const Buffer<std::int32_t> label(exec.backend, std::span(groups.label));
    const Buffer<Index> n_members(exec.backend, std::span(groups.n_members));
    const ConstParticlesView view = there.view();
    halo::GroupsView groups_there = halo::view_of(groups);
    groups_there.label = label.data();
    groups_there.n_members = n_members.data();
    halo::GroupCatalogue catalogue;
    catalogue.compute(exec, view, groups_there, query.catalogue);
    DescribedGroups found;
    found.rows.assign(catalogue.rows().begin(), catalogue.rows().end());
    found.centre_value = catalogue.centres().value;
    for (std::size_t g = 0; g < groups.size(); ++g)
        found.centre_ties.push_back(catalogue.centres().ties.size() > g
                                        ? static_cast<std::int64_t>(catalogue.centres().ties.size(g))
                                        : 0);
    std::vector<Vec3> centre;
    std::vector<double> density;
    for (const halo::HaloProperties& row : found.rows) centre.push_back(row.centre);
    for (const halo::DensityThreshold& t : query.catalogue.thresholds) density.push_back(t.density);
    found.spheres = halo::OverdensitySearch().spheres(exec, {view, query.catalogue.box, centre, density});
    if (!query.subhalos) return found;
    const auto lists = halo::find_subhalo_lists(exec, view, catalogue.members(), *query.subhalos);
    auto& subhalos = found.subhalos.emplace();
    subhalos.lists = halo::subhalos_on_host(exec, lists);
    subhalos.rows = catalogue.rows_of(exec, view, lists.members(), query.catalogue).rows;
    subhalos.spheres = halo::subhalo_spheres(exec,
                                             {.particles = view,
                                              .members = lists.members(),
                                              .parent = subhalos.lists.parent,
                                              .rows = subhalos.rows,
                                              .thresholds = query.catalogue.thresholds,
                                              .box = query.catalogue.box},
                                             {});
    Buffer<std::uint64_t> first_id(exec.backend, subhalos.lists.size());
    halo::first_ids(exec, view, lists.members(), first_id.data());
    subhalos.most_bound_id = first_id.to_vector();
    return found;
}

void expect_equal(const Table& found, const Table& expected)
{
    ASSERT_EQ(found.rows, expected.rows);
    ASSERT_EQ(found.columns.size(), expected.columns.size());
    for (std::size_t c = 0; c < found.columns.size(); ++c) {
        const Column& a = found.columns[c];
        EXPECT_EQ(a.name, expected.columns[c].name);
        std::visit(
            [&](const auto& values) {
                using Values = std::decay_t<decltype(values)>;
                const auto& others = std::get<Values>(expected.columns[c].values);
                ASSERT_EQ(values.size(), others.size());
                std::size_t wrong = 0;
                for (std::size_t k = 0; k < values.size(); ++k)
                    wrong +=
                        std::bit_cast<std::uint64_t>(values[k]) != std::bit_cast<std::uint64_t>(others[k]);
                EXPECT_EQ(wrong, 0u) << a.name << " of " << values.size();
            },
            a.values);
    }
}

class Description {
public:
    explicit Description(DescriptionQuery query) : query_(query)
    {
        halo::FofConfig config;
        config.linking_length = linking_length;
        config.min_members = 10;
        config.box = query.catalogue.box;
        groups_ = halo::FriendsOfFriends().find({}, particles_.view(), config);
        expected_ = tables_of(described_by_one(particles_, groups_, query_), query_);
    }

    const Tables& expected() const { return expected_; }

    void expect_of_parts(comm::Communicator& ranks, int per_rank, Spread spread) const
    {
        comm::Parts parts(ranks, per_rank);
        SCOPED_TRACE(testing::Message() << parts.size() << " parts, spread " << static_cast<int>(spread));
        std::vector<Share> shares;
        std::vector<halo::PartParticles> held;
        std::vector<std::vector<std::int32_t>> label;
        for (int k = 0; k < per_rank; ++k)
            shares.push_back(share_of(particles_, spread, static_cast<std::size_t>(parts.first() + k),
                                      static_cast<std::size_t>(parts.size())));
        for (const Share& share : shares) {
            held.push_back(
                {share.particles.view(), spread == Spread::scattered ? share.serial.data() : nullptr});
            std::vector<std::int32_t>& own = label.emplace_back();
            for (const Index i : share.particle) own.push_back(groups_.label[i]);
        }
        const std::vector<std::uint64_t> n_members(groups_.n_members.begin(), groups_.n_members.end());
        const DescribedGroups found = halo::describe_over_parts(parts, held, label, n_members, query_);
        if (parts.first() > 0) {
            EXPECT_TRUE(found.rows.empty());
            return;
        }
        const Tables tables = tables_of(found, query_);
        expect_equal(tables.groups, expected_.groups);
        ASSERT_EQ(tables.subhalos.has_value(), expected_.subhalos.has_value());
        if (tables.subhalos) expect_equal(*tables.subhalos, *expected_.subhalos);
        EXPECT_EQ(tables.members, expected_.members);
        EXPECT_EQ(tables.ties, expected_.ties);
        for (std::size_t g = 0; g < tables.value.size(); ++g)
            EXPECT_EQ(std::bit_cast<std::uint64_t>(tables.value[g]),
                      std::bit_cast<std::uint64_t>(expected_.value[g]));
    }

    void expect_of_any_number_of_parts(std::initializer_list<int> numbers) const
    {
        const auto one = comm::one_process();
        for (const int V : numbers) expect_of_parts(*one, V, static_cast<Spread>(V % 3));
    }

private:
    Particles particles_ = hosts_and_satellites();
    DescriptionQuery query_;
    halo::Groups groups_;
    Tables expected_;
};

std::vector<halo::DensityThreshold> four_thresholds()
{
    return {{"200c", 0.2, "Crit200"},
            {"500c", 0.5, "Crit500"},
            {"200m", 0.06, "Mean200"},
            {"vir", 0.1, "TopHat200"}};
}

class DescribeOverPartsOn : public OnEachBackend {};

TEST_P(DescribeOverPartsOn, HasTheCatalogueOfOneRankWithSubhalosAndSpheres)
{
    const auto thresholds = four_thresholds();
    const Description one(usual_query(thresholds, exec()));
    ASSERT_GT(one.expected().groups.rows, 15u);
    ASSERT_GT(one.expected().subhalos->rows, one.expected().groups.rows) << "satellites are found";
    one.expect_of_any_number_of_parts({1, 2, 3, 4, 7, 64});
}

TEST_P(DescribeOverPartsOn, HasTheCentresOfEveryMethod)
{
    for (const halo::Centre& method : {halo::Centre::most_bound_energy, halo::Centre::most_connected,
                                       halo::Centre::mass, halo::Centre::shrinking_sphere}) {
        SCOPED_TRACE(method.name);
        DescriptionQuery query = usual_query({}, exec());
        query.subhalos.reset();
        query.catalogue.centre.method = method;
        Description(query).expect_of_any_number_of_parts({3});
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DescribeOverPartsOn);

TEST(DescribeOverParts, TellsWhichCentresAreMostBound)
{
    const Particles particles = hosts_and_satellites();
    halo::FofConfig config;
    config.linking_length = linking_length;
    config.box = {box_side};
    const halo::Groups groups = halo::FriendsOfFriends().find({}, particles.view(), config);
    DescriptionQuery query = usual_query({});
    query.subhalos.reset();
    query.catalogue.centre.method = halo::Centre::most_connected;
    const std::vector<std::size_t> checked{0, 1, 4, 5, 6};
    query.checked = checked;
    halo::GroupCatalogue catalogue;
    catalogue.compute({}, particles.view(), halo::view_of(groups), query.catalogue);
    halo::CatalogueQuery exact = query.catalogue;
    exact.centre.method = halo::Centre::most_bound;
    const halo::Centres best = catalogue.centres_of({}, particles.view(), catalogue.members(), exact);
    std::vector<std::uint8_t> expected;
    for (const std::size_t g : checked)
        expected.push_back(best.particle[g] == catalogue.centres().particle[g] ? 1 : 0);
    const auto one = comm::one_process();
    comm::Parts parts(*one, 3);
    ConstParticlesView nothing{};
    const std::vector<std::uint64_t> n_members(groups.n_members.begin(), groups.n_members.end());
    const DescribedGroups found = halo::describe_over_parts(
        parts, std::vector<halo::PartParticles>{{nothing}, {particles.view()}, {nothing}},
        std::vector<std::vector<std::int32_t>>{{}, groups.label, {}}, n_members, query);
    EXPECT_EQ(found.is_most_bound, expected);
}

TEST(DescribeOverParts, WorksOnSeveralRanksOfSeveralParts)
{
    const auto thresholds = four_thresholds();
    const Description one(usual_query(thresholds));
    on_thread_ranks([&](comm::Communicator& ranks) { one.expect_of_parts(ranks, 2, Spread::scattered); });
}

TEST(DescribeOverParts, RefusesWhatItCannotDescribe)
{
    const Particles particles = hosts_and_satellites();
    const auto one = comm::one_process();
    comm::Parts parts(*one, 2);
    ConstParticlesView view = particles.view(), nothing{};
    std::vector<std::vector<std::int32_t>> label{std::vector<std::int32_t>(particles.size(), 0), {}};
    const std::vector<std::uint64_t> n_members{particles.size()};
    DescriptionQuery query = usual_query({});
    const auto refusal = [&] {
        return message_of<Error>([&] {
            halo::describe_over_parts(parts, std::vector<halo::PartParticles>{{view}, {nothing}}, label,
                                      n_members, query);
        });
    };
    setenv("AUREOLE_CPU_MEMORY_MB", "1", 1);
    const std::string too_large = refusal();
    unsetenv("AUREOLE_CPU_MEMORY_MB");
    EXPECT_TRUE(contains(too_large, "group 0 with")) << "a group above the rank's memory";
    EXPECT_TRUE(contains(too_large, "AUREOLE_CPU_MEMORY_MB = 1"));
    query.catalogue.crossing = halo::Crossing::innermost;
    EXPECT_TRUE(contains(refusal(), "spheres of innermost crossings"));
    query.catalogue.crossing = halo::Crossing::outermost;
    label[0].back() = 1;
    EXPECT_TRUE(contains(refusal(), "label 1 of 1 groups"));
    label[0].pop_back();
    EXPECT_TRUE(contains(refusal(), "labels for"));
    label[0].push_back(0);
    view.velocity = {};
    EXPECT_TRUE(contains(refusal(), "velocities"));
}

}  // namespace
}  // namespace aureole::test::described_groups_test

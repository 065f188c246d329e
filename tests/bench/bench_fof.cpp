// Times the whole friends-of-friends labelling of a file of points in the backend's memory.
// Input as comparisons with other finders use it: int32 n, int32 dim, n * dim float32 coordinates.
// usage: bench_fof FILE --link L [--method fastest] [--psi V] [--friends F] [--backend cpu|cuda]
//        [--periodic SIDE] [--leaf 8] [--depth 30] [--repeat 5] [--parts 0]
// With parts, that many in this process search domains of theirs one after the other, on the CPU.
// Prints one JSON line: median milliseconds of the phases, the time of all threads together with the copy of
// the labels, which a busy machine disturbs less, and the group counts that show the answer is right.
#include <cstdio>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

#include "halo/ranks/find_over_parts.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::median_ms;

using bench::Options;

halo::Method method_of(const std::string& name)
{
    for (const auto method :
         {halo::Method::fastest, halo::Method::kd_tree, halo::Method::brute_force, halo::Method::grid})
        if (name == halo::name_of(method)) return method;
    throw Error("unknown method " + name);
}

halo::FofConfig config_of(const Options& options)
{
    halo::FofConfig config{0, 2};
    config.linking_length = options.number("--link");
    config.linking_velocity = options.number("--psi");
    config.min_friends = options.count<Index>("--friends");
    config.box.side = options.number("--periodic");
    config.leaf_size = options.count<Index>("--leaf");
    config.max_depth = options.count("--depth");
    config.method = method_of(options.text("--method"));
    return config;
}

/// The part of a line that tells whether the groups are right.
void print_groups(const std::vector<std::uint64_t>& n_members)
{
    std::uint64_t large = 0, members = 0;
    for (const std::uint64_t n : n_members)
        if (n >= 20) {
            ++large;
            members += n;
        }
    std::printf("\"groups_2\": %zu, \"groups_20\": %zu, \"members_20\": %zu, \"largest\": %zu}\n",
                n_members.size(), static_cast<std::size_t>(large), static_cast<std::size_t>(members),
                static_cast<std::size_t>(n_members.empty() ? 0 : n_members[0]));
}

void run_over_parts(const Options& options)
{
    const Particles particles = bench::read_points(options.input());
    const halo::FofConfig config = config_of(options);
    const auto one = comm::one_process();
    comm::Parts parts(*one, options.count("--parts"));
    const auto n_parts = static_cast<std::size_t>(parts.size());
    std::vector<Particles> shares;
    std::vector<halo::PartParticles> held;
    for (std::size_t k = 0; k < n_parts; ++k) {
        const comm::Piece piece = comm::piece_of(particles.size(), 1, k, n_parts);
        std::vector<Index> list(piece.end - piece.begin);
        std::iota(list.begin(), list.end(), static_cast<Index>(piece.begin));
        shares.push_back(particles.gathered(list));
    }
    for (const Particles& share : shares) held.push_back({share.view()});
    std::vector<std::uint64_t> n_members;
    std::vector<double> processor;
    const double seconds = bench::median_seconds({}, 1, options.repeats(), [&] {
        const std::clock_t ticks = std::clock();
        n_members = halo::find_over_parts(parts, held, config).n_members;
        processor.push_back(static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
    });
    std::printf(
        "{\"benchmark\": \"fof\", \"method\": \"%s\", \"file\": \"%s\", \"n\": %zu, \"parts\": %d, "
        "\"link\": %.9g, \"side\": %g, \"repeat\": %d, \"ms\": %.3f, \"processor_ms\": %.3f, ",
        halo::name_of(config.method), options.input().c_str(), static_cast<std::size_t>(particles.size()),
        parts.size(), config.linking_length, config.box.side, options.repeats(), 1e3 * seconds,
        median_ms(processor));
    print_groups(n_members);
}

void run(const Options& options)
{
    if (options.count("--parts") > 0) return run_over_parts(options);
    const Backend backend = options.backend();
    Particles particles = bench::read_points(options.input()).copy_to(backend);
    const ParticlesView view = particles.view();
    const halo::FofConfig config = config_of(options);
    halo::FriendsOfFriends finder;
    halo::Groups groups = finder.find({backend}, view, config);  // warms up and allocates

    std::vector<double> order, tree, link, label, labelling, with_copy, processor;
    for (int k = 0; k < options.repeats(); ++k) {
        const std::clock_t ticks = std::clock();
        groups = finder.find({backend}, view, config);
        processor.push_back(static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
        const halo::FofTimes t = finder.times();
        order.push_back(t.order);
        tree.push_back(t.tree);
        link.push_back(t.link);
        label.push_back(t.label);
        labelling.push_back(t.order + t.tree + t.link + t.label);
        with_copy.push_back(labelling.back() + t.copy);
    }
    std::printf(
        "{\"benchmark\": \"fof\", \"method\": \"%s\", \"file\": \"%s\", \"n\": %u, \"backend\": \"%s\", "
        "\"link\": %.9g, "
        "\"side\": %g, \"repeat\": %d, \"ms\": %.3f, \"ms_with_copy\": %.3f, \"ms_order\": %.3f, "
        "\"ms_tree\": %.3f, \"ms_link\": %.3f, \"ms_label\": %.3f, \"processor_ms\": %.3f, "
        "\"scratch_bytes\": %zu, ",
        halo::name_of(config.method), options.input().c_str(), view.n, name_of(backend),
        config.linking_length, config.box.side, options.repeats(), median_ms(labelling), median_ms(with_copy),
        median_ms(order), median_ms(tree), median_ms(link), median_ms(label), median_ms(processor),
        halo::FriendsOfFriends::scratch_bytes(backend, view.n, config));
    print_groups({groups.n_members.begin(), groups.n_members.end()});
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "FILE",
                               "--link 0 --method fastest --psi inf --friends 1 --backend cpu --periodic 0 "
                               "--leaf 8 --depth 30 --repeat 5 --parts 0",
                               run);
}

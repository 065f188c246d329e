// Times the whole friends-of-friends labelling of a file of points, resident in the backend's memory.
// Input as tests compare it with other finders: int32 n, int32 dim, n * dim float32 coordinates.
// usage: bench_fof FILE --link L [--method fastest] [--psi V] [--friends F] [--backend cpu|cuda]
//        [--periodic SIDE] [--leaf 8] [--depth 30] [--repeat 5]
// Prints one JSON line: median milliseconds of the phases, and the group counts that show the answer is
// right.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "halo/fof/friends_of_friends.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/report.hpp"

namespace {

using namespace aureole;
using bench::median_ms;

struct Options {
    std::string file;
    Backend backend = Backend::cpu;
    halo::FofConfig config{0, 2};
    int repeat = 5;
};

halo::Method method_of(const std::string& name)
{
    for (const auto method :
         {halo::Method::fastest, halo::Method::kd_tree, halo::Method::brute_force, halo::Method::grid})
        if (name == halo::name_of(method)) return method;
    throw std::runtime_error("unknown method " + name);
}

/// Whether `name` is a setting of the finder; takes it when it is.
bool take_setting(halo::FofConfig& config, const std::string& name, const std::string& value)
{
    if (name == "--link")
        config.linking_length = std::atof(value.c_str());
    else if (name == "--psi")
        config.linking_velocity = std::atof(value.c_str());
    else if (name == "--friends")
        config.min_friends = static_cast<Index>(std::atoi(value.c_str()));
    else if (name == "--periodic")
        config.box.side = std::atof(value.c_str());
    else if (name == "--leaf")
        config.leaf_size = static_cast<Index>(std::atoi(value.c_str()));
    else if (name == "--depth")
        config.max_depth = std::atoi(value.c_str());
    else if (name == "--method")
        config.method = method_of(value);
    else
        return false;
    return true;
}

Options parse(int argc, char** argv)
{
    if (argc < 2 || argc % 2 != 0)
        throw std::runtime_error("usage: bench_fof FILE --link L [--option value]...");
    Options options;
    options.file = argv[1];
    for (int k = 2; k < argc; k += 2) {
        const std::string name = argv[k], value = argv[k + 1];
        if (take_setting(options.config, name, value)) continue;
        if (name == "--repeat")
            options.repeat = std::max(1, std::atoi(value.c_str()));
        else if (name == "--backend")
            options.backend = value == "cuda" ? Backend::cuda : Backend::cpu;
        else
            throw std::runtime_error("unknown option " + name);
    }
    return options;
}

void run(const Options& options)
{
    Particles particles = bench::read_points(options.file).copy_to(options.backend);
    const ParticlesView view = particles.view();
    const halo::FofConfig& config = options.config;
    halo::FriendsOfFriends finder;
    halo::Groups groups = finder.find({options.backend}, view, config);  // warms up and allocates

    std::vector<double> order, tree, link, label, labelling, with_copy;
    for (int k = 0; k < options.repeat; ++k) {
        groups = finder.find({options.backend}, view, config);
        const halo::FofTimes t = finder.times();
        order.push_back(t.order);
        tree.push_back(t.tree);
        link.push_back(t.link);
        label.push_back(t.label);
        labelling.push_back(t.order + t.tree + t.link + t.label);
        with_copy.push_back(labelling.back() + t.copy);
    }
    std::size_t large = 0, members = 0;
    for (const Index length : groups.n_members)
        if (length >= 20) {
            ++large;
            members += length;
        }
    std::printf(
        "{\"benchmark\": \"fof\", \"method\": \"%s\", \"file\": \"%s\", \"n\": %u, \"backend\": \"%s\", "
        "\"link\": %.9g, "
        "\"side\": %g, \"repeat\": %d, \"ms\": %.3f, \"ms_with_copy\": %.3f, \"ms_order\": %.3f, "
        "\"ms_tree\": %.3f, \"ms_link\": %.3f, \"ms_label\": %.3f, \"scratch_bytes\": %zu, \"groups_2\": "
        "%zu, "
        "\"groups_20\": %zu, \"members_20\": %zu, \"largest\": %u}\n",
        halo::name_of(config.method), options.file.c_str(), view.n, name_of(options.backend),
        config.linking_length, config.box.side, options.repeat, median_ms(labelling), median_ms(with_copy),
        median_ms(order), median_ms(tree), median_ms(link), median_ms(label),
        halo::FriendsOfFriends::scratch_bytes(options.backend, view.n, config), groups.size(), large, members,
        groups.n_members.empty() ? 0 : groups.n_members[0]);
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::exit_status("bench_fof", [&] { run(parse(argc, argv)); });
}

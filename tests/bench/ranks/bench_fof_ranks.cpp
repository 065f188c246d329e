// Times friends-of-friends over ranks, each with particles of its own on its GPU (or in host memory where
// there is none), as `mpirun -n P aureole find` labels them. Input: a file of points in a unit box, as
// bench_fof reads it; rank r has the r-th share of it as it stands ("any"), or of its points along the x axis
// ("domain"), which lie near those of their own domain.
//
//     mpirun -n P bench_fof_ranks FILE --link L [--order any|domain] [--periodic 1] [--friends 1] [--members
//     2]
//         [--repeat 5] [--compare 1]
//
// AUREOLE_TRANSPORT chooses NCCL or staging. The first rank prints one JSON line: median milliseconds of the
// slowest rank by phase, from points on the devices to labels there; with compare, the time of one device
// with all points, the efficiency, and how many labels of the first rank differ.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>

#include "halo/ranks/device_search.hpp"
#include "sim/core/device.hpp"
#include "sim/core/spatial/curve_keys.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::median_ms;
using bench::Options;

/// Which points of the file this rank has.
std::vector<Index> share_of(const Particles& all, const comm::Communicator& ranks, bool by_domain)
{
    const std::size_t n = all.size(), rank = static_cast<std::size_t>(ranks.rank()),
                      size = static_cast<std::size_t>(ranks.size());
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), Index{0});
    const std::size_t begin = n * rank / size, end = n * (rank + 1) / size;
    if (by_domain) {
        std::vector<std::uint64_t> key(n);
        const ConstParticlesView view = all.view();
        constexpr double cells = 1 << key_bits;
#pragma omp parallel for
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3 x = cells * view.position.load(static_cast<Index>(i));
            std::uint32_t at[3] = {cell_number(x.x, key_bits), cell_number(x.y, key_bits),
                                   cell_number(x.z, key_bits)};
            key[i] = hilbert_key(at, key_bits);
        }
        const auto by_key = [&](Index a, Index b) { return key[a] < key[b]; };
        const auto at = [&](std::size_t k) { return order.begin() + static_cast<std::ptrdiff_t>(k); };
        if (begin > 0) std::nth_element(order.begin(), at(begin), order.end(), by_key);
        if (end < n) std::nth_element(at(begin), at(end), order.end(), by_key);
        std::sort(at(begin), at(end));  // any order inside
    }
    return {order.begin() + static_cast<std::ptrdiff_t>(begin),
            order.begin() + static_cast<std::ptrdiff_t>(end)};
}

/// The slowest rank's.
double slowest(comm::Communicator& ranks, double seconds)
{
    std::uint64_t nanoseconds = static_cast<std::uint64_t>(1e9 * seconds);
    ranks.all_reduce(std::span(&nanoseconds, 1), comm::Reduction::max);
    return 1e-9 * static_cast<double>(nanoseconds);
}

/// Milliseconds of one device with all points; prints what differs.
double at_once(Exec exec, const Particles& all, const halo::FofConfig& config, int repeats,
               const std::vector<Index>& share, const halo::Groups& found, std::size_t& different)
{
    const Particles there = all.copy_to(exec.backend);
    halo::FriendsOfFriends finder;
    std::vector<double> times;
    halo::Groups groups;
    for (int k = 0; k <= repeats; ++k) {
        groups = finder.find(exec, there.view(), config);
        const halo::FofTimes& t = finder.times();
        if (k > 0) times.push_back(t.order + t.tree + t.link + t.label);
    }
    different = groups.n_members == found.n_members ? 0 : 1;
    for (std::size_t i = 0; i < share.size(); ++i) different += groups.label[share[i]] != found.label[i];
    return median_ms(times);
}

void run(const Options& options)
{
    const auto ranks = comm::open_ranks();
    std::string reason;
    const bool on_devices = device::count() > 0;
    if (on_devices) device::select(ranks->rank_on_host() % device::count());
    const auto moves = on_devices ? comm::open_device_moves(*ranks, comm::chosen_transport(), reason)
                                  : comm::host_moves(*ranks);
    const Exec exec{moves->where()};
    halo::FofConfig config{options.number("--link"), options.count<Index>("--members")};
    config.box.side = options.number("--periodic");
    config.min_friends = options.count<Index>("--friends");

    Particles all = bench::read_points(options.input());
    const std::vector<Index> share = share_of(all, *ranks, options.text("--order") == "domain");
    std::optional<Particles> own;
    {
        Particles some(Backend::cpu, share.size());
        for (std::size_t k = 0; k < share.size(); ++k) {
            some.position.x.host()[k] = all.position.x.host()[share[k]];
            some.position.y.host()[k] = all.position.y.host()[share[k]];
            some.position.z.host()[k] = all.position.z.host()[share[k]];
        }
        own.emplace(some.copy_to(exec.backend));
    }
    const std::vector<std::uint64_t> ids(share.begin(), share.end());
    const Buffer<std::uint64_t> id(exec.backend, std::span(ids));
    ConstParticlesView view = own->view();
    view.id = id.data();  // so that ties go as on one device
    view.type = nullptr;

    halo::DeviceSearch search(*ranks, *moves);
    halo::Groups groups;
    std::vector<double> whole, cut, move, link, label;
    for (int k = 0; k <= options.repeats(); ++k) {
        ranks->barrier();
        const auto start = std::chrono::steady_clock::now();
        const halo::GroupsView found = search.find(exec, view, config);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (k == options.repeats()) groups = halo::groups_on_host(exec, found);
        const halo::DeviceSearchTimes t = search.times();
        const double slow[] = {slowest(*ranks, seconds), slowest(*ranks, t.cut), slowest(*ranks, t.move),
                               slowest(*ranks, t.link), slowest(*ranks, t.label)};
        if (k == 0) continue;  // warms up
        std::vector<double>* const lists[] = {&whole, &cut, &move, &link, &label};
        for (std::size_t j = 0; j < 5; ++j) lists[j]->push_back(slow[j]);
    }
    std::uint64_t largest = search.times().n_entries, moved = search.times().moved_bytes;
    ranks->all_reduce(std::span(&largest, 1), comm::Reduction::max);
    ranks->all_reduce(std::span(&moved, 1), comm::Reduction::max);
    std::string more;
    if (ranks->rank() == 0 && options.count("--compare") > 0) {
        std::size_t different = 0;
        const double ms = at_once(exec, all, config, options.repeats(), share, groups, different);
        more = fmt::format(", \"ms_one\": {:.3f}, \"efficiency\": {:.3f}, \"different\": {}", ms,
                           ms / (ranks->size() * median_ms(whole)), different);
    }
    if (ranks->rank() == 0)
        fmt::print(
            "{{\"benchmark\": \"fof_ranks\", \"file\": \"{}\", \"ranks\": {}, \"by\": \"{}\", \"order\": "
            "\"{}\", \"n\": {}, \"ms\": {:.3f}, \"ms_cut\": {:.3f}, \"ms_move\": {:.3f}, \"ms_link\": "
            "{:.3f}, "
            "\"ms_label\": {:.3f}, \"largest_part\": {}, \"moved_bytes\": {}, \"groups\": {}{}}}\n",
            options.input(), ranks->size(), moves->description(), options.text("--order"), all.size(),
            median_ms(whole), median_ms(cut), median_ms(move), median_ms(link), median_ms(label), largest,
            moved, groups.n_members.size(), more);
    ranks->barrier();
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(
        argc, argv, "FILE",
        "--link 0 --order any --periodic 1 --friends 1 --members 2 --repeat 5 --compare 1", run);
}

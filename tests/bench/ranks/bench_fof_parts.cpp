// Times friends-of-friends by parts, as `aureole find` runs it with --parts or where the device holds too
// little: points in host memory or on the device, groups in the backend's memory, labels then on the host.
// Input: a file of points in a unit box, as bench_fof reads it. With copies K, K^3 of that box stand beside
// each other, their points interleaved, K times as small: groups are K^3 times as many in a periodic box.
// usage: bench_fof_parts FILE --link L [--parts 8] [--source host|device] [--store automatic|device|host]
//        [--copies 1] [--backend cpu|cuda] [--periodic 1] [--friends 1] [--members 2] [--batch 33554432]
//        [--repeat 3] [--compare 1]
// Prints one JSON line: median milliseconds of the phases and of the copy of the labels; with compare, the
// time of all points at once and how many labels differ.
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "halo/parts/parts_finder.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::median_ms;
using bench::Options;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Positions alone, of `copies`^3 boxes.
struct Points {
    std::vector<double> x, y, z;

    Points(const Particles& box, std::size_t copies)
    {
        const std::size_t cells = copies * copies * copies, n = box.size() * cells;
        for (auto* axis : {&x, &y, &z}) axis->resize(n);
        const ConstVec3View from = box.view().position;
        const double scale = 1 / static_cast<double>(copies);
#pragma omp parallel for
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t cell = i % cells;
            const Vec3 at = from.load(static_cast<Index>(i / cells));
            x[i] = scale * (at.x + static_cast<double>(cell % copies));
            y[i] = scale * (at.y + static_cast<double>(cell / copies % copies));
            z[i] = scale * (at.z + static_cast<double>(cell / copies / copies));
        }
    }

    ConstParticlesView view() const
    {
        ConstParticlesView view{};
        view.n = static_cast<Index>(x.size());
        view.where = Backend::cpu;
        view.position = {x.data(), y.data(), z.data()};
        return view;
    }
};

/// The same on a device.
struct DevicePoints {
    Buffer<double> x, y, z;

    DevicePoints(Backend where, const Points& host)
        : x(where, std::span(host.x)), y(where, std::span(host.y)), z(where, std::span(host.z))
    {
    }
    ConstParticlesView view() const
    {
        ConstParticlesView view{};
        view.n = static_cast<Index>(x.size());
        view.where = x.where();
        view.position = {x.data(), y.data(), z.data()};
        return view;
    }
};

halo::PartsConfig parts_of(const Options& options)
{
    using Store = halo::PartsConfig::Store;
    halo::PartsConfig parts;
    parts.n_parts = options.count("--parts");
    parts.batch = options.count<std::size_t>("--batch");
    const std::string store = options.text("--store");
    parts.store = store == "device" ? Store::device : store == "host" ? Store::host : Store::automatic;
    return parts;
}

void compare(const ConstParticlesView& there, Exec exec, const halo::FofConfig& config,
             const halo::Groups& found, const Options& options)
{
    halo::FriendsOfFriends finder;
    std::vector<double> at_once;
    halo::Groups groups;
    for (int k = 0; k <= options.repeats(); ++k) {
        groups = finder.find(exec, there, config);
        const halo::FofTimes& t = finder.times();
        if (k > 0) at_once.push_back(t.order + t.tree + t.link + t.label);
    }
    std::size_t wrong = groups.n_members == found.n_members ? 0 : 1;
    for (std::size_t i = 0; i < found.label.size(); ++i) wrong += groups.label[i] != found.label[i];
    std::printf(", \"ms_at_once\": %.3f, \"different\": %zu", median_ms(at_once), wrong);
}

void run(const Options& options)
{
    const auto copies = options.count<std::size_t>("--copies");
    const Points host(bench::read_points(options.input()), copies);
    const Exec exec{options.backend()};
    halo::FofConfig config{options.number("--link") / static_cast<double>(copies),
                           options.count<Index>("--members")};
    config.box.side = options.number("--periodic");
    config.min_friends = options.count<Index>("--friends");
    const halo::PartsConfig parts = parts_of(options);
    std::optional<DevicePoints> device;
    if (options.text("--source") == "device") device.emplace(exec.backend, host);
    const ConstParticlesView source = device ? device->view() : host.view();

    halo::PartsFinder finder;
    halo::Groups groups;
    std::vector<double> all, survey, cut, link, label, copy;
    for (int k = 0; k <= options.repeats(); ++k) {
        const Clock::time_point start = Clock::now();
        const halo::GroupsView found = finder.find_on_device(exec, source, config, parts);
        const double seconds = seconds_since(start);
        groups = {};
        const Clock::time_point copying = Clock::now();
        groups = halo::groups_on_host(exec, found);
        if (k == 0) continue;  // warms up
        const halo::PartsTimes& t = finder.times();
        all.push_back(seconds);
        survey.push_back(t.survey);
        cut.push_back(t.cut);
        link.push_back(t.link);
        label.push_back(t.label);
        copy.push_back(seconds_since(copying));
    }
    std::printf(
        "{\"benchmark\": \"fof_parts\", \"file\": \"%s\", \"n\": %u, \"parts\": %d, \"source\": \"%s\", "
        "\"stored_on_host\": %d, \"ms\": %.3f, \"ms_survey\": %.3f, \"ms_cut\": %.3f, \"ms_link\": %.3f, "
        "\"ms_label\": %.3f, \"ms_copy\": %.3f, \"ghosts\": %zu, \"largest_part\": %zu, \"groups\": %zu, "
        "\"largest\": %u",
        options.input().c_str(), source.n, parts.n_parts, options.text("--source").c_str(),
        finder.times().stored_on_host ? 1 : 0, median_ms(all), median_ms(survey), median_ms(cut),
        median_ms(link), median_ms(label), median_ms(copy), static_cast<std::size_t>(finder.times().n_ghosts),
        finder.times().largest_part, groups.n_members.size(),
        groups.n_members.empty() ? 0 : groups.n_members[0]);
    if (options.count("--compare") > 0) {
        if (!device) device.emplace(exec.backend, host);
        compare(device->view(), exec, config, groups, options);
    }
    std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(
        argc, argv, "FILE",
        "--link 0 --parts 8 --source device --store automatic --copies 1 --backend cpu "
        "--periodic 1 --friends 1 --members 2 --batch 33554432 --repeat 3 --compare 1",
        run);
}

#include "sim/cli/find/find_by_parts.hpp"

#include <fmt/format.h>

#include "halo/catalogue/group_catalogue.hpp"
#include "halo/parts/parts_finder.hpp"
#include "sim/core/device.hpp"

namespace aureole::cli {
namespace {

/// Position, id and type; mass and velocity for a catalogue.
std::size_t device_bytes(const Find& find, std::size_t n)
{
    const bool catalogue = !labels_alone(find.command);
    constexpr std::size_t of_particle = 33, of_motion = 32;
    return n * (of_particle + (catalogue ? of_motion : 0)) +
           find.search.make_finder()->scratch_bytes(find.device.exec.backend, n) +
           (catalogue ? halo::GroupCatalogue::scratch_bytes(n) : 0);
}

bool needs_all_at_once(const halo::FofConfig& fof)
{
    return fof.method == halo::Method::spanning_tree || fof.relative_linking_velocity > 0;
}

}  // namespace

int parts_of_search(const Find& find)
{
    if (find.command.parts > 0) return find.command.parts;
    const halo::FofConfig fof = find.search.make_finder()->settings();
    if (find.device.exec.backend == Backend::cpu || needs_all_at_once(fof)) return 0;
    const std::size_t n = find.loaded.snapshot.particles.size(), free = device::free_bytes();
    const std::size_t wanted = device_bytes(find, n);
    if (wanted <= free) return 0;
    const int fitting = halo::PartsFinder::fitting_parts(find.device.exec.backend, n, fof, free);
    const int n_parts = fitting > 0 ? fitting : halo::most_parts;  // the allocation that fails says how much
    fmt::print(
        "the device has {:.1f} GB free where {:.1f} are wanted: it searches {} parts one after the "
        "other{}\n",
        1e-9 * static_cast<double>(free), 1e-9 * static_cast<double>(wanted), n_parts,
        labels_alone(find.command) ? "" : ", and the catalogue is made on the host");
    return n_parts;
}

halo::Groups groups_by_parts(Find& find, int n_parts)
{
    const Exec exec = find.device.exec;
    halo::PartsFinder finder;
    halo::PartsConfig parts;
    parts.n_parts = n_parts;
    const halo::FofConfig fof = find.search.make_finder()->settings();
    halo::Groups groups =
        halo::groups_on_host(exec, finder.find_on_device(exec, find.host().view(), fof, parts));
    const halo::PartsTimes& times = finder.times();
    fmt::print("{} parts: {:.3f} s (cut {:.3f}, link {:.3f}); {} particles are known in another part\n",
               n_parts, times.survey + times.cut + times.link + times.label, times.survey + times.cut,
               times.link, times.n_ghosts);
    find.device.exec = {};
    return groups;
}

}  // namespace aureole::cli

#include "sim/io/snapshots/gadget_softening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace aureole::io {
namespace {

constexpr std::array<const char*, n_particle_types> gadget2_names{"Gas",   "Halo",  "Disk",
                                                                  "Bulge", "Stars", "Bndry"};

/// A finite number above 0 among the attributes of `group`.
std::optional<double> length_in(const Hdf5File& file, const char* group, const std::string& name)
{
    if (!file.has_attribute(group, name) || file.attribute_is_text(group, name)) return {};
    const std::vector<double> values = file.numbers(group, name);
    if (values.size() != 1 || !(values[0] > 0) || !std::isfinite(values[0])) return {};
    return values[0];
}

/// The names of one length and of its limit, in one code.
struct Names {
    std::string comoving, most_physical;
};

/// The names that may hold the length of `type` in `group`, in the order in which they are tried.
std::vector<Names> names_of(const Hdf5File& file, const char* group, std::size_t type)
{
    std::vector<Names> names;
    const auto add_numbered = [&](const char* kind, double number) {
        names.push_back({fmt::format("SofteningComoving{}{}", kind, number),
                         fmt::format("SofteningMaxPhys{}{}", kind, number)});
    };
    for (const auto& [key, kind] : {std::pair{"SofteningClassOfPartType", "Class"},  // GADGET-4
                                    {"SofteningTypeOfPartType", "Type"}}) {          // AREPO
        const std::string name = fmt::format("{}{}", key, type);
        if (!file.has_attribute(group, name) || file.attribute_is_text(group, name)) continue;
        const std::vector<double> numbers = file.numbers(group, name);
        if (numbers.size() == 1) add_numbered(kind, numbers[0]);
    }
    names.push_back({fmt::format("Softening_Type{}", type),  // GIZMO
                     fmt::format("Softening_Type{}_MaxPhysLimit", type)});
    names.push_back({fmt::format("Softening{}", gadget2_names[type]),
                     fmt::format("Softening{}MaxPhys", gadget2_names[type])});
    return names;
}

}  // namespace

std::optional<StatedSoftening> gadget_softening(const Hdf5File& file, const SnapshotHeader& header)
{
    StatedSoftening stated;
    std::vector<std::string> sources;
    for (std::size_t type = 0; type < n_particle_types; ++type)
        for (const char* group : {"/Parameters", "/RuntimePars", "/Header"})
            for (const Names& names : names_of(file, group, type)) {
                const auto length = length_in(file, group, names.comoving);
                if (!length || stated.length[type] > 0) continue;
                stated.length[type] = *length;
                const auto most = length_in(file, group, names.most_physical);
                if (header.comoving && most && header.time > 0)
                    stated.length[type] = std::min(*length, *most / header.time);
                const std::string source = fmt::format("{}/{}", group, names.comoving);
                if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
            }
    if (sources.empty()) return {};
    stated.source = fmt::format("{}{}", sources.front(), sources.size() > 1 ? " and others" : "");
    return stated;
}

}  // namespace aureole::io

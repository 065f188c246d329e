// The keys of `power.`, `density.`, `disks.` and `pictures.`, once: what spectra, densities, tables of disks
// and pictures are made of.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/config/colour_by.hpp"
#include "sim/config/config_rows.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::run {
namespace {

using namespace rows;

std::vector<Key<Config>> power_rows()
{
    using C = Config;
    return {
        row<C>("power.mesh", number, AUREOLE_FIELD(power.mesh),
               "points along an axis of the mesh of spectra; 0: two for each particle",
               Rule<int>{[](int n) { return n == 0 || (n >= 8 && n <= 2048); }, "0, or 8 to 2048"}),
        row<C>("power.folds", number, AUREOLE_FIELD(power.folds),
               "how often spectra go on beyond the mesh, to twice the wave number each time, by folding the "
               "box",
               Rule<int>{[](int n) { return n >= 0 && n <= 20; }, "from 0 to 20"}),
    };
}

std::vector<Choice<density::Method>> density_methods()
{
    using density::Method;
    std::vector<Choice<Method>> choices;
    for (const Method method : {Method::tetrahedra, Method::nearest_grid_point, Method::cloud_in_cell,
                                Method::triangular_shaped_cloud})
        choices.push_back({density::name_of(method), method});
    return choices;
}

std::vector<Key<Config>> density_rows()
{
    using C = Config;
    return {
        choice_key<C>("density.method",
                      "tetrahedra: the phase-space sheet, whose ids are sites of a lattice; ngp, cic and tsc "
                      "take any particles",
                      AUREOLE_FIELD(density.method), density_methods()),
        row<C>("density.grid", number, AUREOLE_FIELD(density.grid),
               "cells along an axis of the box; 0: as many as particles",
               Rule<std::uint32_t>{[](std::uint32_t n) { return n <= 8192; }, "from 0 to 8192"}),
        row<C>("density.fields", number, AUREOLE_FIELD(density.fields),
               fmt::format("a list of {}", io::list_text(density_field_words, ", ")),
               Rule<std::vector<std::string>>{
                   [](const std::vector<std::string>& names) {
                       const auto known = [](const std::string& name) {
                           return std::ranges::find(density_field_words, name) != density_field_words.end();
                       };
                       return !names.empty() && std::ranges::all_of(names, known);
                   },
                   fmt::format("some of {}", io::list_text(density_field_words, ", "))}),
        choice_key<C>("density.precision",
                      "of tetrahedra on a GPU; mixed: shares of cells in float, totals and streams exact",
                      AUREOLE_FIELD(density.precision),
                      std::vector<Choice<Precision>>{{"double", Precision::double_precision},
                                                     {"mixed", Precision::mixed}}),
    };
}

std::vector<Key<Config>> disk_rows()
{
    using C = Config;
    return {
        row<C>("disks.components", number, AUREOLE_FIELD(disks.components),
               "entries of initial_conditions that form the disk, from 0, as [0, 1]; all when absent",
               component_numbers()),
        row<C>("disks.tables", number, AUREOLE_FIELD(disks.tables),
               fmt::format("a list of {}", io::list_text(disk_table_names, ", ")),
               Rule<std::vector<std::string>>{
                   [](const std::vector<std::string>& names) {
                       const auto known = [](const std::string& name) {
                           return std::ranges::find(disk_table_names, name) != disk_table_names.end();
                       };
                       const std::set<std::string> different(names.begin(), names.end());
                       return !names.empty() && different.size() == names.size() &&
                              std::ranges::all_of(names, known);
                   },
                   fmt::format("some of {}, each once", io::list_text(disk_table_names, ", "))}),
        row<C>(
            "disks.scale_radius", length, AUREOLE_FIELD(disks.scale_radius),
            "of the disk, whose axis is that of the particles within three of them; its half-mass radius / "
            "1.678 when absent",
            positive()),
        row<C>("disks.ring", number, AUREOLE_FIELD(disks.ring),
               "particles in a ring of a profile; 0: a 64th of all, from 2000 to 32000",
               Rule<std::uint64_t>{[](std::uint64_t n) { return n == 0 || n >= 10; }, "0, or 10 and more"}),
        row<C>("disks.inclination", number, AUREOLE_FIELD(disks.inclination),
               "of the line of sight of maps and ellipses to the disk's axis, degrees; 90: edge-on"),
        row<C>("disks.azimuth", number, AUREOLE_FIELD(disks.azimuth), "of the observer, degrees"),
        row<C>("disks.width", length, AUREOLE_FIELD(disks.width), "side of maps; ten scale radii when absent",
               positive()),
        row<C>("disks.pixels", number, AUREOLE_FIELD(disks.pixels), "along each side of maps",
               Rule<int>{[](int n) { return n >= 1 && n <= 1024; }, "from 1 to 1024"}),
    };
}

std::vector<Key<Config>> picture_rows()
{
    using C = Config;
    return {
        choice_key<C>("pictures.axis", "line of sight", AUREOLE_FIELD(pictures.axis),
                      std::vector<Choice<char>>{{"x", 'x'}, {"y", 'y'}, {"z", 'z'}}),
        row<C>("pictures.width", length, AUREOLE_FIELD(pictures.width),
               "side of the field; 0: chosen from the first state and kept", not_negative()),
        row<C>("pictures.centre", length, AUREOLE_FIELD(pictures.centre),
               "of the field, [x, y, z]; default: the middle of a periodic box, else chosen from the first "
               "state and kept"),
        row<C>("pictures.zoom.width", length, AUREOLE_FIELD(pictures.zoom.width),
               "side of the field of a second picture beside each, zoom_NNN.png; 0: there is none",
               not_negative()),
        row<C>("pictures.zoom.centre", length, AUREOLE_FIELD(pictures.zoom.centre),
               "of that field; default: the centre of the first"),
        row<C>(
            "pictures.pixels", number, AUREOLE_FIELD(pictures.pixels), "side of the picture",
            Rule<std::uint32_t>{[](std::uint32_t n) { return n >= 100 && n <= 16384; }, "from 100 to 16384"}),
        choice_key<C>(
            "pictures.colour_by",
            "brightness by density alone, or hues of components, of velocities along the line of sight "
            "(blue approaches, orange recedes) or of halos",
            AUREOLE_FIELD(pictures.colour_by), names_of(colour_by_names)),
    };
}

}  // namespace

Rule<std::vector<int>> component_numbers()
{
    return {[](const std::vector<int>& list) {
                return !list.empty() && std::ranges::all_of(list, [](int k) { return k >= 0 && k <= 65535; });
            },
            "a list of numbers from 0 to 65535"};
}

void add_picture_keys(std::vector<Key<Config>>& keys)
{
    for (const auto& rows : {power_rows(), density_rows(), disk_rows(), picture_rows()})
        keys.insert(keys.end(), rows.begin(), rows.end());
}

}  // namespace aureole::run

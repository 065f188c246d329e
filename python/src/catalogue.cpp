// Halos with all that a catalogue tells of them, computed by the functions behind `aureole find`.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>

#include "device_arrays.hpp"
#include "halo/centres/centre_method.hpp"
#include "halo/fof/linking_length.hpp"
#include "module.hpp"
#include "sim/analysis/halo_catalogue.hpp"
#include "sim/analysis/halo_search.hpp"

namespace aureole::python {
namespace {

/// The keys of configurations below `halos`, and what properties depend on.
struct HaloSettings {
    run::HalosConfig halos;
    run::HaloContext context;
    std::optional<halo::Cosmology> cosmology;
};

void set_centre(HaloSettings& settings, const std::string& name)
{
    const auto* const known = halo::centre_methods().find(name);
    if (!known)
        throw ArgumentError(
            fmt::format("centre: found '{}', expected one of {}", name, halo::centre_methods().list()));
    settings.halos.centre = {known->name};
}

/// Particles where a search runs, and on the host, where they are copied when they are asked for.
struct PlacedParticles {
    Exec exec;
    ConstParticlesView view;
    std::function<const Particles&()> host;
};

std::string origin_of(run::HalosConfig& halos, const PlacedParticles& particles, const Box& box,
                      std::uint8_t types)
{
    if (!halos.linking_length || box.periodic() || halos.mean_separation) return {};
    halos.mean_separation = halo::bounding_box_separation(particles.host(), types);
    return "bounding box";
}

struct FoundHalos {
    std::vector<Index> lengths;
    run::HaloCatalogue catalogue;
    run::HaloSearch search;
    std::string separation_of;  ///< "bounding box" where there was nothing better
};

/// Densities from what is known of them; throws for overdensities that need others.
void settle_densities(HaloSettings& settings)
{
    run::HaloContext& context = settings.context;
    if (settings.halos.reference_density)
        context.densities = halo::reference_densities(*settings.halos.reference_density);
    else if (settings.cosmology)
        context.densities = halo::reference_densities(*settings.cosmology, context.gravitational_constant);
    static_cast<void>(run::overdensity_thresholds(settings.halos, context.densities));
}

Particles wrapped_copy(const HostParticles& particles, const Box& box)
{
    Particles host = particles.copy();
    if (box.periodic())
        for (auto* axis : {&host.position.x, &host.position.y, &host.position.z})
            for (double& x : axis->host()) x = box.wrap(x);
    return host;
}

/// The catalogue; take(groups) gets the groups where the particles are.
FoundHalos found_halos(const PlacedParticles& particles, HaloSettings settings,
                       const std::function<void(const halo::GroupsView&)>& take, const Progress& progress)
{
    run::HaloContext& context = settings.context;
    settle_densities(settings);
    FoundHalos found;
    const std::uint8_t types = run::linking_types(settings.halos);
    constexpr std::uint8_t all_types = (1u << n_particle_types) - 1;
    found.separation_of = origin_of(settings.halos, particles, context.box, types);
    const std::size_t n_linking =
        types == all_types ? particles.view.n : halo::number_linking(particles.host(), types);
    found.search = run::plan_halo_search(settings.halos, n_linking, context.box);
    context.linking_length = found.search.fof.linking_length;
    const auto finder = found.search.make_finder();
    run::CatalogueMaker catalogue;
    const halo::GroupsView groups =
        catalogue.find(particles.exec, particles.view, *finder, progress.part(0, 0.4));
    progress.at(0.4, "properties of the halos");
    const run::HaloInput input{particles.exec, particles.view, groups};
    found.catalogue = catalogue.make(input, settings.halos, context, {.order = true}, progress.part(0.4, 1));
    found.lengths = halo::sizes_on_host(particles.exec, groups);
    take(groups);
    return found;
}

/// Groups that are known already: rows from 0, each with members, or -1 for none.
halo::Groups groups_of(const Values<std::int32_t>& labels)
{
    halo::Groups groups;
    groups.label.assign(labels.data(), labels.data() + labels.shape(0));
    for (const std::int32_t label : groups.label) {
        if (label < 0) continue;
        const auto row = static_cast<std::size_t>(label);
        if (row >= groups.size()) groups.n_members.resize(row + 1);
        ++groups.n_members[row];
    }
    return groups;
}

/// A dictionary: labels, lengths, order (particle indices by group and subhalo), the tables, the search.
nb::dict dictionary_of(FoundHalos&& found, nb::object labels)
{
    nb::dict result;
    result["order"] = to_numpy(std::move(found.catalogue.order));
    result["labels"] = std::move(labels);
    result["lengths"] = to_numpy(std::move(found.lengths));
    result["groups"] = columns_of(std::move(found.catalogue.table));
    if (found.catalogue.subhalos)
        result["subhalos"] = columns_of(std::move(*found.catalogue.subhalos));
    else
        result["subhalos"] = nb::none();
    result["linking_length"] = found.search.fof.linking_length;
    result["origin"] = found.search.origin;
    result["separation_of"] = found.separation_of;
    return result;
}

nb::dict find_halos(const HostParticles& particles, const HaloSettings& settings, nb::handle progress)
{
    FoundHalos found;
    std::vector<std::int32_t> labels;
    {
        const Call call(progress);
        const Particles host = wrapped_copy(particles, settings.context.box);
        const PlacedParticles placed{{}, host.view(), [&host]() -> const Particles& { return host; }};
        found = found_halos(
            placed, settings,
            [&](const halo::GroupsView& groups) { labels.assign(groups.label, groups.label + groups.n); },
            call.progress());
    }
    return dictionary_of(std::move(found), to_numpy(std::move(labels)));
}

/// The same on a device, where the labels stay. Particles come to the host where a property needs them there.
nb::dict device_find_halos(DeviceParticles& particles, const HaloSettings& settings, nb::handle progress)
{
    FoundHalos found;
    Buffer<std::int32_t> labels;
    {
        const DeviceCall call(particles.device(), progress);
        particles.complete(call.exec(), settings.context.box);
        std::optional<Particles> host;
        const PlacedParticles placed{call.exec(), particles.view(), [&]() -> const Particles& {
                                         if (!host) host = particles.to_host();
                                         return *host;
                                     }};
        found = found_halos(
            placed, settings,
            [&](const halo::GroupsView& groups) { labels = copied(call.exec(), groups.label, groups.n); },
            call.progress());
        call.finish();
    }
    const std::size_t n = labels.size();
    return dictionary_of(std::move(found), nb::cast(DeviceArray(particles.device(), std::move(labels), {n})));
}

/// A dictionary: order (particle indices by group and subhalo), lengths of the groups, the table of subhalos.
nb::dict dictionary_of(run::HaloCatalogue&& found, std::vector<Index> lengths)
{
    nb::dict result;
    result["order"] = to_numpy(std::move(found.order));
    result["lengths"] = to_numpy(std::move(lengths));
    result["subhalos"] = columns_of(std::move(*found.subhalos));
    return result;
}

halo::Groups named_groups(std::size_t n, const Values<std::int32_t>& labels, HaloSettings& settings)
{
    AUREOLE_EXPECT(labels.shape(0) == n, "labels: found {} entries, expected {}", labels.shape(0), n);
    settings.halos.substructure = true;
    settle_densities(settings);
    return groups_of(labels);
}

nb::dict subhalos(const HostParticles& particles, const Values<std::int32_t>& labels, HaloSettings settings,
                  nb::handle progress)
{
    run::HaloCatalogue found;
    halo::Groups groups;
    {
        const Call call(progress);
        groups = named_groups(particles.size(), labels, settings);
        call.progress().at(0, "subhalos");
        found = run::make_halo_catalogue(wrapped_copy(particles, settings.context.box), groups,
                                         settings.halos, settings.context, {.order = true}, call.progress());
    }
    return dictionary_of(std::move(found), std::move(groups.n_members));
}

/// The same on a device, where the particles stay; the labels are in host memory.
nb::dict device_subhalos(DeviceParticles& particles, const Values<std::int32_t>& labels,
                         HaloSettings settings, nb::handle progress)
{
    run::HaloCatalogue found;
    halo::Groups groups;
    {
        const DeviceCall call(particles.device(), progress);
        groups = named_groups(particles.size(), labels, settings);
        call.progress().at(0, "subhalos");
        particles.complete(call.exec(), settings.context.box);
        const Backend where = call.exec().backend;
        const Buffer<std::int32_t> label(where, std::span<const std::int32_t>(groups.label));
        const Buffer<Index> n_members(where, std::span<const Index>(groups.n_members));
        const halo::GroupsView there{static_cast<Index>(particles.size()), static_cast<Index>(groups.size()),
                                     label.data(), n_members.data(), nullptr};
        found = run::CatalogueMaker().make({call.exec(), particles.view(), there}, settings.halos,
                                           settings.context, {.order = true}, call.progress());
        call.finish();
    }
    return dictionary_of(std::move(found), std::move(groups.n_members));
}

void add_setters(nb::class_<HaloSettings>& settings)
{
    settings.def(nb::init<>())
        .def("set_centre", set_centre, nb::arg("name"))
        .def(
            "set_crossing",
            [](HaloSettings& s, bool innermost) {
                s.halos.overdensity_crossing =
                    innermost ? halo::Crossing::innermost : halo::Crossing::outermost;
            },
            nb::arg("innermost"))
        .def(
            "set_cosmology",
            [](HaloSettings& s, double omega_m, double omega_lambda, double hubble, double a, bool comoving) {
                s.cosmology = {omega_m, omega_lambda, hubble, a, comoving};
            },
            nb::arg("omega_m"), nb::arg("omega_lambda"), nb::arg("hubble"), nb::arg("scale_factor"),
            nb::arg("comoving"));
    settings.def(
        "set_densities",
        [](HaloSettings& s, double critical, double mean, double virial) {
            s.context.densities = {critical, mean, virial};
        },
        nb::arg("critical"), nb::arg("mean"), nb::arg("virial"));
}

void add_properties(nb::class_<HaloSettings>& settings)
{
    const auto halos = [&](const char* name, auto member) {
        settings.def_prop_rw(
            name, [member](const HaloSettings& s) { return s.halos.*member; },
            [member](HaloSettings& s, std::remove_cvref_t<decltype(s.halos.*member)> value) {
                s.halos.*member = std::move(value);
            },
            nb::for_setter(nb::arg("value").none()));
    };
    using H = run::HalosConfig;
    halos("method", &H::method);
    halos("b", &H::linking_length);
    halos("linking_length", &H::absolute_linking_length);
    halos("mean_separation", &H::mean_separation);
    halos("linking_velocity", &H::linking_velocity);
    halos("relative_linking_velocity", &H::relative_linking_velocity);
    halos("min_members", &H::min_members);
    halos("types", &H::types);
    halos("overdensities", &H::overdensities);
    halos("reference_density", &H::reference_density);
    halos("substructure", &H::substructure);
    halos("subhalo_min_members", &H::subhalo_min_members);
    const auto context = [&](const char* name, double run::HaloContext::*member) {
        settings.def_prop_rw(
            name, [member](const HaloSettings& s) { return s.context.*member; },
            [member](HaloSettings& s, double value) { s.context.*member = value; });
    };
    context("G", &run::HaloContext::gravitational_constant);
    context("velocity_factor", &run::HaloContext::velocity_factor);
    context("softening", &run::HaloContext::softening);
    settings.def_prop_rw(
        "box", [](const HaloSettings& s) { return s.context.box.side; },
        [](HaloSettings& s, double side) { s.context.box = {side}; });
}

}  // namespace

void bind_catalogue(nb::module_& module)
{
    nb::class_<HaloSettings> settings(module, "HaloSettings", "What find_halos is told.");
    add_setters(settings);
    add_properties(settings);
    module.def("find_halos", find_halos, nb::arg("particles"), nb::arg("settings"),
               nb::arg("progress").none());
    module.def("find_halos", device_find_halos, nb::arg("particles"), nb::arg("settings"),
               nb::arg("progress").none());
    const auto define_subhalos = [&](auto function) {
        module.def("subhalos", function, nb::arg("particles"), nb::arg("labels"), nb::arg("settings"),
                   nb::arg("progress").none());
    };
    define_subhalos(subhalos);
    define_subhalos(device_subhalos);
}

}  // namespace aureole::python

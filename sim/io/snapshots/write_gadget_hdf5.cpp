// HDF5 in Gadget's layout. docs/file_formats.md lists names, shapes and attributes, and which reader needs
// each.
#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/io/snapshots/hdf5_particles.hpp"

namespace aureole::io {

namespace {

void write_header(const Hdf5Particles& w)
{
    std::array<std::uint32_t, n_particle_types> counts{}, here{}, high_word{};
    std::ranges::transform(w.counts, counts.begin(), [](auto n) { return static_cast<std::uint32_t>(n); });
    std::ranges::transform(w.counts, high_word.begin(),
                           [](auto n) { return static_cast<std::uint32_t>(n >> 32); });
    std::ranges::transform(w.counts, here.begin(), [&](auto n) { return w.content.part.rows(n).size(); });
    Hdf5File& file = w.file;
    const std::string group = "/Header";
    file.create_group(group);
    file.write_attribute(group, "NumPart_ThisFile", here);
    file.write_attribute(group, "NumPart_Total", counts);
    file.write_attribute(group, "NumPart_Total_HighWord", high_word);
    file.write_attribute(group, "MassTable", mass_table(w));
    file.write_attribute(group, "Time", w.header.time);
    file.write_attribute(group, "Redshift", w.header.redshift);
    file.write_attribute(group, "BoxSize", w.header.box_size);
    file.write_attribute(group, "NumFilesPerSnapshot", static_cast<std::int32_t>(w.content.part.of));
    file.write_attribute(group, "Omega0", w.header.omega0);
    file.write_attribute(group, "OmegaLambda", w.header.omega_lambda);
    file.write_attribute(group, "OmegaBaryon", w.header.omega_baryon);
    file.write_attribute(group, "HubbleParam", w.header.hubble);
    for (const char* flag :
         {"Flag_Sfr", "Flag_Cooling", "Flag_StellarAge", "Flag_Metals", "Flag_Feedback", "Flag_Entropy_ICs"})
        file.write_attribute(group, flag, std::int32_t{0});
    file.write_attribute(group, "Flag_DoublePrecision", std::int32_t{1});
}

}  // namespace

void write_snapshot(const std::filesystem::path& file, ConstParticlesView host,
                    const SnapshotContent& content)
{
    write_snapshot_in_order(file, host, {}, content);
}

void write_snapshot_in_order(const std::filesystem::path& file, ConstParticlesView host,
                             std::span<const Index> order, const SnapshotContent& content)
{
    expect_complete(file, host, content);
    AUREOLE_EXPECT(order.empty() || order.size() == host.n, "{}: an order of {} for {} particles",
                   file.string(), order.size(), host.n);
    write_hdf5(file, [&](Hdf5File& out) { write_gadget_file(out, host, order, content); });
}

void write_gadget_file(Hdf5File& out, ConstParticlesView host, std::span<const Index> order,
                       const SnapshotContent& content, const SharedFile* shared)
{
    Hdf5Particles w{
        out,   host, content, completed(content.header), shared ? shared->counts : count_by_type(host),
        order, {},   shared};
    if (shared && shared->put) return write_particle_types(w);
    if (content.compress) out.compress();
    w.describe = [&](const std::string& dataset, const char* description, const Dimension& dimension,
                     CosmologicalExponents exponents) {
        describe(out, dataset, description, dimension, exponents, *w.header.units);
    };
    write_header(w);
    write_units(out, *w.header.units);
    write_parameters(out, w.header);
    write_softening(w);
    write_provenance(out, content.provenance, content.scales);
    write_particle_types(w);
}

}  // namespace aureole::io

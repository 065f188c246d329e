#include "sim/io/halos/link_file.hpp"

#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/io/halos/table_columns.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"
#include "sim/io/snapshots/gadget_metadata.hpp"

namespace aureole::io {
namespace {

template <class T>
const std::vector<T>& column_of(const LinkFile& links, const std::string& name)
{
    const Column* const column = links.halos.find(name);
    if (!column || !std::holds_alternative<std::vector<T>>(column->values) || column->width != 1)
        throw IoError(fmt::format("{}: /Subhalo/{} is absent or of another kind, expected a column of {}",
                                  links.file.string(), name,
                                  std::is_integral_v<T> ? "integers" : "real numbers"));
    return std::get<std::vector<T>>(column->values);
}

}  // namespace

void write_link_file(const std::filesystem::path& file, const Table& halos, const Attributes& attributes,
                     const CatalogueContent& content)
{
    SnapshotHeader header = completed(content.header);
    header.velocity_a_exponent = 0;  // velocities of catalogues are peculiar
    write_hdf5(file, Sync::yes, [&](Hdf5File& out) {
        out.create_group("/Header");
        for (const char* where : {"ThisFile", "Total"})
            out.write_attribute("/Header", fmt::format("Nsubhalos_{}", where),
                                static_cast<std::int64_t>(halos.rows));
        out.write_attribute("/Header", "NumFiles", std::int32_t{1});
        out.write_attribute("/Header", "Time", header.time);
        out.write_attribute("/Header", "Redshift", header.redshift);
        out.write_attribute("/Header", "BoxSize", header.box_size);
        out.write_attributes("/Header", attributes);
        write_units(out, *header.units);
        write_parameters(out, header);
        write_provenance(out, content.provenance, content.scales);
        out.create_group("/Subhalo");
        if (halos.rows > 0) write_columns(out, "/Subhalo", halos, content.scales, header);
    });
}

const std::vector<std::int64_t>& LinkFile::integers(const std::string& column) const
{
    static const std::vector<std::int64_t> none;
    return halos.rows == 0 ? none : column_of<std::int64_t>(*this, column);
}

const std::vector<double>& LinkFile::numbers(const std::string& column) const
{
    static const std::vector<double> none;
    return halos.rows == 0 ? none : column_of<double>(*this, column);
}

LinkFile read_link_file(const std::filesystem::path& name)
{
    const Hdf5File file = Hdf5File::open(name);
    if (!file.has_group("/Subhalo") || !file.has_attribute("/Header", "SnapNum"))
        throw IoError(
            fmt::format("{}: holds no links of halos (no /Subhalo or no SnapNum in /Header)", file.name()));
    LinkFile links;
    links.file = name;
    links.header = read_gadget_metadata(file).header;
    links.number = static_cast<std::int64_t>(file.number("/Header", "SnapNum"));
    if (file.has_attribute("/Header", "PreviousSnapNum"))
        links.previous = static_cast<std::int64_t>(file.number("/Header", "PreviousSnapNum"));
    bool dimensions_known = true;
    links.halos = read_table(file, "/Subhalo", "Nsubhalos_ThisFile", dimensions_known);
    return links;
}

std::vector<unsigned> numbers_in(const std::filesystem::path& directory, const NumberedName& names)
{
    std::vector<unsigned> numbers;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed))
        if (const auto number = names.number_in(entry->path().filename().string()))
            numbers.push_back(*number);
    if (failed) throw IoError(fmt::format("{}: cannot be read: {}", directory.string(), failed.message()));
    std::ranges::sort(numbers);
    return numbers;
}

}  // namespace aureole::io

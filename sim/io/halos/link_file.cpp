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

namespace {

using Integers = std::vector<std::int64_t>;

const Integers& integers_of(const Hdf5File& file, const Table& table, const std::string& path)
{
    const Column* const column = table.find(path.substr(path.rfind('/') + 1));
    if (!column || !std::holds_alternative<Integers>(column->values) || column->width != 1)
        throw IoError(fmt::format("{}: {} is absent or of another kind, expected a column of integers",
                                  file.name(), path));
    return std::get<Integers>(column->values);
}

/// Trees follow each other and hold all halos; pointers are places in the tree, or -1.
void expect_whole_trees(const Hdf5File& file, const TreeFile& found)
{
    const Integers &length = integers_of(file, found.trees, "/TreeTable/Length"),
                   &start = integers_of(file, found.trees, "/TreeTable/StartOffset");
    std::int64_t next = 0;
    for (std::size_t k = 0; k < length.size(); next += length[k++])
        if (start[k] != next || length[k] < 0 ||
            length[k] > static_cast<std::int64_t>(found.halos.rows) - next)
            throw IoError(
                fmt::format("{}: tree {} has {} halos from {}, expected them from {} on, of {} in all",
                            file.name(), k, length[k], start[k], next, found.halos.rows));
    if (next != static_cast<std::int64_t>(found.halos.rows))
        throw IoError(fmt::format("{}: trees hold {} halos, expected {}, those of /TreeHalos", file.name(),
                                  next, found.halos.rows));
    if (found.halos.rows == 0) return;
    for (const char* name :
         {"TreeDescendant", "TreeMainProgenitor", "TreeFirstProgenitor", "TreeNextProgenitor"}) {
        const Integers& pointer = integers_of(file, found.halos, std::string("/TreeHalos/") + name);
        for (std::size_t k = 0; k < length.size(); ++k)
            for (std::int64_t row = start[k]; row < start[k] + length[k]; ++row)
                if (const std::int64_t to = pointer[static_cast<std::size_t>(row)];
                    to < -1 || to >= length[k])
                    throw IoError(
                        fmt::format("{}: /TreeHalos/{} of row {} is {}, expected -1 or less than {}, the "
                                    "halos of its tree",
                                    file.name(), name, row, to, length[k]));
    }
}

}  // namespace

TreeFile read_tree_file(const std::filesystem::path& name)
{
    const Hdf5File file = Hdf5File::open(name);
    if (!file.has_group("/TreeTable") || !file.has_group("/TreeHalos"))
        throw IoError(
            fmt::format("{}: holds no trees of halos (no /TreeTable or no /TreeHalos)", file.name()));
    if (const double n = file.number("/Header", "NumFiles"); n != 1)
        throw IoError(fmt::format("{}: one of {} files, expected trees in one", file.name(), n));
    TreeFile found;
    found.trees = read_table(file, "/TreeTable");
    found.times = read_table(file, "/TreeTimes");
    found.halos = read_table(file, "/TreeHalos");
    found.tracks = read_table(file, "/Tracks");
    expect_whole_trees(file, found);
    return found;
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

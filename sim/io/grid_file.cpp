#include "sim/io/grid_file.hpp"

#include "sim/io/atomic_file.hpp"

namespace aureole::io {
namespace {

/// Slab by slab of x.
template <Hdf5Number T>
void write_field(Hdf5File& out, const GridContent& content, const GridField& field)
{
    const bool vector = field.kind == GridField::Kind::vector;
    std::vector<std::uint64_t> extent(content.cells.begin(), content.cells.end());
    if (vector) extent.push_back(3);
    Hdf5Dataset set = out.create_array("/" + field.name, number_type<T>(), extent);
    const std::uint64_t per_slab = content.cells[1] * content.cells[2], width = vector ? 3 : 1;
    std::vector<T> slab(per_slab * width);
    std::array<double, 3> value{};
    for (std::uint64_t i = 0; i < content.cells[0]; ++i) {
        for (std::uint64_t k = 0; k < per_slab; ++k) {
            field.fill(i * per_slab + k, value.data());
            for (std::uint64_t c = 0; c < width; ++c) slab[k * width + c] = static_cast<T>(value[c]);
        }
        set.write_rows(i, std::span<const T>(slab));
    }
}

}  // namespace

void write_grid(const std::filesystem::path& file, const GridContent& content)
{
    AtomicFile target(file);
    Hdf5File out = Hdf5File::create(target.temporary(), file);
    std::array<std::int64_t, 3> cells{};
    std::array<double, 3> size{};
    for (std::size_t a = 0; a < 3; ++a) {
        cells[a] = static_cast<std::int64_t>(content.cells[a]);
        size[a] = (content.high[a] - content.low[a]) / static_cast<double>(cells[a]);
    }
    out.write_attribute("/", "Cells", cells);
    out.write_attribute("/", "RegionLow", content.low);
    out.write_attribute("/", "RegionHigh", content.high);
    out.write_attribute("/", "CellSize", size);
    out.write_attributes("/", content.settings);
    for (const GridField& field : content.fields)
        if (field.kind == GridField::Kind::count)
            write_field<std::uint32_t>(out, content, field);
        else
            write_field<double>(out, content, field);
    out.close();
    target.commit();
}

}  // namespace aureole::io

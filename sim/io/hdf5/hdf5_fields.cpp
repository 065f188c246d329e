#include "sim/io/hdf5/hdf5_fields.hpp"

#include "sim/core/error.hpp"

namespace aureole::io {

void read_ids(const Hdf5Dataset& dataset, std::span<std::uint64_t> ids)
{
    if (dataset.rows() != ids.size() || dataset.width() != 1)
        throw IoError(fmt::format("{} is [{}, {}], expected {} ids", dataset.label(), dataset.rows(),
                                  dataset.width(), ids.size()));
    const NumberLayout layout = dataset.layout();
    if (!layout.has_sign) {
        dataset.read_rows(0, ids);
        return;
    }
    const std::uint64_t mask = layout.bytes <= 4 ? 0xffffffffu : ~std::uint64_t{0};
    for_each_row<std::int64_t>(dataset, [&](std::size_t row, const std::int64_t* id) {
        ids[row] = static_cast<std::uint64_t>(*id) & mask;
    });
}

}  // namespace aureole::io

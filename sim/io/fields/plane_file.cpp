#include "sim/io/fields/plane_file.hpp"

#include <iterator>
#include <ostream>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"

namespace aureole::io {
namespace {

void write_rows(std::ostream& out, std::span<const double> values, std::uint64_t width)
{
    for (std::size_t row = 0; row < values.size(); row += width) {
        std::string line;
        for (std::size_t k = 0; k < width; ++k)
            fmt::format_to(std::back_inserter(line), "{}{}", k > 0 ? "," : "", values[row + k]);
        out << line << '\n';
    }
}

}  // namespace

void write_plane(const std::filesystem::path& file, std::span<const double> values, std::uint64_t width,
                 const Attributes& attributes, const Provenance& provenance)
{
    AUREOLE_EXPECT(width > 0 && values.size() % width == 0, "{} values in rows of {}, expected whole rows",
                   values.size(), width);
    if (file.extension() == ".csv") {
        AtomicFile target(file);
        target.write([&](std::ostream& out) { write_rows(out, values, width); });
        write_metadata(file, provenance);
        target.commit();
        return;
    }
    write_hdf5(file, [&](Hdf5File& out) {
        out.write_attributes("/", attributes);
        write_provenance(out, provenance);
        out.create_dataset("/Image", NumberType::f64, values.size() / width, width).write_rows(0, values);
    });
}

}  // namespace aureole::io

#include "sim/io/fields/plane_file.hpp"

#include <fstream>
#include <iterator>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/disk_room.hpp"

namespace aureole::io {
namespace {

void write_csv(const std::filesystem::path& file, const AtomicFile& target, std::span<const double> values,
               std::uint64_t width)
{
    std::ofstream stream(target.temporary());
    for (std::size_t row = 0; row < values.size(); row += width) {
        std::string line;
        for (std::size_t k = 0; k < width; ++k)
            fmt::format_to(std::back_inserter(line), "{}{}", k > 0 ? "," : "", values[row + k]);
        stream << line << '\n';
    }
    stream.close();
    if (!stream)
        throw IoError(
            fmt::format("{}: cannot be written: {}", file.string(), write_failure(target.temporary())));
}

}  // namespace

void write_plane(const std::filesystem::path& file, std::span<const double> values, std::uint64_t width,
                 const Attributes& attributes, const Provenance& provenance)
{
    AUREOLE_EXPECT(width > 0 && values.size() % width == 0, "{} values in rows of {}", values.size(), width);
    AtomicFile target(file);
    if (file.extension() == ".csv") {
        write_csv(file, target, values, width);
        write_metadata(file, provenance);
    } else {
        Hdf5File out = Hdf5File::create(target.temporary(), file);
        out.write_attributes("/", attributes);
        write_provenance(out, provenance);
        out.create_dataset("/Image", NumberType::f64, values.size() / width, width).write_rows(0, values);
        out.close();
    }
    target.commit();
}

}  // namespace aureole::io

#include "sim/io/field_file.hpp"

#include <iterator>

#include "sim/core/error.hpp"
#include "sim/io/disk_room.hpp"

namespace aureole::io {

FieldWriter::FieldWriter(const std::filesystem::path& file, std::uint64_t n_points,
                         const Attributes& attributes)
    : target_(file), csv_(file.extension() == ".csv"), n_points_(n_points)
{
    if (csv_) {
        text_.open(target_.temporary());
        text_ << "x,y,z,density,potential,ax,ay,az\n";
        return;
    }
    hdf5_ = Hdf5File::create(target_.temporary(), file);
    hdf5_.write_attributes("/", attributes);
    for (const auto& [path, width] :
         {std::pair("/Coordinates", 3u), {"/Density", 0u}, {"/Potential", 0u}, {"/Accelerations", 3u}})
        sets_.push_back(hdf5_.create_dataset(path, NumberType::f64, n_points, width));
}

void FieldWriter::write(std::span<const FieldValue> next)
{
    if (csv_) {
        std::string lines;
        for (const auto& [x, density, potential, a] : next)
            fmt::format_to(std::back_inserter(lines), "{},{},{},{},{},{},{},{}\n", x.x, x.y, x.z, density,
                           potential, a.x, a.y, a.z);
        text_ << lines;
    } else {
        std::vector<double> block;
        const auto store = [&](Hdf5Dataset& set, auto append) {
            block.clear();
            for (const FieldValue& value : next) append(value);
            set.write_rows(n_written_, std::span<const double>(block));
        };
        const auto vector = [&](Vec3 v) { block.insert(block.end(), {v.x, v.y, v.z}); };
        store(sets_[0], [&](const FieldValue& value) { vector(value.position); });
        store(sets_[1], [&](const FieldValue& value) { block.push_back(value.density); });
        store(sets_[2], [&](const FieldValue& value) { block.push_back(value.potential); });
        store(sets_[3], [&](const FieldValue& value) { vector(value.acceleration); });
    }
    n_written_ += next.size();
}

void FieldWriter::commit()
{
    AUREOLE_EXPECT(n_written_ == n_points_, "{} points written, expected {}", n_written_, n_points_);
    if (csv_) {
        text_.close();
        if (!text_)
            throw IoError(fmt::format("{}: cannot be written: {}", target_.target().string(),
                                      write_failure(target_.temporary())));
    } else {
        sets_.clear();
        hdf5_.close();
    }
    target_.commit();
}

}  // namespace aureole::io

// Reads any field of a grid or octree file of `aureole density` as one number a cell, with its unit.
#pragma once

#include <filesystem>
#include <variant>

#include "density/rendering/cell_field.hpp"
#include "sim/config/quantity.hpp"
#include "sim/io/fields/grid_file.hpp"
#include "sim/io/fields/octree_file.hpp"

namespace aureole::run {

class FieldFile {
public:
    /// Throws IoError when `aureole density` did not write the file or its cells do not fit together.
    explicit FieldFile(const std::filesystem::path& file);

    Vec3 low() const { return patches_[0].low; }  ///< lower corner of the space that the cells fill
    Vec3 high() const { return patches_[0].high; }
    std::size_t n_patches() const { return patches_.size(); }  ///< 1 for a grid

    density::CellField shape() const { return {cells_, patches_, {}}; }  ///< a field without its values

    bool has(const std::string& field) const;

    /// Throws ConfigError, which lists the fields of the file, unless read() can read this one.
    void expect_field(const std::string& field) const;

    /// "Density", "Velocity:x" for a component, "Velocity" for the length of a vector. Throws ConfigError
    /// listing the fields there are, and IoError for damage.
    density::CellField read(const std::string& field) const;

    /// The units of a field, of lengths and of a density integrated over a length; "" where the file has
    /// none.
    std::string unit_of(const std::string& field) const;
    std::string length_unit() const;
    std::string surface_density_unit() const;

    /// "t = 1.2 Gyr", "redshift 0.5", or nothing.
    std::string time_text() const;

private:
    void take_grid(const io::GridLayout& grid);
    void take_octree(const io::StoredOctree& octree);

    io::Hdf5File file_;
    RunUnits units_;
    std::variant<io::GridLayout, io::StoredOctree> layout_;
    std::vector<std::string> fields_;
    std::array<Index, 3> cells_{};
    std::vector<density::FieldPatch> patches_;
};

}  // namespace aureole::run

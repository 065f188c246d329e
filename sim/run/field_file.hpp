// A file of `aureole density` as pictures want it: any of its fields as one number a cell, with its unit.
#pragma once

#include <filesystem>

#include "density/rendering/cell_field.hpp"
#include "sim/io/grid_file.hpp"
#include "sim/run/quantity.hpp"

namespace aureole::run {

class FieldFile {
public:
    /// Throws IoError when the file is none of `aureole density`.
    explicit FieldFile(const std::filesystem::path& file);

    Vec3 low() const { return {layout_.low[0], layout_.low[1], layout_.low[2]}; }
    Vec3 high() const { return {layout_.high[0], layout_.high[1], layout_.high[2]}; }

    bool has(const std::string& field) const;

    /// "Density", "Velocity:x" for a component, "Velocity" for the length of a vector. Throws ConfigError
    /// listing the fields there are, and IoError for damage.
    density::CellField read(const std::string& field) const;

    /// "" where the file does not say. Of the field, of lengths, and of a density integrated over a length.
    std::string unit_of(const std::string& field) const;
    std::string length_unit() const;
    std::string surface_density_unit() const;

    /// "t = 1.2 Gyr", "redshift 0.5", or nothing.
    std::string time_text() const;

private:
    io::Hdf5File file_;
    io::GridLayout layout_;
    RunUnits units_;
};

}  // namespace aureole::run

// Gadget-like HDF5 as other codes write it, made attribute by attribute.
#pragma once

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/io/hdf5/hdf5_file.hpp"

namespace aureole::test {

using Counts = std::array<std::uint32_t, 6>;

/// A file with a Gadget /Header and nothing else.
inline io::Hdf5File gadget_file(const std::filesystem::path& name, const Counts& here, const Counts& total,
                                std::int32_t n_files = 1, const std::array<double, 6>& mass_table = {},
                                double box_size = 0)
{
    io::Hdf5File file = io::Hdf5File::create(name);
    file.create_group("/Header");
    file.write_attribute("/Header", "NumPart_ThisFile", here);
    file.write_attribute("/Header", "NumPart_Total", total);
    file.write_attribute("/Header", "NumPart_Total_HighWord", Counts{});
    file.write_attribute("/Header", "MassTable", mass_table);
    file.write_attribute("/Header", "NumFilesPerSnapshot", n_files);
    file.write_attribute("/Header", "BoxSize", box_size);
    return file;
}

template <class T>
void add_vectors(io::Hdf5File& file, const std::string& path, std::vector<T> values)
{
    file.create_dataset(path, io::number_type<T>(), values.size() / 3, 3)
        .write_rows(0, std::span<const T>(values));
}

template <class T>
void add_column(io::Hdf5File& file, const std::string& path, std::vector<T> values)
{
    file.write_dataset(path, std::span<const T>(values));
}

/// Coordinates (first, first+1, ...), velocities and, when ids are given, ids and nothing else.
template <class Real, class Id>
void add_type(io::Hdf5File& file, int type, Real first, const std::vector<Id>& ids)
{
    const std::string group = fmt::format("/PartType{}", type);
    file.create_group(group);
    std::vector<Real> x(ids.size() * 3), v(ids.size() * 3);
    for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = first + static_cast<Real>(k);
        v[k] = -x[k];
    }
    add_vectors(file, group + "/Coordinates", x);
    add_vectors(file, group + "/Velocities", v);
    add_column(file, group + "/ParticleIDs", ids);
}

using Ids = std::vector<std::uint32_t>;

}  // namespace aureole::test

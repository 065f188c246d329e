// Datasets without bytes of their own: other names and shapes of numbers that the file has.
#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_library.hpp"

namespace aureole::io {

using hdf5::checked;
using hdf5::owned;

void Hdf5File::create_virtual(const std::string& path, std::span<const std::uint64_t> extent,
                              const std::string& source, std::uint64_t first)
{
    const std::string what = label(path);
    const Hdf5Handle from =
        owned(H5Dopen2(handle_.id(), source.c_str(), H5P_DEFAULT), H5Dclose, what, "has no source");
    const Hdf5Handle type = owned(H5Dget_type(from.id()), H5Tclose, what, "has no source of a readable type");
    const Hdf5Handle rows = owned(H5Dget_space(from.id()), H5Sclose, what, "has no source of a shape");
    std::vector<hsize_t> size(static_cast<std::size_t>(H5Sget_simple_extent_ndims(rows.id())));
    checked(H5Sget_simple_extent_dims(rows.id(), size.data(), nullptr), what, "has no source of a shape");
    std::uint64_t wanted = 1, row = 1;
    for (const std::uint64_t n : extent) wanted *= n;
    for (std::size_t d = 1; d < size.size(); ++d) row *= size[d];
    AUREOLE_EXPECT(row > 0 && wanted % row == 0 && first + wanted / row <= size[0],
                   "{}: {} numbers from row {} of [{}, {}]", what, wanted, first, size[0], row);
    std::vector<hsize_t> start(size.size(), 0), count = size;
    start[0] = first;
    count[0] = wanted / row;
    checked(H5Sselect_hyperslab(rows.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
            what, "cannot be selected");
    const std::vector<hsize_t> shape(extent.begin(), extent.end());
    const Hdf5Handle space = owned(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                                   H5Sclose, what, "cannot be created");
    // the first version that knows them; all else stays what every library of 1.8 reads
    checked(H5Fset_libver_bounds(handle_.id(), H5F_LIBVER_V18, H5F_LIBVER_V110), what, "cannot be created");
    const Hdf5Handle properties = hdf5::creation_properties(H5P_DATASET_CREATE, what);
    checked(H5Pset_virtual(properties.id(), space.id(), ".", source.c_str(), rows.id()), what,
            "cannot be created");
    owned(H5Dcreate2(handle_.id(), path.c_str(), type.id(), space.id(), H5P_DEFAULT, properties.id(),
                     H5P_DEFAULT),
          H5Dclose, what, "cannot be created");
}

}  // namespace aureole::io

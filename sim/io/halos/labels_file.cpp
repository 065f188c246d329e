#include "sim/io/halos/labels_file.hpp"

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"

namespace aureole::io {

void write_labels(const std::filesystem::path& file, std::span<const std::uint64_t> ids,
                  std::span<const std::int32_t> group, const Attributes& settings,
                  const Provenance& provenance)
{
    AUREOLE_EXPECT(ids.size() == group.size(), "{}: {} ids, {} group numbers", file.string(), ids.size(),
                   group.size());
    AtomicFile target(file);
    Hdf5File out = Hdf5File::create(target.temporary(), file);
    out.write_dataset("/ParticleIDs", ids);
    write_field<std::int64_t>(out, "/GroupIDs", ids.size(), 0,
                              [group](std::size_t row, std::int64_t* to) { *to = group[row]; });
    out.write_attributes("/", settings);
    write_provenance(out, provenance);
    out.close();
    target.commit();
}

}  // namespace aureole::io

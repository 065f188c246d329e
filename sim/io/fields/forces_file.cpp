#include "sim/io/fields/forces_file.hpp"

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"

namespace aureole::io {

void write_forces(const std::filesystem::path& file, ConstParticlesView host, const ForcesContent& content)
{
    AUREOLE_EXPECT(!host.acceleration.absent() && host.potential,
                   "{}: the particles have no accelerations or no potentials, expected both", file.string());
    write_hdf5(file, [&](Hdf5File& out) {
        write_field<double>(out, "/Accelerations", host.n, 3, [&](std::size_t row, double* to) {
            const Vec3 a = host.acceleration.load(static_cast<Index>(row));
            to[0] = content.acceleration_scale * a.x;
            to[1] = content.acceleration_scale * a.y;
            to[2] = content.acceleration_scale * a.z;
        });
        write_field<double>(out, "/Potentials", host.n, 0, [&](std::size_t row, double* to) {
            *to = content.potential_scale * host.potential[row];
        });
        write_field<std::uint64_t>(out, "/ParticleIDs", host.n, 0, [&](std::size_t row, std::uint64_t* to) {
            *to = host.id_of(static_cast<Index>(row));
        });
        out.write_attribute("/", "G", content.gravitational_constant);
        out.write_attributes("/", content.settings);
        write_provenance(out, content.provenance);
    });
}

}  // namespace aureole::io

#include "sim/io/fields/forces_file.hpp"

#include "sim/io/atomic_file.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"

namespace aureole::io {

void write_forces(const std::filesystem::path& file, const Particles& host, const ForcesContent& content)
{
    AtomicFile target(file);
    Hdf5File out = Hdf5File::create(target.temporary(), file);
    const auto x = host.acceleration.x.host(), y = host.acceleration.y.host(), z = host.acceleration.z.host();
    write_field<double>(out, "/Accelerations", host.size(), 3,
                        [=, scale = content.acceleration_scale](std::size_t row, double* to) {
                            to[0] = scale * x[row];
                            to[1] = scale * y[row];
                            to[2] = scale * z[row];
                        });
    const auto potential = host.potential.host();
    write_field<double>(out, "/Potentials", host.size(), 0,
                        [potential, scale = content.potential_scale](std::size_t row, double* to) {
                            *to = scale * potential[row];
                        });
    out.write_dataset("/ParticleIDs", host.id.host());
    out.write_attribute("/", "G", content.gravitational_constant);
    out.write_attributes("/", content.settings);
    write_provenance(out, content.provenance);
    out.close();
    target.commit();
}

}  // namespace aureole::io

#include <fmt/format.h>

#include <iterator>
#include <ostream>

#include "sim/io/atomic_file.hpp"
#include "sim/io/snapshots/text_table.hpp"
#include "sim/io/snapshots/text_table_header.hpp"

namespace aureole::io {

void write_text_table(const std::filesystem::path& file, ConstParticlesView host,
                      const SnapshotContent& content)
{
    const UnitScales& scales = content.scales;
    TextTableHeader header{content.header, content.softening, count_by_type(host)};
    for (double& length : header.softening) length *= scales.length;
    header.header.nbody_scales.reset();
    for (const auto& [name, value] : content.provenance)
        if (name == "Units" && value == nbody_units_text) header.header.nbody_scales = scales;
    AtomicFile target(file);
    target.write([&](std::ostream& stream) {
        stream << text_table_signature << '\n'
               << to_comments(content.provenance) << header.text() << "id m x y z vx vy vz\n";
        std::string line;
        for (const Index i : sorted_by_type(host)) {
            const Vec3 x = scales.length * host.position.load(i);
            const Vec3 v = host.velocity.absent() ? Vec3{} : scales.velocity * host.velocity.load(i);
            line.clear();
            fmt::format_to(std::back_inserter(line), "{} {} {} {} {} {} {} {}\n", host.id_of(i),
                           scales.mass * host.mass[i], x.x, x.y, x.z, v.x, v.y, v.z);
            stream << line;
        }
    });
    target.commit();
}

}  // namespace aureole::io

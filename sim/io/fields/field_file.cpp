#include "sim/io/fields/field_file.hpp"

namespace aureole::io {

FieldWriter::FieldWriter(const std::filesystem::path& file, std::uint64_t n_points,
                         const Attributes& attributes, Provenance provenance)
    : table_(file, n_points,
             {{"/Coordinates", {"x", "y", "z"}},
              {"/Density", {"density"}},
              {"/Potential", {"potential"}},
              {"/Accelerations", {"ax", "ay", "az"}}},
             attributes, std::move(provenance))
{
}

void FieldWriter::write(std::span<const FieldValue> next)
{
    std::vector<double> rows;
    rows.reserve(8 * next.size());
    for (const auto& [x, density, potential, a] : next)
        rows.insert(rows.end(), {x.x, x.y, x.z, density, potential, a.x, a.y, a.z});
    table_.write(rows);
}

}  // namespace aureole::io

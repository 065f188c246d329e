#include "sim/io/halos/catalogue_file.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"

namespace aureole::io {
namespace {

/// Half the side of the domain when there is neither a box nor a group.
constexpr double some_reach_cm = 1000 * kpc_cm;

/// Writes columns of one catalogue, converted to physical cgs.
class YtWriter {
public:
    YtWriter(Hdf5File& out, const Table& groups, const CatalogueContent& content)
        : out_(out),
          groups_(groups),
          scales_(content.scales),
          header_(completed(content.header)),
          provenance_(content.provenance)
    {
        header_.velocity_a_exponent = 0;  // velocities of catalogues are peculiar
    }

    void write()
    {
        write_attributes();
        write_field<std::int64_t>(
            out_, "/particle_identifier", groups_.rows, 0,
            [](std::size_t row, std::int64_t* to) { *to = static_cast<std::int64_t>(row); });
        out_.write_attribute("/particle_identifier", "units", "");
        if (groups_.find("GroupLen")) write_number("particle_count", needed("GroupLen"), 0, "");
        write_number("particle_mass", needed("GroupMass"), 0, "g");
        constexpr const char* axes[] = {"x", "y", "z"};
        for (std::size_t k = 0; k < 3; ++k) {
            write_number(fmt::format("particle_position_{}", axes[k]), needed("GroupPos"), k, "cm");
            write_number(fmt::format("particle_velocity_{}", axes[k]), needed("GroupVel"), k, "cm/s");
        }
        if (const Column* radius = virial_radius()) write_number("virial_radius", *radius, 0, "cm");
    }

private:
    const Column& needed(const char* name) const
    {
        const Column* column = groups_.find(name);
        AUREOLE_EXPECT(column, "a catalogue for yt needs the column {}", name);
        return *column;
    }

    const Column* virial_radius() const
    {
        for (const char* name : {"Group_R_TopHat200", "Group_R_Crit200", "GroupRadius"}) {
            const Column* column = groups_.find(name);
            if (!column) continue;
            const auto& values = std::get<std::vector<double>>(column->values);
            if (std::ranges::none_of(values, [](double x) { return std::isnan(x); })) return column;
        }
        return nullptr;
    }

    /// cgs value of one number of the table.
    double to_cgs(const Dimension& dimension) const
    {
        const CosmologicalExponents powers = exponents_of(dimension, header_);
        return scale_of(dimension, scales_) * cgs_factor(dimension, *header_.units) *
               std::pow(1 + header_.redshift, -powers.a) * std::pow(header_.hubble, powers.h);
    }

    void write_number(const std::string& name, const Column& column, std::size_t k, const char* unit)
    {
        const double scale = to_cgs(column.dimension);
        std::visit(
            [&]<class T>(const std::vector<T>& values) {
                write_field<T>(out_, "/" + name, groups_.rows, 0, [&](std::size_t row, T* to) {
                    *to = static_cast<T>(scale * static_cast<double>(values[row * column.width + k]));
                });
            },
            column.values);
        out_.write_attribute("/" + name, "units", unit);
    }

    /// Edges of the domain in cm: yt compares them with positions as stored, whatever their unit says.
    std::pair<double, double> domain() const
    {
        const double cm = to_cgs({.length = 1});
        if (header_.box_size > 0) return {0.0, header_.box_size * cm / scales_.length};
        double farthest = 0;
        for (const double x : std::get<std::vector<double>>(needed("GroupPos").values))
            farthest = std::max(farthest, std::abs(x));
        const double reach = farthest > 0 ? 2 * farthest * cm : some_reach_cm;
        return {-reach, reach};
    }

    void write_attributes()
    {
        for (const auto& [name, text] : provenance_)
            out_.write_attribute("/", provenance_prefix + name, text);
        const auto [low, high] = domain();
        const bool comoving = header_.comoving;
        out_.write_attribute("/", "data_type", "halo_catalog");
        out_.write_attribute("/", "num_halos", static_cast<std::int64_t>(groups_.rows));
        out_.write_attribute("/", "cosmological_simulation", std::int64_t{comoving});
        out_.write_attribute("/", "current_redshift", header_.redshift);
        out_.write_attribute("/", "hubble_constant", header_.hubble);
        out_.write_attribute("/", "omega_matter", header_.omega0);
        out_.write_attribute("/", "omega_lambda", header_.omega_lambda);
        out_.write_attribute("/", "current_time", time_gyr(header_).value_or(0.0));
        out_.write_attribute("/", "current_time_units", "Gyr");
        for (const auto& [name, edge] : {std::pair{"domain_left_edge", low}, {"domain_right_edge", high}}) {
            out_.write_attribute("/", name, std::array{edge, edge, edge});
            out_.write_attribute("/", fmt::format("{}_units", name), "cm");
        }
    }

    Hdf5File& out_;
    const Table& groups_;
    const UnitScales& scales_;
    SnapshotHeader header_;
    const Provenance& provenance_;
};

}  // namespace

void write_yt_catalogue(const std::filesystem::path& file, const Table& groups,
                        const CatalogueContent& content)
{
    write_hdf5(file, [&](Hdf5File& out) { YtWriter(out, groups, content).write(); });
}

}  // namespace aureole::io

// HDF5 files of every kind that is read, after edits (hdf5_edits.hpp). The first byte of an input chooses the
// file, the others are the program.
#include <fmt/format.h>

#include <memory>

#include "sim/core/error.hpp"
#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/fields/grid_file.hpp"
#include "sim/io/fields/octree_file.hpp"
#include "sim/io/fields/point_table.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/halos/dendrogram_file.hpp"
#include "sim/io/halos/labels_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/pictures/read_field.hpp"
#include "tests/fuzz/coefficient_samples.hpp"
#include "tests/fuzz/hdf5_edits.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/sample_particles.hpp"

/// HDF5 1.10 loses memory when a file closes after errors: not ours to free.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\nleak:libomp\n"; }

namespace aureole::fuzz {
namespace {

using Write = std::function<void(const std::filesystem::path&)>;
using Read = std::function<void(const std::filesystem::path&)>;

struct Kind {
    Write write;  ///< a valid file
    Read read;
};

io::SnapshotContent content()
{
    io::SnapshotContent made;
    made.header.units = galactic_units;
    made.potential = true;
    made.provenance = {{"Version", "0.1"}, {"Seed", "1"}};
    return made;
}

/// With what GADGET-4 and SWIFT call things.
void write_foreign(const std::filesystem::path& name, bool swift)
{
    io::Hdf5File file = io::Hdf5File::create(name);
    file.create_group("/Header");
    file.write_attribute("/Header", "NumPart_ThisFile", std::array<std::int64_t, 2>{0, 2});
    file.write_attribute("/Header", "NumPart_Total", std::array<std::uint32_t, 2>{0, 2});
    file.write_attribute("/Header", "NumPart_Total_HighWord", std::array<std::uint32_t, 2>{0, 0});
    file.write_attribute("/Header", "MassTable", std::array{0.0, 0.5});
    file.write_attribute("/Header", "NumFilesPerSnapshot", std::array<std::int32_t, 1>{1});
    file.write_attribute("/Header", "BoxSize", std::array{4.0, 4.0, 4.0});
    file.write_attribute("/Header", "Time", std::array{0.5});
    file.write_attribute("/Header", "Redshift", 1.0);
    if (swift) {
        file.create_group("/Units");
        for (const char* unit :
             {"Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)"})
            file.write_attribute("/Units", unit, std::array{3e21});
        file.create_group("/Cosmology");
        file.write_attribute("/Cosmology", "Cosmological run", std::array<std::int32_t, 1>{1});
        file.write_attribute("/Cosmology", "Scale-factor", std::array{0.5});
        file.write_attribute("/Cosmology", "h", std::array{0.7});
    } else {
        file.create_group("/Parameters");
        file.write_attribute("/Parameters", "UnitLength_in_cm", 3e21);
        file.write_attribute("/Parameters", "UnitMass_in_g", 2e43);
        file.write_attribute("/Parameters", "UnitVelocity_in_cm_per_s", 1e5);
        file.write_attribute("/Parameters", "HubbleParam", 0.7);
        file.write_attribute("/Parameters", "Omega0", 0.3);
    }
    file.create_group("/PartType1");
    const std::array<double, 6> numbers{1, 2, 3, 4, 5, 6};
    for (const char* field : {"/PartType1/Coordinates", "/PartType1/Velocities"}) {
        file.create_dataset(field, io::NumberType::f64, 2, 3).write_rows<double>(0, numbers);
        file.write_attribute(field, swift ? "h-scale exponent" : "h_scaling", -1.0);
        file.write_attribute(field, swift ? "a-scale exponent" : "a_scaling", 0.5);
    }
    file.write_dataset<std::uint32_t>("/PartType1/ParticleIDs", std::array<std::uint32_t, 2>{7, 3});
    file.close();
}

void read_snapshot(const std::filesystem::path& file)
{
    expect_sound(io::read_snapshot(file));
    static_cast<void>(io::read_provenance(file));
}

const std::vector<Kind>& snapshots()
{
    static const std::vector<Kind> kinds{
        {[](const auto& file) { io::write_snapshot(file, test::sample_particles(5), content()); },
         read_snapshot},
        {[](const auto& file) { write_foreign(file, false); }, read_snapshot},
        {[](const auto& file) { write_foreign(file, true); }, read_snapshot},
    };
    return kinds;
}

void write_catalogue(const std::filesystem::path& file)
{
    Table groups{3, {}};
    groups.columns.push_back({"GroupLen", "Members.", {}, 1, std::vector<std::int64_t>{3, 2, 1}});
    groups.columns.push_back({"GroupMass", "Mass.", {.mass = 1}, 1, std::vector<double>{3, 2, 1}});
    io::write_catalogue(file, groups, {});
}

void write_points(const std::filesystem::path& name)
{
    io::Hdf5File file = io::Hdf5File::create(name);
    file.create_dataset("/Coordinates", io::NumberType::f64, 2, 3)
        .write_rows<double>(0, std::array<double, 6>{1, 2, 3, 4, 5, 6});
    file.close();
}

/// Against the file before the edits, and against itself.
void compare(const std::filesystem::path& file)
{
    const auto original = put(std::string(input_name) + "_original", "");
    io::write_snapshot(original, test::sample_particles(5), content());
    static_cast<void>(io::exact_differences(file, original));
    static_cast<void>(io::exact_differences(file, file));
}

constexpr std::array<std::uint64_t, 4> ids{5, 3, 9, 1};
constexpr std::array<std::int32_t, 4> groups_of_ids{0, 0, -1, 1};

const std::vector<Kind>& tables()
{
    static const std::vector<Kind> kinds{
        {write_points, [](const auto& file) { static_cast<void>(io::read_points(file)); }},
        {[](const auto& file) { io::write_labels(file, ids, groups_of_ids, {}); },
         [](const auto& file) {
             expect(io::read_memberships(file, ids).size() == ids.size(), "labels of other particles");
         }},
        {write_catalogue,
         [](const auto& file) {
             static_cast<void>(io::is_catalogue(file));
             const io::CatalogueFile read = io::read_catalogue(file);
             for (const Table* table : {&read.groups, &read.subhalos})
                 for (const Column& column : table->columns)
                     std::visit(
                         [&](const auto& values) {
                             expect(values.size() == table->rows * column.width, "a column of another size");
                         },
                         column.values);
         }},
        {[](const auto& file) {
             io::write_dendrogram(file, {{4, 5, 6}, {{0, 1, 0.5, 2, {4, 5}}, {2, 3, 1, 3, {5, 6}}}, {}});
         },
         [](const auto& file) { static_cast<void>(io::read_dendrogram(file)); }},
        {[](const auto& file) { io::write_snapshot(file, test::sample_particles(5), content()); }, compare},
    };
    return kinds;
}

const std::vector<Kind>& coefficients()
{
    const auto read = [](const std::filesystem::path& file) {
        static_cast<void>(io::is_coefficient_file(file));
        expect_sound(io::read_coefficients(file));
    };
    static const std::vector<Kind> kinds{
        {[](const auto& file) { io::write_coefficients(file, sample_coefficients(1, 2, true)); }, read},
        {[](const auto& file) { io::write_coefficients(file, sample_coefficients(0, 0, false)); }, read},
    };
    return kinds;
}

void write_grid(const std::filesystem::path& file)
{
    using Kind = io::GridField::Kind;
    const auto fill = [](std::uint64_t cell, double* to) { *to = static_cast<double>(cell); };
    const auto fill_vector = [](std::uint64_t cell, double* to) {
        std::fill_n(to, 3, static_cast<double>(cell));
    };
    io::write_grid(file, {.cells = {2, 3, 1},
                          .high = {2, 3, 1},
                          .fields = {{"Density", Kind::number, fill},
                                     {"Velocity", Kind::vector, fill_vector},
                                     {"NumberOfStreams", Kind::count, fill}},
                          .tables = {{"Pairs", 2, {1, 2, 3, 4}}},
                          .settings = {{"Time", 1.0}},
                          .provenance = {{"Version", "0.1"}}});
}

/// A root of 2^3 cells and its children.
void write_octree(const std::filesystem::path& file)
{
    io::OctreeLayout layout{.cells = 2,
                            .size = 4,
                            .level = {0, 1, 1, 1, 1, 1, 1, 1, 1},
                            .place = {{0, 0, 0}},
                            .first_child = {1},
                            .parent = {-1}};
    for (std::uint32_t child = 0; child < 8; ++child) {
        layout.place.push_back({child >> 2, child >> 1 & 1, child & 1});
        layout.first_child.push_back(-1);
        layout.parent.push_back(0);
    }
    io::OctreeFile out(file, layout, {{"Density"}, {"Velocity", 3}});
    for (std::uint64_t node = 0; node < 9; ++node) {
        out.write(0, node, std::vector<double>(8, 1.0));
        out.write(1, node, std::vector<double>(24, 0.5));
    }
    out.commit({{"Time", 1.0}});
}

void read_fields(const std::filesystem::path& name)
{
    const run::FieldFile file(name);
    static_cast<void>(file.length_unit() + file.time_text());
    for (const std::string field : {"Density", "Velocity", "Velocity:y", "NumberOfStreams", "Pairs"}) {
        if (!file.has(field.substr(0, field.find(':')))) continue;
        const density::CellField read = file.read(field);
        expect(read.values.size() == read.patches.size() * read.cells[0] * read.cells[1] * read.cells[2],
               fmt::format("{} values of {}", read.values.size(), field));
    }
}

const std::vector<Kind>& fields()
{
    static const std::vector<Kind> kinds{{write_grid, read_fields}, {write_octree, read_fields}};
    return kinds;
}

std::vector<Hdf5Image> images_of(const std::vector<Kind>& kinds)
{
    std::vector<Hdf5Image> images;
    for (const Kind& kind : kinds) {
        const auto file = scratch(std::string(input_name));
        kind.write(file);
        images.emplace_back(file);
    }
    return images;
}

Target target_of(const std::string& name, const std::vector<Kind>& (*kinds)())
{
    const auto seeds = [kinds] {
        std::vector<std::string> programs;
        for (const char* program : {"", "\x05\x04\x02\x14", "\x01\x01\x03\x08\x01\x05\x02\x01\x02",
                                    "\x03\x05\x01\x01\x02\x04\x04\x07\x01"})
            for (std::size_t k = 0; k < kinds().size(); ++k)
                programs.push_back(std::string(1, static_cast<char>(k)) + program);
        return programs;
    };
    const auto images = std::make_shared<std::vector<Hdf5Image>>();  // made when first needed
    const auto read = [kinds, images](const std::string& input) {
        if (images->empty()) *images = images_of(kinds());
        const std::size_t k = input.empty() ? 0 : static_cast<unsigned char>(input[0]) % images->size();
        clear_scratch();
        const std::string program = input.empty() ? "" : input.substr(1);
        kinds()[k].read((*images)[k].put_edited(std::string(input_name), program));
    };
    return {.name = name,
            .seeds = seeds,
            .read = read,
            .mutations = 400,
            .dictionary = {},
            .valid_seeds = kinds().size()};
}

}  // namespace

Target snapshot_hdf5_target() { return target_of("snapshot_hdf5", snapshots); }
Target tables_hdf5_target() { return target_of("tables_hdf5", tables); }
Target fields_hdf5_target() { return target_of("fields_hdf5", fields); }
Target coefficients_hdf5_target() { return target_of("coefficients_hdf5", coefficients); }

}  // namespace aureole::fuzz

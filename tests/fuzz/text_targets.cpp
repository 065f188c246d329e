// Readers of one text file: particles, points, groups of particles, densities, logs.
#include <fmt/format.h>

#include <cmath>

#include "sim/config/density_file.hpp"
#include "sim/core/error.hpp"
#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/fields/point_table.hpp"
#include "sim/io/halos/labels_file.hpp"
#include "sim/run/diagnostics/csv_file.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/files/byte_writer.hpp"

namespace aureole::fuzz {
namespace {

const std::vector<std::string> numbers{"1e308", "1e-320", "nan", "-inf",  "0x1p9", "18446744073709551616",
                                       "-1",    "+1",     ",",   "1e999", "#",     "\r\n"};

void read_table(const std::string& input)
{
    clear_scratch();
    expect_sound(io::read_snapshot(put(std::string(input_name), input)));
}

void read_points(const std::string& input)
{
    for (const Vec3& point : io::read_points(put(std::string(input_name), input)))
        expect(std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.z),
               "a point that is not finite");
}

/// As many particles as the first byte says.
void read_groups(const std::string& input)
{
    if (input.empty()) return;
    std::vector<std::uint64_t> ids(static_cast<unsigned char>(input[0]) % 16);
    for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = 3 * k;
    const auto rows = io::read_memberships(put(std::string(input_name), input.substr(1)), ids);
    expect(rows.size() == ids.size(), fmt::format("{} rows of {} particles", rows.size(), ids.size()));
    for (const std::int64_t row : rows) expect(row >= -1, fmt::format("row {}", row));
}

std::string binary_groups(std::endian order, std::initializer_list<std::int32_t> numbers_of_groups)
{
    test::ByteWriter file{order, {}};
    for (const std::int32_t number : numbers_of_groups) file.put(number);
    return file.bytes;
}

void read_density(const std::string& input)
{
    const ics::DensityTable table = run::read_density_file(put(std::string(input_name), input));
    expect(table.radius.size() == table.density.size() && table.radius.size() >= 4, "a table of no rows");
    for (std::size_t k = 0; k < table.radius.size(); ++k)
        expect(std::isfinite(table.radius[k]) && table.density[k] > 0 &&
                   (k == 0 || table.radius[k] > table.radius[k - 1]),
               fmt::format("row {}", k));
}

/// Two logs compared, and the first continued as a run that resumes does.
void read_logs(const std::string& input)
{
    const std::vector<std::string> files = split_files(input);
    const auto a = put(std::string(input_name) + "_a.csv", files[0]);
    const auto b = put(std::string(input_name) + "_b.csv", files.back());
    static_cast<void>(io::csv_differences(a, b));
    expect(io::csv_differences(a, a).empty(), "a log that differs from itself");
    const std::uint64_t keep = std::min(files[0].find('\n', files[0].size() / 2), files[0].size() - 1) + 1;
    run::CsvFile(a, {"time", "kinetic"}, keep).add(std::vector<double>{1, 2});
    expect(content_of(a) == files[0].substr(0, keep) + "1,2\n", "a log that was continued in another place");
}

}  // namespace

Target text_table_target()
{
    return {.name = "text_table",
            .seeds =
                [] {
                    return std::vector<std::string>{
                        "1 0.5 1 2 3 4 5 6\n2 0.5 -1 -2 -3 -4 -5 -6\n",
                        "2\n0.25\n# id m x\nid,m,x,y,z,vx,vy,vz\n1,1,1,1,1,1,1,1\n2,1,1,1,1,1,1,2\n",
                        "7\r\n1\r\n0.5\r\n1 1e-3 0 0 0 0 0 +1e3\r\n",
                        "# Aureole particle table\n# units_in_cm_g_cm/s: 3e21 2e43 1e5\n# comoving: yes\n"
                        "# time: 0.5\n# redshift: 1\n# box: 10\n# h: 0.7\n# omega0: 0.3\n# h_exponent: -1\n"
                        "# nbody_scales: 1 1 2 0.5\n# softening: 0 0.1 0 0 0 0\n"
                        "# particles_by_type: 1 1 0 0 0 0\n1 1 1 1 1 1 1 1\n2 1 1 1 1 1 1 2\n"};
                },
            .read = read_table,
            .dictionary = numbers};
}

Target points_target()
{
    return {.name = "points",
            .seeds =
                [] {
                    return std::vector<std::string>{"1 2 3\n4,5,6 # here\n\n7 8 9", "0 0 0\n"};
                },
            .read = read_points,
            .dictionary = numbers};
}

Target groups_target()
{
    return {.name = "groups",
            .seeds =
                [] {
                    return std::vector<std::string>{
                        "\x03"
                        "3\n1 0\n2\n",
                        "\x03"
                        "3\n-1\n0\n1\n",
                        "\x02" + binary_groups(std::endian::big, {2, 1, 0}),
                        "\x02" + binary_groups(std::endian::little, {2, -1, 7})};
                },
            .read = read_groups,
            .dictionary = numbers};
}

Target density_table_target()
{
    return {.name = "density_table",
            .seeds = [] { return std::vector<std::string>{"# r rho\n0.1 9\n0.2, 5\n1 1\n10 1e-3\n"}; },
            .read = read_density,
            .dictionary = numbers};
}

Target csv_target()
{
    return {.name = "csv",
            .seeds =
                [] {
                    return std::vector<std::string>{
                        "time,kinetic\n0,1\n1,2\n0,1\n1,2\n",
                        join_files({"time,kinetic,forces_seconds\n0,1,2\n", "time,kinetic\n0,1\n1,2\n"}),
                        join_files({"time,kinetic\n0,1\n", "time,kinetic\n0,2,3,4\n"})};
                },
            .read = read_logs,
            .dictionary = {"_seconds", "time,kinetic\n", "\n%%%%\n", ",,,,", "nan"},
            .valid_seeds = 1};
}

}  // namespace aureole::fuzz

// Tipsy snapshots with what lies beside them: the .param file and the ids (.iord).
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/files/byte_writer.hpp"

namespace aureole::fuzz {
namespace {

std::string tipsy(std::endian order, bool pad, std::array<std::int32_t, 3> count)
{
    test::ByteWriter file{order, {}};
    file.put(0.5);
    file.put(count[0] + count[1] + count[2]);
    file.put(std::int32_t{3});
    for (const std::int32_t n : count) file.put(n);
    if (pad) file.put(std::int32_t{0});
    constexpr std::array widths{12, 9, 11};
    for (std::size_t kind = 0; kind < 3; ++kind)
        for (std::int32_t k = 0; k < count[kind] * widths[kind]; ++k)
            file.put(0.25f * static_cast<float>(k + 1));
    return file.bytes;
}

std::string binary_ids(std::int32_t n)
{
    test::ByteWriter file{std::endian::big, {}};
    file.put(n);
    for (std::int32_t k = 0; k < n; ++k) file.put(10 * k);
    return file.bytes;
}

std::vector<std::string> seeds()
{
    const std::string comoving =
        "achOutName = fuzz_input # a run\nbComove = 1\nbPeriodic = 1\ndPeriod = 2\ndxPeriod = 2\n"
        "dKpcUnit = 50000\ndMsolUnit = 1e16\ndOmega0 = 0.3\ndLambda = 0.7\ndHubble0 = 2.8944\n";
    const std::string isolated = "dKpcUnit = 1\ndMsolUnit = 2.3e5\nbComove = 0\n";
    return {tipsy(std::endian::big, true, {2, 3, 1}), tipsy(std::endian::little, false, {0, 4, 0}),
            join_files({tipsy(std::endian::big, true, {1, 2, 0}), comoving}),
            join_files({tipsy(std::endian::little, true, {0, 3, 1}), isolated, binary_ids(4)}),
            join_files({tipsy(std::endian::big, false, {0, 3, 0}), comoving, "3\n7\n8\n9\n"})};
}

void read(const std::string& input)
{
    clear_scratch();
    const std::vector<std::string> files = split_files(input);
    const std::string name(input_name);
    if (files.size() > 1) put(name + ".param", files[1]);
    if (files.size() > 2) put(name + ".iord", files[2]);
    expect_sound(io::read_snapshot(put(name, files[0])));
}

}  // namespace

Target tipsy_target()
{
    return {.name = "tipsy",
            .seeds = seeds,
            .read = read,
            .dictionary = {"\n%%%%\n", "achInFile = ", "achOutName = ", "bComove = 1", "bPeriodic = 1",
                           "dPeriod = ", "dxPeriod = ", "dyPeriod = ", "dKpcUnit = ", "dMsolUnit = ",
                           "dOmega0 = ", "dLambda = ", "dHubble0 = ", "1e300", "-1", "nan", "1e-310"}};
}

}  // namespace aureole::fuzz

// Coefficients of expansions as text.
#include "sim/io/fields/coefficient_file.hpp"

#include "tests/fuzz/coefficient_samples.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/targets.hpp"

namespace aureole::fuzz {
namespace {

std::vector<std::string> seeds()
{
    std::vector<std::string> result;
    for (const bool small : {true, false}) {
        const auto file = scratch(std::string(input_name) + ".txt");
        io::write_coefficients(file, sample_coefficients(small ? 0 : 1, small ? 0 : 2, !small));
        result.push_back(content_of(file));
    }
    result.push_back("# basis: clutton-brock\n0 0 0 1 0\n0 1 0 1 0\n0 1 1 1 1\n");
    return result;
}

void read(const std::string& input)
{
    const auto file = put(std::string(input_name), input);
    static_cast<void>(io::is_coefficient_file(file));
    expect_sound(io::read_coefficients(file));
}

}  // namespace

Target coefficients_text_target()
{
    return {.name = "coefficients_text",
            .seeds = seeds,
            .read = read,
            .dictionary = {"# basis: hernquist-ostriker\n", "# basis: clutton-brock\n", "# n_max: 256\n",
                           "# l_max: 256\n", "# scale: ", "# G: ", "# time: ", "# centre: 1 2 3\n",
                           "# units: 1 cm, 1 g, 1 cm/s\n", "# units: nbody\n", "nan", "1e308", "-1",
                           "2147483648"}};
}

}  // namespace aureole::fuzz

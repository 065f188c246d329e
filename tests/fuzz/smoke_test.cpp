// The fuzz targets without a fuzzer: everything in corpus/TARGET (inputs that once found something), the
// seeds, and some thousand mutations of them, the same ones in every run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/fuzz/target.hpp"
#include "tests/support/files/byte_writer.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::fuzz {
namespace {

using Random = std::mt19937_64;

constexpr double most_seconds = 10;  ///< of one input; a thousand times what any takes

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

/// Numbers at which readers go wrong, in 1 to 8 bytes of either byte order.
std::string interesting(Random& random)
{
    constexpr std::array<std::uint64_t, 14> numbers{0,
                                                    1,
                                                    2,
                                                    127,
                                                    128,
                                                    255,
                                                    256,
                                                    0x7fffffff,
                                                    0x80000000,
                                                    0xffffffff,
                                                    0x7ff8ull << 48,
                                                    0xfff0ull << 48,
                                                    ~0ull,
                                                    1ull << 63};
    const std::uint64_t number = numbers[below(random, numbers.size())];
    std::string bytes(reinterpret_cast<const char*>(&number), std::size_t{1} << below(random, 4));
    if (below(random, 2)) std::ranges::reverse(bytes);
    return bytes;
}

void mutate_once(std::string& input, const Target& target, const std::string& other, Random& random)
{
    const std::size_t at = below(random, input.size() + 1), n = below(random, input.size() - at + 1);
    switch (below(random, 8)) {
        case 0:
            if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(random, 8)));
            break;
        case 1:
            if (at < input.size()) input[at] = static_cast<char>(random());
            break;
        case 2: {
            const std::string number = interesting(random);
            input.replace(at, std::min(number.size(), input.size() - at), number);
            break;
        }
        case 3:
            input.erase(at, n);
            break;
        case 4:
            input.insert(at, input.substr(at, std::min<std::size_t>(n, 64)));
            break;
        case 5:
            if (!target.dictionary.empty())
                input.insert(at, target.dictionary[below(random, target.dictionary.size())]);
            break;
        case 6:
            input = input.substr(0, at) + other.substr(below(random, other.size() + 1));
            break;
        default:
            input.insert(at, std::string(below(random, 16), static_cast<char>(random())));
    }
}

/// Fails the test, with the input as text, for anything but reading or refusing.
void expect_survived(const Target& target, const std::string& input, const std::string& what)
{
    const auto start = std::chrono::steady_clock::now();
    try {
        refuses(target, input);
    } catch (const std::exception& error) {
        ADD_FAILURE() << what << ": " << error.what()
                      << "\ninput: " << testing::PrintToString(input.substr(0, 2000));
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), most_seconds) << what;
}

class Fuzz : public testing::TestWithParam<std::size_t> {
protected:
    const Target& target() const { return targets()[GetParam()]; }
};

TEST_P(Fuzz, SeedsAreRead)
{
    const std::vector<std::string> seeds = target().seeds();
    for (std::size_t k = 0; k < seeds.size(); ++k) {
        const bool refused = refuses(target(), seeds[k]);
        EXPECT_FALSE(refused && k < target().valid_seeds) << "seed " << k;
    }
}

TEST_P(Fuzz, KeptInputsAreSurvived)
{
    const auto folder = test::source_folder() / "tests/fuzz/corpus" / target().name;
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no input of " << target().name << " was kept";
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        expect_survived(target(), test::read_bytes(entry.path()), entry.path().filename().string());
}

TEST_P(Fuzz, MutationsAreSurvived)
{
    const std::vector<std::string> seeds = target().seeds();
    Random random(20240607);
    for (int k = 0; k < target().mutations && !HasFailure(); ++k) {
        std::string input = seeds[below(random, seeds.size())];
        const std::string& other = seeds[below(random, seeds.size())];
        for (std::size_t left = 1 + below(random, 6); left > 0; --left)
            mutate_once(input, target(), other, random);
        expect_survived(target(), input, fmt::format("mutation {}", k));
    }
}

std::vector<std::size_t> all()
{
    std::vector<std::size_t> numbers(targets().size());
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k;
    return numbers;
}

INSTANTIATE_TEST_SUITE_P(Readers, Fuzz, testing::ValuesIn(all()),
                         [](const auto& info) { return targets()[info.param].name; });

}  // namespace
}  // namespace aureole::fuzz

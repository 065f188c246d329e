// usage: fuzz_seeds FOLDER: writes FOLDER/TARGET/seed_K and FOLDER/TARGET.dict for every target.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "tests/fuzz/target.hpp"

namespace {

/// A word as libFuzzer's dictionaries spell it.
std::string quoted(const std::string& word)
{
    std::string text = "\"";
    for (const char c : word) {
        const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
        text += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return text + "\"\n";
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        fmt::print(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    for (const aureole::fuzz::Target& target : aureole::fuzz::targets()) {
        std::filesystem::create_directories(folder / target.name);
        const auto seeds = target.seeds();
        for (std::size_t k = 0; k < seeds.size(); ++k)
            std::ofstream(folder / target.name / fmt::format("seed_{}", k), std::ios::binary) << seeds[k];
        std::ofstream dictionary(folder / (target.name + ".dict"));
        for (const std::string& word : target.dictionary) dictionary << quoted(word);
        fmt::print("{}\n", target.name);
    }
    return 0;
}

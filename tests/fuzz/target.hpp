// What a fuzz target is: a reader, valid inputs to begin with, and what "survived" means. The same targets
// run under libFuzzer (libfuzzer_main.cpp) and, with a few thousand fixed mutations, as a unit test
// (smoke_test.cpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace aureole::fuzz {

/// An input is the content of one file, or of several joined by join_files(), or a program of edits
/// (hdf5_edits.hpp).
struct Target {
    std::string name;
    std::function<std::vector<std::string>()> seeds;  ///< small inputs, the valid ones first
    /// Puts the input where the reader finds it and reads it. Throws IoError or ConfigError when the reader
    /// refuses, and Fault when it accepted what it must not.
    std::function<void(const std::string&)> read;
    int mutations = 3000;                       ///< how many the smoke test tries
    std::vector<std::string> dictionary{};      ///< words of the format, for libFuzzer
    std::size_t valid_seeds = ~std::size_t{0};  ///< how many of the seeds have to be read
    std::size_t own_bytes = 0;  ///< what the code under test takes whatever the input, as a picture does
};

const std::vector<Target>& targets();

/// The reader did what it must not do.
class Fault : public std::exception {
public:
    explicit Fault(std::string what) : what_(std::move(what)) {}
    const char* what() const noexcept override { return what_.c_str(); }

private:
    std::string what_;
};

/// Whether the target refused `input`, with an error that names the file. Throws Fault, or what the reader
/// threw, for everything else that is wrong: other exceptions, long messages, particle memory that the
/// input's size does not explain.
bool refuses(const Target& target, const std::string& input);

}  // namespace aureole::fuzz

// The command line of a benchmark: `program [INPUT] [--name value ...] ...`, and what every benchmark does
// with it. nvcc compiles this too.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/core/backend.hpp"
#include "sim/core/device.hpp"
#include "sim/core/precision.hpp"

namespace aureole::bench {

/// Options with their values; those that the command line does not name keep their defaults.
class Options {
public:
    /// `input` says what the first word has to be, such as "FILE"; empty: there is no such word. `defaults`
    /// is a command line that names every option, as "--n 1000 2000 --repeat 5"; one without a value there is
    /// empty until it is given. Throws std::invalid_argument for an option that is not among them, and for
    /// one that is given without a value.
    Options(int argc, char** argv, const std::string& input, const std::string& defaults)
    {
        std::istringstream words(defaults);
        std::vector<std::string>* values = nullptr;
        for (std::string word; words >> word;)
            if (word.starts_with("--"))
                values = &values_[word];
            else
                values->push_back(word);
        for (auto& [name, found] : values_)
            if (found.empty()) found.emplace_back();
        int k = 1;
        if (!input.empty()) {
            if (argc < 2 || std::string(argv[1]).starts_with("--"))
                throw std::invalid_argument("usage: " + input +
                                            " [--option value ...] ..., the options are " + names());
            input_ = argv[k++];
        }
        read({argv + k, argv + argc});
    }

    const std::string& input() const { return input_; }
    const std::vector<std::string>& all(const std::string& name) const { return values_.at(name); }
    const std::string& text(const std::string& name) const { return values_.at(name).front(); }
    double number(const std::string& name) const { return std::stod(text(name)); }
    template <class Integer = int>
    Integer count(const std::string& name) const
    {
        return static_cast<Integer>(std::stoll(text(name)));
    }
    bool flag(const std::string& name) const { return text(name) != "0"; }

    Backend backend() const { return text("--backend") == "cuda" ? Backend::cuda : Backend::cpu; }
    Precision precision() const
    {
        return text("--precision") == "double" ? Precision::double_precision : Precision::mixed;
    }
    int repeats() const { return std::max(1, count("--repeat")); }

private:
    /// Replaces the values of the options that `words` names.
    void read(const std::vector<std::string>& words)
    {
        std::vector<std::string>* values = nullptr;
        for (const std::string& word : words) {
            if (word.starts_with("--")) {
                const auto found = values_.find(word);
                if (found == values_.end())
                    throw std::invalid_argument("unknown option '" + word + "', expected one of " + names());
                values = &found->second;
                values->clear();
            } else {
                if (!values) throw std::invalid_argument("'" + word + "' follows no option");
                values->push_back(word);
            }
        }
        for (const auto& [name, found] : values_)
            if (found.empty()) throw std::invalid_argument("option " + name + " has no value");
    }

    std::string names() const
    {
        std::string result;
        for (const auto& [name, values] : values_) result += (result.empty() ? "" : " ") + name;
        return result;
    }

    std::string input_;
    std::map<std::string, std::vector<std::string>> values_;
};

/// Of an odd number of measurements the one in the middle.
inline double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}
inline double median_ms(std::vector<double> seconds) { return 1e3 * median(std::move(seconds)); }

/// Seconds until `work` is done, on the device too.
template <class Work>
double seconds_of(Exec exec, Work work)
{
    const auto wait = [&] {
        if (exec.backend == Backend::cuda) device::synchronize();
    };
    wait();
    const auto start = std::chrono::steady_clock::now();
    work();
    wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Median of `repeats` runs, after `warm_up` runs that pay for memory and caches.
template <class Work>
double median_seconds(Exec exec, int warm_up, int repeats, Work work)
{
    std::vector<double> seconds;
    for (int k = -warm_up; k < repeats; ++k) {
        const double taken = seconds_of(exec, work);
        if (k >= 0) seconds.push_back(taken);
    }
    return median(std::move(seconds));
}

/// What main() returns: runs `work(options)`, whose options have these defaults, or prints what is wrong with
/// the name of the program.
template <class Work>
int run(int argc, char** argv, const std::string& input, const std::string& defaults, Work work)
{
    try {
        work(Options(argc, argv, input, defaults));
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", std::filesystem::path(argv[0]).filename().c_str(), error.what());
        return 1;
    }
}

}  // namespace aureole::bench

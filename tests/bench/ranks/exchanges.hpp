// What exchanges between ranks take: the lines of bench_device_moves, and what is assumed beyond them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "sim/core/error.hpp"
#include "tests/bench/options.hpp"

namespace aureole::bench {

/// Seconds of exchanges, measured or assumed.
class Exchanges {
public:
    explicit Exchanges(const Options& options)
        : gpus_per_host_(options.count<unsigned>("--gpus_per_host")),
          between_hosts_(1e9 * options.number("--between_hosts"))
    {
        const std::string& name = options.text("--moves");
        if (!name.empty()) read(name);
    }

    bool are_measured(unsigned ranks) const
    {
        return std::ranges::any_of(points_, [&](const auto& entry) { return entry.first.second == ranks; });
    }

    double seconds(const std::string& operation, unsigned ranks, double bytes) const
    {
        const auto found = nearest(operation, ranks);
        if (!found) return assumed_latency * std::log2(ranks) + bytes / bandwidth(assumed_bandwidth, ranks);
        const auto& [measured_ranks, points] = *found;
        const double latency = points->begin()->second;
        const double rest = std::max(0.0, at(*points, bytes) - latency);
        const double inside = rest > 0 ? bytes / rest : 0;
        return latency * std::max(1.0, std::log2(ranks) / std::log2(measured_ranks)) +
               (rest > 0 ? bytes / bandwidth(inside, ranks) : 0);
    }

private:
    using Points = std::map<double, double>;  ///< seconds by bytes
    static constexpr double assumed_latency = 18e-6, assumed_bandwidth = 235e9;

    void read(const std::string& name)
    {
        std::ifstream file(name);
        if (!file) throw Error(name + ": cannot be read");
        for (std::string line; std::getline(file, line);) {
            unsigned ranks = 0;
            char transport[64] = "", operation[64] = "";
            double bytes = 0, us = 0;
            if (std::sscanf(line.c_str(),
                            "{\"kernel\": \"moves\", \"ranks\": %u, \"transport\": \"%63[^\"]\", "
                            "\"operation\": \"%63[^\"]\", \"bytes\": %lf, \"us\": %lf",
                            &ranks, transport, operation, &bytes, &us) != 5)
                continue;
            const bool on_host = std::strcmp(transport, "communicator") == 0;
            points_[{(on_host ? "host " : "") + std::string(operation), ranks}][bytes] = 1e-6 * us;
        }
        if (points_.empty()) throw Error(name + ": no line of bench_device_moves");
    }

    /// Those of the largest measured number of ranks that is not larger, or of the smallest.
    std::optional<std::pair<unsigned, const Points*>> nearest(const std::string& operation,
                                                              unsigned ranks) const
    {
        std::optional<std::pair<unsigned, const Points*>> found;
        for (const auto& [key, points] : points_)
            if (key.first == operation && key.second > 1 && (!found || key.second <= ranks))
                found = {key.second, &points};
        return found;
    }

    /// Linear in bytes; at constant bandwidth beyond the last point.
    static double at(const Points& points, double bytes)
    {
        const auto above = points.lower_bound(bytes);
        if (above == points.end()) {
            const auto& [most, seconds] = *points.rbegin();
            return most > 0 ? seconds * bytes / most : seconds;
        }
        if (above == points.begin()) return above->second;
        const auto below = std::prev(above);
        return std::lerp(below->second, above->second,
                         (bytes - below->first) / (above->first - below->first));
    }

    double bandwidth(double inside, unsigned ranks) const
    {
        return ranks <= gpus_per_host_ ? inside : std::min(inside, between_hosts_);
    }

    std::map<std::pair<std::string, unsigned>, Points> points_;
    unsigned gpus_per_host_;
    double between_hosts_;
};

}  // namespace aureole::bench

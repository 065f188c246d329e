// Checkpoints as they come, and again with checksums and places put right, so that what is behind the
// checksums meets damage too.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "gravity/scf/scf_config.hpp"
#include "sim/core/error.hpp"
#include "sim/io/checkpoint_file.hpp"
#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "sim/run/checkpoints/resume.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/sample_particles.hpp"

namespace aureole::fuzz {
namespace {

constexpr std::size_t header_bytes = 64, row_bytes = 64;

template <class T>
T number_at(const std::string& bytes, std::size_t at)
{
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

void set_number(std::string& bytes, std::size_t at, std::uint64_t value)
{
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// That of the version of the format which the header names.
std::uint64_t checksum_of(const std::string& bytes, std::size_t first, std::size_t n, std::uint64_t seed = 0)
{
    const auto part = std::as_bytes(std::span(bytes)).subspan(first, n);
    return number_at<std::uint32_t>(bytes, 20) == io::oldest_checkpoint_version ? io::crc64(part, seed)
                                                                                : io::xxh3(part, seed);
}

/// The same with places, sizes and checksums that fit: what an attacker would send.
std::string sealed(std::string bytes)
{
    if (bytes.size() < header_bytes) return bytes;
    const auto n = number_at<std::uint32_t>(bytes, 28);
    if (n > (bytes.size() - header_bytes) / row_bytes) return bytes;
    std::size_t next = header_bytes + n * row_bytes;
    for (std::size_t row = header_bytes; row < header_bytes + n * row_bytes; row += row_bytes) {
        const auto wanted = number_at<std::uint64_t>(bytes, row + 48);
        const std::size_t size = std::min<std::uint64_t>(wanted, bytes.size() - next);
        set_number(bytes, row + 40, next);
        set_number(bytes, row + 48, size);
        set_number(bytes, row + 56, checksum_of(bytes, next, size));
        next += size;
    }
    bytes.resize(next);
    set_number(bytes, 32, next);
    const std::uint64_t table = checksum_of(bytes, header_bytes, n * row_bytes);
    set_number(bytes, 56, checksum_of(bytes, 0, 56, table));
    return bytes;
}

std::string checkpoint_of(const std::string& configuration, bool expansions)
{
    run::RunState state;
    state.configuration = configuration;
    state.version = "0.1";
    state.device = "a CPU";
    Particles particles = test::sample_particles(4);
    for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
        std::ranges::fill((particles.acceleration.*axis).host(), -0.5);
    state.n_particles = particles.size();
    state.step = 3;
    state.simulation.time = 0.75;
    state.diagnostics.bytes = {{"energy.csv", 17}, {"orbit.csv", 11}};
    state.diagnostics.conservation.first = -0.25;
    state.outputs.next = 2;
    state.outputs.frame = run::OutputsState::Frame{'x', 1, 2, Vec3{1, 2, 3}, DensityRange{1, 2}};
    if (expansions) {
        gravity::scf::CoefficientSeries series{{.n_max = 1, .l_max = 1}, {}};
        series.moments.push_back({0.5, {1, 2, 3}, std::vector<double>(series.basis.size(), 0.5)});
        state.coefficients.emplace(0, series);
        state.outputs.coefficients.emplace(1, series);
        state.simulation.solver = {0.75, 0, 0};
    }
    const auto file = scratch(std::string(input_name) + ".bin");
    run::write_checkpoint(file, scratch("previous"), state, particles);
    return content_of(file);
}

std::vector<std::string> seeds()
{
    clear_scratch();
    return {checkpoint_of("gravity: {softening: 0.1}\nintegrator: {timestep: 0.25}\nrun: {end_time: 1}\n"
                          "initial_conditions: {model: plummer, particles: 4, mass: 1, scale_radius: 1}\n",
                          false),
            checkpoint_of("gravity: {solver: scf, scf: {n_max: 1, l_max: 1}}\nrun: {end_time: 1}\n"
                          "integrator: {timestep: 0.25}\n"
                          "initial_conditions: {model: plummer, particles: 4, mass: 1, scale_radius: 1}\n",
                          true)};
}

void expect_sound(const run::Checkpoint& checkpoint)
{
    const Particles& p = checkpoint.particles;
    expect(p.size() == checkpoint.state.n_particles, "other particles than the state has");
    for (std::size_t i = 0; i < p.size(); ++i)
        expect(std::isfinite(p.position.x.host()[i]) && std::isfinite(p.velocity.z.host()[i]) &&
                   p.mass.host()[i] >= 0 && p.type.host()[i] < n_particle_types,
               fmt::format("particle {} cannot be one", i));
    for (const auto& [component, series] : checkpoint.state.coefficients)
        for (const auto& moment : series.moments)
            expect(moment.values.size() == series.basis.size(), "coefficients of another size");
}

/// Reads, and goes on as far as `aureole run --resume` does before the first step.
void read_one(const std::string& bytes)
{
    run::Checkpoint checkpoint = run::read_checkpoint(put(std::string(input_name) + ".bin", bytes));
    expect_sound(checkpoint);
    const auto directory = scratch(std::string(input_name) + "_run");
    std::filesystem::create_directories(directory);
    const auto outside = put("outside.csv", "must not change");
    const run::DiagnosticsState logs = checkpoint.state.diagnostics;
    run::RunStart start = run::resumed_start(directory, {}, directory, std::move(checkpoint));
    try {
        const run::Diagnostics diagnostics(directory, start.units, {true, true, {}, {{0}, {}, 1}}, &logs);
        const run::CheckpointFiles schedule(directory, start.internal, 0);
    } catch (const IoError&) {
        // there are no logs in this directory to go on with
    }
    expect(content_of(outside) == "must not change", "a file outside the directory was changed");
}

void read(const std::string& input)
{
    clear_scratch();
    std::exception_ptr refusal;
    for (const std::string& bytes : {input, sealed(input)}) {
        refusal = nullptr;
        try {
            read_one(bytes);
        } catch (const IoError&) {
            refusal = std::current_exception();
        } catch (const ConfigError&) {
            refusal = std::current_exception();
        }
    }
    if (refusal) std::rethrow_exception(refusal);
}

}  // namespace

Target checkpoint_target()
{
    return {.name = "checkpoint",
            .seeds = seeds,
            .read = read,
            .mutations = 1000,
            .dictionary = {"../../outside.csv", "../outside.csv", "energy.csv", "orbit.csv", "position_x",
                           "mass", "type", "state", std::string("\0\0\0\0\0\0\xf8\x7f", 8),
                           std::string("\0\0\0\0\0\0\xf0\xff", 8)}};
}

}  // namespace aureole::fuzz

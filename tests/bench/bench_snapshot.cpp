// How fast snapshots and checkpoints go to the disk, beside the disk itself: as many bytes, written in one
// piece. Every time ends when the bytes are on the disk (fsync).
// usage: bench_snapshot [--folder FOLDER] [--repeats K] [--compressed 0|1] [--n N ...]   one JSON line per
// case
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "sim/io/atomic_file.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"
#include "sim/run/checkpoints/checkpoint_state.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace aureole::bench {
namespace {

namespace fs = std::filesystem;

/// Seconds of the writer until its file is on the disk; the file is gone afterwards, its bytes in `bytes`.
template <class Write>
double seconds_to_disk(const fs::path& file, std::uintmax_t& bytes, Write write)
{
    const double seconds = seconds_of({}, [&] {
        write(file);
        io::sync_file(file);
    });
    bytes = fs::file_size(file);
    fs::remove(file);
    return seconds;
}

/// The disk alone: blocks of 4 MB that no page of the particles is copied for.
void write_plainly(const fs::path& file, std::uintmax_t bytes)
{
    const std::vector<char> block(std::size_t{1} << 22, 'x');
    const int handle = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (std::uintmax_t left = bytes; left > 0;) {
        const std::size_t now = std::min<std::uintmax_t>(left, block.size());
        if (handle < 0 || ::write(handle, block.data(), now) != static_cast<ssize_t>(now))
            throw Error(file.string() + ": cannot be written");
        left -= now;
    }
    ::close(handle);
}

void report(const char* what, std::size_t n, std::uintmax_t bytes, std::vector<double> seconds, double disk)
{
    const double milliseconds = median_ms(std::move(seconds));
    const double speed = 1e-6 * static_cast<double>(bytes) / (1e-3 * milliseconds);
    std::printf(R"({"kernel": "write_%s", "n": %zu, "bytes": %ju, "median_ms": %.4g, "mb_per_second": %.4g, )"
                R"("of_disk_speed": %.3g})"
                "\n",
                what, n, bytes, milliseconds, speed, disk > 0 ? speed / disk : 1.0);
    std::fflush(stdout);
}

/// A sphere with numbers as a run has them: all digits of velocities and potentials, ids in sequence.
Particles moving_sphere(std::size_t n)
{
    Particles host = plummer_sphere(n);
    const ParticlesView view = host.view();
#pragma omp parallel for
    for (Index i = 0; i < view.n; ++i) {
        Random random(2, i, 0);
        view.velocity.store(i, random.uniform() * random.direction());
        view.acceleration.store(i, random.uniform() * random.direction());
        view.potential[i] = -random.uniform();
        view.id[i] = i;
    }
    return host;
}

void measure(const fs::path& folder, std::size_t n, int repeats, bool compressed)
{
    const Particles host = moving_sphere(n);
    io::SnapshotContent content;
    content.header.units = galactic_units;
    content.potential = true;
    run::RunState state;
    state.n_particles = host.size();
    std::vector<double> disk, snapshot, checkpoint, packed;
    std::uintmax_t bytes = 0, checkpoint_bytes = 0, packed_bytes = 0;
    for (int k = 0; k < repeats; ++k) {  // in turn: the speed of a disk that others use changes
        content.compress = false;
        snapshot.push_back(seconds_to_disk(folder / "bench_snapshot.hdf5", bytes, [&](const fs::path& file) {
            io::write_snapshot(file, host, content);
        }));
        disk.push_back(seconds_to_disk(folder / "bench_disk", bytes,
                                       [&](const fs::path& file) { write_plainly(file, bytes); }));
        checkpoint.push_back(
            seconds_to_disk(folder / "bench_checkpoint", checkpoint_bytes, [&](const fs::path& file) {
                run::write_checkpoint(file, folder / "bench_previous", state, host);
            }));
        if (!compressed) continue;
        content.compress = true;
        packed.push_back(
            seconds_to_disk(folder / "bench_snapshot.hdf5", packed_bytes,
                            [&](const fs::path& file) { io::write_snapshot(file, host, content); }));
    }
    const double speed = 1e-6 * static_cast<double>(bytes) / (1e-3 * median_ms(disk));
    report("disk", n, bytes, disk, speed);
    report("snapshot", n, bytes, snapshot, speed);
    report("checkpoint", n, checkpoint_bytes, checkpoint, speed);
    if (compressed) report("compressed_snapshot", n, packed_bytes, packed, speed);
}

void measure_all(const Options& options)
{
    for (const auto& n : options.all("--n"))
        measure(options.text("--folder"), std::stoull(n), options.count("--repeats"),
                options.flag("--compressed"));
}

}  // namespace
}  // namespace aureole::bench

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "", "--folder . --repeats 3 --compressed 1 --n 1000000 10000000",
                               aureole::bench::measure_all);
}

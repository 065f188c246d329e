#include "tests/fuzz/scratch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/fuzz/target.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::fuzz {
namespace {

const test::TemporaryFolder& folder()
{
    static const test::TemporaryFolder made;
    return made;
}

constexpr std::string_view separator = "\n%%%%\n";

void expect_sound(const io::SnapshotHeader& header)
{
    for (const double value : {header.time, header.redshift, header.box_size, header.omega0,
                               header.omega_lambda, header.omega_baryon, header.hubble})
        expect(std::isfinite(value), fmt::format("a header with {}", value));
    expect(header.box_size >= 0 && header.hubble > 0,
           fmt::format("BoxSize {}, h {}", header.box_size, header.hubble));
    if (!header.units) return;
    for (const double unit : {header.units->length_cm, header.units->mass_g, header.units->velocity_cm_per_s,
                              header.units->time_s()})
        expect(unit > 0 && std::isfinite(unit), fmt::format("a unit of {}", unit));
}

}  // namespace

void expect(bool good, const std::string& what)
{
    if (!good) throw Fault(what);
}

std::filesystem::path scratch(const std::string& name) { return folder() / name; }

void clear_scratch()
{
    for (const auto& entry : std::filesystem::directory_iterator(folder().path()))
        std::filesystem::remove_all(entry.path());
}

std::filesystem::path put(const std::string& name, std::string_view bytes)
{
    const std::filesystem::path file = scratch(name);
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
}

std::string content_of(const std::filesystem::path& file)
{
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return bytes.str();
}

std::string join_files(const std::vector<std::string>& files)
{
    std::string input;
    for (std::size_t k = 0; k < files.size(); ++k) input += (k > 0 ? std::string(separator) : "") + files[k];
    return input;
}

std::vector<std::string> split_files(const std::string& input)
{
    std::vector<std::string> files;
    std::size_t begin = 0;
    for (std::size_t end; (end = input.find(separator, begin)) != std::string::npos;
         begin = end + separator.size())
        files.push_back(input.substr(begin, end - begin));
    files.push_back(input.substr(begin));
    return files;
}

void expect_sound(const io::Snapshot& snapshot)
{
    expect_sound(snapshot.header);
    const Particles& p = snapshot.particles;
    for (std::size_t i = 0; i < p.size(); ++i) {
        for (const double value :
             {p.position.x.host()[i], p.position.y.host()[i], p.position.z.host()[i], p.velocity.x.host()[i],
              p.velocity.y.host()[i], p.velocity.z.host()[i], p.mass.host()[i]})
            expect(std::isfinite(value), fmt::format("particle {} with {}", i, value));
        expect(p.mass.host()[i] >= 0, fmt::format("particle {} with mass {}", i, p.mass.host()[i]));
        expect(p.type.host()[i] < n_particle_types,
               fmt::format("particle {} of type {}", i, p.type.host()[i]));
    }
}

}  // namespace aureole::fuzz

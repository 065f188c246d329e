#include "sim/run/checkpoints/checkpoint_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "sim/run/checkpoints/state_archive.hpp"

namespace aureole::run {

template <class Archive>
void visit_state(Archive& archive, IndexRange& s)
{
    archive(s.begin, s.end);
}

template <class Archive>
void visit_state(Archive& archive, CheckpointPiece& s)
{
    archive(s.runs, s.checksum);
}

template <class Archive>
void visit_state(Archive& archive, CheckpointPieces& s)
{
    archive(s.step, s.piece);
}

namespace {

/// Throws where the pieces are not all of n particles, each once.
void expect_every_particle_once(const CheckpointPieces& pieces, std::size_t n, const std::string& name)
{
    std::vector<IndexRange> runs;
    for (const CheckpointPiece& piece : pieces.piece)
        for (const IndexRange run : piece.runs)
            if (run.begin != run.end) runs.push_back(run);
    std::ranges::sort(runs, {}, &IndexRange::begin);
    std::size_t next = 0;
    for (const IndexRange run : runs) {
        if (run.begin != next || run.end < run.begin)
            throw IoError(fmt::format("{}: its pieces have particles {} to {} after {} of {}", name,
                                      run.begin, run.end, next, n));
        next = run.end;
    }
    if (next != n) throw IoError(fmt::format("{}: its pieces have {} of {} particles", name, next, n));
}

}  // namespace

std::string checkpoint_piece_name(std::uint64_t step, std::uint64_t number)
{
    return fmt::format("checkpoint_{}.{}.bin", step, number);
}

bool is_checkpoint_piece(std::string_view name)
{
    static const std::regex pieces(R"(checkpoint_\d+\.\d+\.bin)");
    return std::regex_match(name.begin(), name.end(), pieces);
}

std::uint64_t write_checkpoint_piece(const std::filesystem::path& file, const Particles& particles,
                                     std::size_t n)
{
    std::vector<std::pair<std::string, Buffer<double>>> copies;  // of a GPU's memory
    std::vector<io::CheckpointSection> sections;
    for_each_moving_array(particles, [&](const std::string& name, const Buffer<double>& array) {
        const double* values = array.data();
        if (array.where() != Backend::cpu) {
            Buffer<double>& copy = copies.emplace_back(name, Buffer<double>(Backend::cpu, n)).second;
            if (n > 0) device::copy(copy.data(), values, n * sizeof(double));
            values = copy.data();
        }
        sections.push_back({name, std::as_bytes(std::span(values, n))});
    });
    return io::write_checkpoint_file(file, {}, sections);
}

bool has_pieces(const std::filesystem::path& folder, const CheckpointPieces& pieces)
{
    try {
        for (std::size_t k = 0; k < pieces.piece.size(); ++k) {
            const io::CheckpointFile piece(folder / checkpoint_piece_name(pieces.step, k));
            if (piece.checksum() != pieces.piece[k].checksum) return false;
        }
        return true;
    } catch (const std::exception&) {  // the other ranks wait for an answer
        return false;
    }
}

void read_checkpoint_pieces(const std::filesystem::path& folder, const CheckpointPieces& pieces,
                            const std::string& name, Particles& particles)
{
    expect_every_particle_once(pieces, particles.size(), name);
    std::vector<double> values;
    for (std::size_t k = 0; k < pieces.piece.size(); ++k) {
        const CheckpointPiece& piece = pieces.piece[k];
        const std::filesystem::path file = folder / checkpoint_piece_name(pieces.step, k);
        io::CheckpointFile in(file);
        if (in.checksum() != piece.checksum)
            throw IoError(
                fmt::format("{}: is not the piece that {} names: checksum {:016x}, expected {:016x}",
                            file.string(), name, in.checksum(), piece.checksum));
        std::size_t n = 0;
        for (const IndexRange run : piece.runs) n += run.size();
        values.resize(n);
        for_each_moving_array(particles, [&](const std::string& section, Buffer<double>& array) {
            in.read(section, std::as_writable_bytes(std::span(values)));
            auto from = values.begin();
            for (const IndexRange run : piece.runs) {
                const auto count = static_cast<std::ptrdiff_t>(run.size());
                std::copy_n(from, count, array.data() + run.begin);
                from += count;
            }
        });
    }
}

std::vector<std::byte> bytes_of(const CheckpointPieces& pieces)
{
    StateWriter writer;
    writer(pieces);
    return {writer.bytes().begin(), writer.bytes().end()};
}

CheckpointPieces pieces_of(io::CheckpointFile& checkpoint, const std::string& name)
{
    CheckpointPieces pieces;
    if (!checkpoint.contains(pieces_section)) return pieces;
    std::vector<std::byte> kept(checkpoint.size(pieces_section));
    checkpoint.read(pieces_section, kept);
    StateReader reader(kept, name);
    reader(pieces);
    reader.end();
    return pieces;
}

void remove_unnamed_pieces(const std::filesystem::path& folder,
                           const std::vector<std::filesystem::path>& checkpoints,
                           const std::filesystem::path& damaged)
{
    std::set<std::string> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed))
        if (const std::string name = entry->path().filename().string(); is_checkpoint_piece(name))
            found.insert(name);
    if (found.empty()) return;
    const auto keep_those_of = [&](const std::filesystem::path& file) {
        if (!std::filesystem::exists(file, failed) && !failed) return;
        io::CheckpointFile in(file);
        const CheckpointPieces named = pieces_of(in, file.string());
        for (std::size_t k = 0; k < named.piece.size(); ++k)
            found.erase(checkpoint_piece_name(named.step, k));
    };
    try {
        for (const std::filesystem::path& file : checkpoints) keep_those_of(file);
    } catch (const Error&) {
        return;  // it may be that it names them
    }
    try {
        keep_those_of(damaged);
    } catch (const Error&) {
        // it tells no more which pieces it named
    }
    for (const std::string& name : found) std::filesystem::remove(folder / name, failed);
}

}  // namespace aureole::run

#include "sim/live/run_view.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "sim/config/config.hpp"
#include "sim/core/error.hpp"
#include "sim/io/images/png_chunks.hpp"
#include "sim/io/json_writer.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "sim/run/control/progress_file.hpp"
#include "sim/run/control/run_directory.hpp"
#include "sim/run/diagnostics/diagnostics.hpp"
#include "sim/run/outputs/output_names.hpp"

namespace aureole::live {
namespace {

namespace fs = std::filesystem;
using run::Quantity;

/// A regular file, opened for reading without waiting; links, pipes and devices are none.
class OpenFile {
public:
    explicit OpenFile(const fs::path& file)
        : handle_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
    {
        struct stat found {};
        if (handle_ >= 0 && ::fstat(handle_, &found) == 0 && S_ISREG(found.st_mode)) {
            size_ = static_cast<std::uint64_t>(found.st_size);
            return;
        }
        if (handle_ >= 0) ::close(handle_);
        handle_ = -1;
    }
    ~OpenFile()
    {
        if (handle_ >= 0) ::close(handle_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    explicit operator bool() const { return handle_ >= 0; }
    std::uint64_t size() const { return size_; }

    /// The bytes from `from` on, at most `most`; fewer at the end.
    std::string read(std::uint64_t from, std::uint64_t most) const
    {
        std::string bytes(std::min(most, size_ - std::min(from, size_)), '\0');
        std::size_t got = 0;
        while (got < bytes.size()) {
            const ssize_t more =
                ::pread(handle_, bytes.data() + got, bytes.size() - got, static_cast<off_t>(from + got));
            if (more < 0 && errno == EINTR) continue;
            if (more <= 0) break;
            got += static_cast<std::size_t>(more);
        }
        bytes.resize(got);
        return bytes;
    }

private:
    int handle_;
    std::uint64_t size_ = 0;
};

constexpr std::uint64_t block = 1 << 20;

/// Calls visit(line, behind) for each whole line from the byte `from` on: the line with its end, and the byte
/// behind it.
template <class Visit>
void for_each_line(const OpenFile& file, std::uint64_t from, Visit visit)
{
    std::string left;
    for (std::uint64_t at = from; at < file.size();) {
        const std::string bytes = file.read(at, block);
        if (bytes.empty()) return;
        at += bytes.size();
        left += bytes;
        std::size_t begin = 0;
        for (std::size_t end; (end = left.find('\n', begin)) != std::string::npos; begin = end + 1)
            visit(std::string_view(left).substr(begin, end + 1 - begin), at - left.size() + end + 1);
        left.erase(0, begin);
    }
}

std::string header_line(const OpenFile& file)
{
    const std::string bytes = file.read(0, 65536);
    return bytes.substr(0, bytes.find('\n') + 1);
}

/// [[0, 12], [14, 20]] of a set of numbers.
io::JsonList ranges_of(std::vector<unsigned> numbers)
{
    std::ranges::sort(numbers);
    io::JsonList ranges;
    for (std::size_t k = 0; k < numbers.size();) {
        std::size_t last = k;
        while (last + 1 < numbers.size() && numbers[last + 1] <= numbers[last] + 1) ++last;
        ranges.add(io::JsonList().add(numbers[k]).add(numbers[last]));
        k = last + 1;
    }
    return ranges;
}

/// What stands behind "name": in the flat object that a run wrote.
std::string value_in(const std::string& json, const std::string& name)
{
    const std::size_t at = json.find("\"" + name + "\": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 4;
    return json.substr(begin, json.find_first_of(",}", begin) - begin);
}

/// Whether the process that wrote the progress lives: known on its own host only.
std::optional<bool> lives(const std::string& progress)
{
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    if (value_in(progress, "host") != io::json_text(host)) return {};
    const int pid = std::atoi(value_in(progress, "pid").c_str());
    if (pid <= 0) return {};
    return ::kill(pid, 0) == 0 || errno == EPERM;
}

}  // namespace

void expect_run(const fs::path& directory)
{
    if (!fs::is_directory(directory))
        throw IoError(fmt::format("{}: is no directory, expected that of a run", directory.string()));
    if (!run::holds_outputs(directory))
        throw IoError(
            fmt::format("{}: holds no outputs of a run (energy.csv, projection_*.png, snapshot_*.hdf5)",
                        directory.string()));
}

/// Units and end of the run; renewed when the file has changed.
void RunView::read_configuration()
{
    const fs::path file = directory_ / run::resolved_configuration_name;
    std::error_code absent;
    const fs::file_time_type changed = fs::last_write_time(file, absent);
    if (absent || configuration_time_ == changed) return;
    configuration_time_ = changed;
    try {
        const run::Config config = run::load_config(file, {});
        const run::RunUnits units = config.units.value_or(run::RunUnits{});
        configuration_ = io::JsonObject()
                             .add("time", units.name(Quantity::time))
                             .add("length", units.name(Quantity::length))
                             .add("mass", units.name(Quantity::mass))
                             .add("comoving", units.comoving())
                             .add("end_time", config.end_time)
                             .text();
    } catch (const Error&) {
        configuration_ = "null";  // of another version: the page shows numbers without units
    }
}

std::string RunView::state()
{
    read_configuration();
    std::vector<unsigned> pictures, snapshots;
    io::JsonObject logs;
    std::error_code failed;
    std::vector<std::string> names;
    for (fs::directory_iterator entry(directory_, failed), end; !failed && entry != end;
         entry.increment(failed))
        names.push_back(entry->path().filename().string());
    std::ranges::sort(names);
    for (const std::string& name : names) {
        if (const auto number = run::picture_names.number_in(name)) pictures.push_back(*number);
        if (const auto number = io::snapshot_number_in(name, io::snapshot_stems))
            snapshots.push_back(*number);
        if (run::is_log(name)) logs.add(name, OpenFile(directory_ / name).size());
    }
    const OpenFile file(directory_ / run::progress_name);
    const std::string progress = file ? file.read(0, block) : "";
    const std::optional<bool> alive = lives(progress);
    const fs::path whole = fs::absolute(directory_).lexically_normal();
    const fs::path name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
    io::JsonObject json;
    json.add("name", name.string())
        .add("directory", whole.string())
        .add("gone", !names.empty() ? false : true);
    // as a text, which the page parses: whatever stands in the file, this object is whole
    json.add("progress", progress);
    if (alive) json.add("alive", *alive);
    json.add("pictures", ranges_of(std::move(pictures))).add("snapshots", ranges_of(std::move(snapshots)));
    json.add("logs", logs);
    std::string text = json.text();
    text.insert(text.size() - 1, ", \"configuration\": " + configuration_);
    return text;
}

std::optional<LogRows> RunView::rows(const std::string& log, std::uint64_t from, std::uint64_t most) const
{
    if (!run::is_log(log)) return {};
    const OpenFile file(directory_ / log);
    if (!file) return {};
    LogRows rows{header_line(file)};
    rows.next = std::max<std::uint64_t>(from, rows.text.size());
    if (rows.text.empty()) return rows;
    const std::uint64_t begin = rows.next;
    std::uint64_t n = 0, seen = 0;
    for_each_line(file, begin, [&](std::string_view, std::uint64_t) { ++n; });
    rows.stride = std::max<std::uint64_t>(1, (n + most - 1) / std::max<std::uint64_t>(most, 1));
    for_each_line(file, begin, [&](std::string_view line, std::uint64_t behind) {
        if (seen >= n) return;  // written since they were counted
        if (seen % rows.stride == 0 || seen + 1 == n) rows.text += line;
        ++seen;
        rows.next = behind;
    });
    return rows;
}

std::optional<PictureFile> RunView::picture(unsigned number) const
{
    const fs::path name = directory_ / run::picture_names.of(number);
    const OpenFile file(name);
    if (!file) return {};
    PictureFile picture{file.read(0, file.size()), {}};
    try {
        for (const auto& [key, value] : io::png_texts(name))
            if (key == run::picture_time_text) picture.time = value;
    } catch (const IoError&) {
        // replaced at this moment, or damaged: the browser will say so
    }
    return picture;
}

fs::path RunView::snapshot(unsigned number) const
{
    const fs::path stem = directory_ / io::snapshot_stems.of(number);
    std::vector<fs::path> candidates;
    for (const std::string& ending : io::snapshot_endings()) candidates.push_back(fs::path(stem) += ending);
    for (const io::SnapshotFormat& format : io::snapshot_formats().entries())
        if (format.writing.parts != io::PartNames::none)
            candidates.push_back(io::part_file(format, io::file_of(format, stem), 0));
    for (const fs::path& file : candidates)
        if (std::error_code ignored; fs::is_regular_file(fs::symlink_status(file, ignored))) return file;
    return {};
}

}  // namespace aureole::live

#include "sim/run/control/run_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <regex>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/disk_room.hpp"
#include "sim/io/sync.hpp"
#include "sim/run/checkpoints/checkpoint_files.hpp"

namespace aureole::run {
namespace {

namespace fs = std::filesystem;

constexpr char lock_name[] = "run.lock";

/// Names with a number; it is the first group.
const std::regex& numbered()
{
    static const std::regex pattern(
        R"((?:snapshot_(\d{3,})\.(?:hdf5|tipsy|tipsy\.iord|param)|fof_subhalo_tab_(\d{3,})\.hdf5|)"
        R"(projection_(\d{3,})\.png|halos_(\d{3,})\.(?:0\.h5|csv)))");
    return pattern;
}

std::optional<unsigned> number_of(const std::string& name)
{
    std::smatch match;
    if (!std::regex_match(name, match, numbered())) return {};
    for (std::size_t k = 1; k < match.size(); ++k) {
        if (!match[k].matched) continue;
        const std::string digits = match[k].str();
        unsigned number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error == std::errc{}) return number;
    }
    return {};
}

/// Snapshots and coefficients that the run starts from.
std::vector<fs::path> inputs_of(const Config& config)
{
    std::vector<fs::path> files{config.gravity.scf().coefficients};
    for (const ComponentConfig& component : config.initial_conditions.components) {
        files.push_back(component.file);
        files.push_back(component.scf.coefficients);
    }
    std::erase_if(files, [](const fs::path& file) { return file.empty(); });
    return files;
}

/// The files in a directory, listed before any of them is removed.
std::vector<fs::path> files_in(const fs::path& directory)
{
    std::error_code failed;
    std::vector<fs::path> files;
    for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed))
        files.push_back(entry->path());
    if (failed) throw IoError(fmt::format("{}: cannot be read: {}", directory.string(), failed.message()));
    return files;
}

void remove_file(const fs::path& file)
{
    std::error_code failed;
    fs::remove(file, failed);
    if (failed) throw IoError(fmt::format("{}: cannot be removed: {}", file.string(), failed.message()));
}

/// Whether a run was writing the file when it was killed.
bool is_unfinished(const std::string& name)
{
    constexpr std::string_view partial = ".partial";
    return name.ends_with(partial) && is_output_of_a_run(name.substr(0, name.size() - partial.size()));
}

void make_directory(const fs::path& directory)
{
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) throw IoError(fmt::format("{}: cannot be made: {}", directory.string(), error.message()));
}

}  // namespace

bool is_output_of_a_run(const std::string& name)
{
    static const std::regex others(
        R"((energy|timings|orbit|halos|perturber)\.csv|coefficients_\d+\.hdf5|(?:extra|failed)_\d{8,}\.hdf5|)"
        R"(config\.resolved\.yaml|csv-metadata\.json)");
    return number_of(name) || std::regex_match(name, others) || is_checkpoint_of_a_run(name);
}

void expect_usable(const fs::path& directory, const Config& config, bool overwrite)
{
    if (!fs::exists(directory)) return;
    if (!fs::is_directory(directory))
        throw IoError(fmt::format("{}: is not a directory", directory.string()));
    if (fs::is_empty(directory)) return;
    if (!overwrite)
        throw IoError(fmt::format(
            "{}: is not empty; --overwrite replaces the outputs in it, -o names another directory{}",
            directory.string(),
            fs::exists(directory / checkpoint_name) ? ", --resume goes on from its checkpoint" : ""));
    for (const fs::path& file : inputs_of(config))
        if (fs::exists(file) && fs::equivalent(fs::absolute(file).parent_path(), directory) &&
            is_output_of_a_run(file.filename().string()))
            throw IoError(fmt::format(
                "{}: is the run's input, and --overwrite would remove it; -o names another directory",
                file.string()));
}

DirectoryLock::DirectoryLock(fs::path directory)
    : directory_(std::move(directory)), file_(directory_ / lock_name)
{
    make_directory(directory_);
    // a run that ends at this time removes the file between opening and locking it; then a new file is opened
    for (bool mine = false; !mine; mine = held()) {
        if (handle_ >= 0) ::close(handle_);
        handle_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (handle_ < 0)
            throw IoError(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
        const int status = ::flock(handle_, LOCK_EX | LOCK_NB);
        if (status == 0 || errno != EWOULDBLOCK)
            continue;  // on a file system without locks a second run is not refused
        ::close(handle_);
        throw IoError(fmt::format(
            "{}: another run is writing to it ({} is locked); wait for its end or name another directory",
            directory_.string(), file_.string()));
    }
}

DirectoryLock::~DirectoryLock()
{
    std::error_code ignored;
    if (held()) fs::remove(file_, ignored);
    ::close(handle_);
}

/// Whether the lock's name still leads to the file that is locked; true when the file system gives no answer.
bool DirectoryLock::held() const
{
    struct stat locked {
    }, named{};
    if (::fstat(handle_, &locked) != 0) return true;
    if (::stat(file_.c_str(), &named) != 0) return errno != ENOENT && errno != ENOTDIR;
    return locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

void DirectoryLock::expect_held() const
{
    if (held()) return;
    throw IoError(
        fmt::format("{}: is no longer this run's: its lock, {}, is gone. The directory was removed or moved "
                    "away, or another "
                    "run has taken it; nothing more is written",
                    directory_.string(), file_.string()));
}

void clear_outputs(const fs::path& directory)
{
    for (const fs::path& file : files_in(directory)) {
        const std::string name = file.filename().string();
        if (is_output_of_a_run(name) || is_unfinished(name)) remove_file(file);
    }
}

void remove_outputs_from(const fs::path& directory, unsigned first)
{
    for (const fs::path& file : files_in(directory)) {
        const std::string name = file.filename().string();
        const auto number = number_of(name);
        if (is_unfinished(name) || (number && *number >= first)) remove_file(file);
    }
}

void sync_outputs_from(const fs::path& directory, unsigned first)
{
    for (const fs::path& file : files_in(directory)) {
        const std::string name = file.filename().string();
        const auto number = number_of(name);
        const bool rewritten = name.starts_with("coefficients_") && is_output_of_a_run(name);
        if (rewritten || (number && *number >= first)) io::sync_file(file);
    }
    io::sync_folder(directory);
}

void write_text(const fs::path& path, const std::string& text)
{
    io::AtomicFile file(path);
    std::ofstream out(file.temporary());
    out << text;
    out.close();
    if (!out)
        throw IoError(
            fmt::format("{}: cannot be written: {}", path.string(), io::write_failure(file.temporary())));
    file.commit();
}

}  // namespace aureole::run

#include "sim/run/control/run_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <regex>

#include "ics/cosmological.hpp"
#include "sim/config/config.hpp"
#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/fields/coefficient_file.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/halos/link_file.hpp"
#include "sim/io/halos/table_csv.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "sim/run/outputs/output_names.hpp"

namespace aureole::run {
namespace {

namespace fs = std::filesystem;

constexpr char lock_name[] = "run.lock";

/// Numbered outputs of every kind but snapshots.
std::vector<io::NumberedName> numbered_outputs()
{
    std::vector<io::NumberedName> names{io::catalogue_names,  io::yt_catalogue_names,
                                        io::halo_table_names, picture_names,
                                        power_tables,         power_files,
                                        mass_function_tables, zoom_names,
                                        density_names,        io::progenitor_names,
                                        io::descendant_names};
    for (const std::string_view table : disk_table_names) {
        names.push_back(disk_tables(std::string(table)));
        names.push_back(disk_files(std::string(table)));
    }
    return names;
}

std::optional<unsigned> number_of(const std::string& name, const std::vector<io::NumberedName>& kinds)
{
    for (const io::NumberedName& kind : kinds)
        if (const auto number = kind.number_in(name)) return number;
    return {};
}

/// The number of a numbered output, of every kind and format.
std::optional<unsigned> output_number(const std::string& name)
{
    static const std::vector<io::NumberedName> kinds = numbered_outputs();
    if (const auto number = number_of(name, kinds)) return number;
    return io::snapshot_number_in(name, io::snapshot_stems);
}

/// Whether a run names such files after steps or components.
bool is_other_output(const std::string& name)
{
    return number_of(name, {io::coefficient_names, failed_names}) ||
           io::snapshot_number_in(name, extra_stems);
}

/// Calls visit(path) for every file in a directory, of which there may be many.
template <class Visit>
void for_each_file(const fs::path& directory, Visit visit)
{
    std::error_code failed;
    for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed))
        visit(entry->path());
    if (failed) throw IoError(fmt::format("{}: cannot be read: {}", directory.string(), failed.message()));
}

/// The files in a directory, listed before any of them is removed.
std::vector<fs::path> files_in(const fs::path& directory)
{
    std::vector<fs::path> files;
    for_each_file(directory, [&](const fs::path& file) { files.push_back(file); });
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
    constexpr std::string_view ending = io::partial_ending;
    return name.ends_with(ending) && is_output_of_a_run(name.substr(0, name.size() - ending.size()));
}

/// The resolved configuration names the directory and the inputs by their whole paths, and a configuration
/// holds no path with a control character: the run could not be resumed.
void expect_storable(const fs::path& path, const char* advice)
{
    const std::string whole = fs::absolute(path).string();
    const auto control = std::ranges::find_if(whole, [](unsigned char c) { return c < ' '; });
    if (control != whole.end())
        throw ConfigError(fmt::format(
            "{}: the path holds a control character ({:#04x}), with which the run could not be resumed; {}",
            path.string(), static_cast<unsigned>(static_cast<unsigned char>(*control)), advice));
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
    static const std::regex texts(
        R"((energy|timings|orbit|shapes|halos|perturber)\.csv|config\.resolved\.yaml|csv-metadata\.json|progress\.json|trees\.hdf5)");
    return output_number(name) || is_other_output(name) || std::regex_match(name, texts) ||
           is_checkpoint_of_a_run(name);
}

std::vector<fs::path*> input_files(Config& config)
{
    std::vector<fs::path*> files{&config.gravity.scf().coefficients, &config.cosmology.spectrum_file};
    for (ComponentConfig& component : config.initial_conditions.components) {
        auto& field = component.component.own.get<ics::CosmologicalField>();
        for (fs::path* file :
             {&component.file, &component.scf.coefficients, &field.load_file, &field.phases_file})
            files.push_back(file);
    }
    std::erase_if(files, [](const fs::path* file) { return file->empty(); });
    return files;
}

void expect_usable(const fs::path& directory, const Config& config, bool overwrite)
{
    Config named = config;
    const std::vector<fs::path*> inputs = input_files(named);
    expect_storable(directory, "-o names another directory");
    for (const fs::path* file : inputs) expect_storable(*file, "rename it");
    if (!fs::exists(directory)) return;
    if (!fs::is_directory(directory))
        throw IoError(fmt::format("{}: is not a directory", directory.string()));
    if (fs::is_empty(directory)) return;
    if (!overwrite)
        throw IoError(fmt::format(
            "{}: is not empty; --overwrite replaces the outputs in it, -o names another directory{}",
            directory.string(),
            fs::exists(directory / checkpoint_name) ? ", --resume goes on from its checkpoint" : ""));
    for (const fs::path* file : inputs)
        if (fs::exists(*file) && fs::equivalent(fs::absolute(*file).parent_path(), directory) &&
            is_output_of_a_run(file->filename().string()))
            throw IoError(fmt::format(
                "{}: is the run's input, and --overwrite would remove it; -o names another directory",
                file->string()));
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

std::uint64_t lock_number(const fs::path& directory)
{
    struct stat found {};
    return ::stat((directory / lock_name).c_str(), &found) == 0 ? found.st_ino : 0;
}

bool holds_outputs(const fs::path& directory)
{
    return std::ranges::any_of(files_in(directory), [](const fs::path& file) {
        return is_output_of_a_run(file.filename().string());
    });
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
        const auto number = output_number(name);
        if (is_unfinished(name) || (number && *number >= first)) remove_file(file);
    }
}

void sync_outputs(const fs::path& directory, unsigned first, unsigned end)
{
    for_each_file(directory, [&](const fs::path& file) {
        const std::string name = file.filename().string();
        const auto number = output_number(name);
        const bool grows = io::coefficient_names.number_in(name).has_value();
        if (grows || (number && *number >= first && *number < end)) io::sync_file(file);
    });
    io::sync_folder(directory);
}

void write_text(const fs::path& path, const std::string& text) { io::write_text_file(path, text); }

}  // namespace aureole::run

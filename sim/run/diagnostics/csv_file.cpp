#include "sim/run/diagnostics/csv_file.hpp"

#include <fmt/format.h>

#include <fstream>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::run {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path)
{
    throw IoError(fmt::format("{}: cannot be written: {}", path.string(), io::write_failure(path)));
}

void expect_no_link(const std::filesystem::path& log)
{
    if (std::filesystem::is_symlink(log))
        throw IoError(fmt::format(
            "{}: is a symbolic link, and a run writes to files of its own directory only; remove the link",
            log.string()));
    if (std::filesystem::is_other(log))
        throw IoError(fmt::format("{}: is a device or a pipe, expected a log; remove it", log.string()));
}

/// Copies a log that has a second name (a backup by `cp -al`), so that what is written leaves that one as it
/// is.
void keep_second_names_apart(const std::filesystem::path& log)
{
    std::error_code failed;
    if (std::filesystem::hard_link_count(log, failed) < 2 || failed) return;
    const io::AtomicFile copy(log);
    std::filesystem::copy_file(log, copy.temporary(), failed);
    if (!failed) std::filesystem::rename(copy.temporary(), log, failed);
    if (failed)
        throw IoError(
            fmt::format("{}: has a second name and cannot be copied: {}", log.string(), failed.message()));
}

}  // namespace

void cut_back(const std::filesystem::path& log, std::uint64_t bytes)
{
    expect_no_link(log);
    std::error_code failed;
    const std::uint64_t there = std::filesystem::file_size(log, failed);
    if (failed || there < bytes)
        throw IoError(fmt::format("{}: is not there or shorter than the {} bytes that the checkpoint knows",
                                  log.string(), bytes));
    keep_second_names_apart(log);
    std::filesystem::resize_file(log, bytes, failed);
    if (failed) throw IoError(fmt::format("{}: cannot be cut back: {}", log.string(), failed.message()));
}

CsvFile::CsvFile(std::filesystem::path path, const std::vector<std::string>& columns,
                 std::optional<std::uint64_t> keep)
    : path_(std::move(path)), columns_(columns.size())
{
    const std::string header = fmt::format("{}\n", io::list_text(columns, ","));
    expect_no_link(path_);
    if (keep) {
        expect_to_continue(header, *keep);
        cut_back(path_, *keep);
    }
    file_.reset(std::fopen(path_.c_str(), keep ? "a" : "w"));
    if (!file_) fail(path_);
    bytes_ = keep.value_or(0);
    if (!keep) write(header);
}

/// Whether the first `keep` bytes of the file are whole rows below `header`.
void CsvFile::expect_to_continue(const std::string& header, std::uint64_t keep) const
{
    std::ifstream in(path_, std::ios::binary);
    std::string found(header.size(), '\0');
    char last = 0;
    in.read(found.data(), static_cast<std::streamsize>(found.size()));
    in.seekg(static_cast<std::streamoff>(keep) - 1);
    in.get(last);
    if (!in || found != header || last != '\n')
        throw IoError(fmt::format(
            "{}: is not the log that the checkpoint belongs to: expected {} bytes of rows below the line {}",
            path_.string(), keep, header.substr(0, header.size() - 1)));
}

void CsvFile::write(const std::string& line)
{
    if (std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) fail(path_);
    bytes_ += line.size();
}

void CsvFile::add(std::span<const double> values)
{
    AUREOLE_EXPECT(values.size() == columns_, "{} values for the {} columns of {}", values.size(), columns_,
                   path_.string());
    std::string row;
    for (const double value : values) {
        if (!row.empty()) row += ',';
        row += fmt::format("{:.17g}", value);
    }
    write(row + '\n');
}

void CsvFile::sync() const { io::sync_file(path_); }

}  // namespace aureole::run

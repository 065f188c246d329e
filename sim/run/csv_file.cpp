#include "sim/run/csv_file.hpp"

#include <cerrno>
#include <cstring>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path)
{
    throw IoError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace

CsvFile::CsvFile(std::filesystem::path path, const std::vector<std::string>& columns)
    : path_(std::move(path)), columns_(columns.size()), file_(std::fopen(path_.c_str(), "w"))
{
    if (!file_) fail(path_);
    const std::string line = fmt::format("{}\n", fmt::join(columns, ","));
    if (std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) fail(path_);
}

void CsvFile::add(std::span<const double> values)
{
    AUREOLE_EXPECT(values.size() == columns_, "{} values for the {} columns of {}", values.size(), columns_,
                   path_.string());
    const std::string line = fmt::format("{:.17g}\n", fmt::join(values, ","));
    if (std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) fail(path_);
}

}  // namespace aureole::run

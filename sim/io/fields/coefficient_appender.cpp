#include "sim/io/fields/coefficient_appender.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/fields/coefficient_file.hpp"

namespace aureole::io {

CoefficientAppender::CoefficientAppender(std::filesystem::path file) : file_(std::move(file)), copy_(file_)
{
    copy_ += partial_ending;
}

CoefficientAppender::~CoefficientAppender() { forget_copy(); }

CoefficientAppender::Identity CoefficientAppender::identity_of(const std::filesystem::path& file)
{
    struct stat found {};
    if (::lstat(file.c_str(), &found) != 0) return {};
    return {found.st_dev, found.st_ino};
}

void CoefficientAppender::write(const CoefficientFile& content)
{
    forget_copy();
    write_coefficients(file_, content);
    file_identity_ = identity_of(file_);
    in_file_ = content.moments.size();
    last_time_ = content.moments.back().time;
}

void CoefficientAppender::append(const CoefficientFile& added)
{
    expect_valid(added, file_.string());
    if (const double first = added.moments.front().time; !(first > last_time_))
        throw IoError(
            fmt::format("{}: the time is {}, expected one after {}", file_.string(), first, last_time_));
    if (!has_copy_ || !copy_is_ours_alone()) make_copy();
    const std::size_t in_copy = in_file_ - missing_.size();
    std::vector<CoefficientMoment> all = missing_;
    all.insert(all.end(), added.moments.begin(), added.moments.end());
    try {
        append_coefficient_hdf5(copy_, file_, added, in_copy, all);
    } catch (...) {
        forget_copy();
        throw;
    }
    missing_ = added.moments;
    in_file_ = in_copy + all.size();
    last_time_ = added.moments.back().time;
    change_names();
}

/// Readers of HDF5 lock a file that they have open, unless they are told not to.
bool CoefficientAppender::copy_is_ours_alone() const
{
    const int handle = ::open(copy_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (handle < 0) return false;
    struct stat found {};
    const bool ours = ::fstat(handle, &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink == 1 &&
                      Identity{found.st_dev, found.st_ino} == copy_identity_ &&
                      ::flock(handle, LOCK_EX | LOCK_NB) == 0;
    ::close(handle);
    return ours;
}

void CoefficientAppender::make_copy()
{
    has_copy_ = false;
    missing_.clear();
    {
        const AtomicFile makes_way(file_);
    }
    std::ostringstream all;
    all << std::ifstream(file_, std::ios::binary).rdbuf();
    errno = 0;
    std::ofstream to(copy_, std::ios::binary | std::ios::trunc);
    to << all.view();
    to.close();
    if (!to) {
        const std::string reason = write_failure(copy_);
        std::error_code ignored;
        std::filesystem::remove(copy_, ignored);
        throw IoError(fmt::format("{}: cannot be written: {}", file_.string(), reason));
    }
    copy_identity_ = identity_of(copy_);
    has_copy_ = true;
}

void CoefficientAppender::forget_copy()
{
    std::error_code ignored;
    if (has_copy_) std::filesystem::remove(copy_, ignored);
    has_copy_ = false;
    missing_.clear();
}

/// Where the names cannot be exchanged in one step, or another file has taken the place of that which was
/// written, the copy replaces it, and the next call makes a new copy.
void CoefficientAppender::change_names()
{
    const bool exchanged =
        identity_of(file_) == file_identity_ &&
        ::renameat2(AT_FDCWD, copy_.c_str(), AT_FDCWD, file_.c_str(), RENAME_EXCHANGE) == 0;
    std::swap(file_identity_, copy_identity_);
    if (exchanged) return;
    std::error_code failed;
    std::filesystem::rename(copy_, file_, failed);
    if (failed)
        throw IoError(
            fmt::format("{}: cannot be renamed to {}: {}", copy_.string(), file_.string(), failed.message()));
    has_copy_ = false;
    missing_.clear();
}

}  // namespace aureole::io

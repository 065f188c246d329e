// A file of coefficients that grows by one time after the other, as a run goes on.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "sim/io/fields/coefficient_file.hpp"

namespace aureole::io {

/// Two copies take turns: what is new is appended to the one that has no name yet (NAME.partial), which then
/// changes names with the other. So the file of that name is whole at every moment, whenever the program is
/// killed, and each time is written twice, however many there are before it. A copy that a reader has open,
/// or that has a second name, is left alone and replaced by a new one.
class CoefficientAppender {
public:
    /// Of a file in HDF5. Nothing is written yet.
    explicit CoefficientAppender(std::filesystem::path file);
    ~CoefficientAppender();  ///< removes the second copy
    CoefficientAppender(const CoefficientAppender&) = delete;
    CoefficientAppender& operator=(const CoefficientAppender&) = delete;

    /// Writes all of `content`, as write_coefficients() does; comes first.
    void write(const CoefficientFile& content);

    /// Adds the moments of `added`, whose other members are those of the file. Throws IoError naming the
    /// file, which is then as it was.
    void append(const CoefficientFile& added);

private:
    /// What tells one file from another on a disk.
    struct Identity {
        dev_t device = 0;
        ino_t number = 0;
        bool operator==(const Identity&) const = default;
    };
    static Identity identity_of(const std::filesystem::path& file);
    bool copy_is_ours_alone() const;
    void make_copy();
    void forget_copy();
    void change_names();

    std::filesystem::path file_, copy_;
    Identity file_identity_, copy_identity_;
    std::vector<CoefficientMoment> missing_;  ///< in the copy
    std::size_t in_file_ = 0;                 ///< moments
    double last_time_ = 0;
    bool has_copy_ = false;
};

}  // namespace aureole::io

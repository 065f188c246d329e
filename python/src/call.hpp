// What every call from Python does around the work in C++: the interpreter's lock is released, the number of
// threads is the one that the user chose, Ctrl-C and progress reach Python.
#pragma once

#include <nanobind/nanobind.h>

#include "sim/core/progress.hpp"

namespace aureole::python {

namespace nb = nanobind;

/// Lives as long as the work. Within its life no Python object may be touched but through the progress.
class Call {
public:
    /// `progress` is None or a callable (fraction, what); what it raises ends the work and is passed on.
    explicit Call(nb::handle progress = nb::handle(Py_None));
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    const Progress& progress() const { return progress_; }

private:
    Progress progress_;
    int threads_before_;
    nb::gil_scoped_release released_;
};

/// Raises what a signal handler of Python raised, KeyboardInterrupt above all. The lock may be released.
void check_signals();

/// Classes of aureole._errors for exceptions of C++, and what a fork() needs. Both modules have one number of
/// threads, and know what the other one has used: _run is given call_state() of _core.
void register_calls(nb::handle state = nb::handle());
nb::capsule call_state();

/// Throws CudaError in a process that was forked after its parent had used a GPU, which it cannot use. Device
/// -1 is the host.
void expect_no_fork(int device);
/// For the processes that will be forked from this one.
void note_device_use();

void set_num_threads(int threads);
int num_threads();

}  // namespace aureole::python

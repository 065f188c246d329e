#include "call.hpp"

#include <omp.h>
#include <pthread.h>

#include <atomic>
#include <string>

#include "sim/core/error.hpp"

namespace aureole::python {
namespace {

/// Of the process, in whichever module.
struct CallState {
    std::atomic<int> chosen_threads{0};  ///< 0: as many as OpenMP takes by itself
    std::atomic<bool> has_worked{false}, is_forked{false}, has_used_device{false},
        is_forked_from_device{false};
    int threads_at_import = 1;
};

constexpr const char* state_name = "aureole call state";
CallState of_this_module;
CallState* state = &of_this_module;

/// The threads of OpenMP's team stay in the parent: a forked child that waits for them waits for ever.
void after_fork_in_child()
{
    state->is_forked = state->is_forked || state->has_worked;
    state->is_forked_from_device = state->is_forked_from_device || state->has_used_device;
}

nb::object error_class(const char* name) { return nb::module_::import_("aureole._errors").attr(name); }

void raise(const char* name, const std::exception& error)
{
    try {
        const nb::object type = error_class(name);
        PyErr_SetString(type.ptr(), error.what());
    } catch (nb::python_error& failure) {
        failure.restore();
    }
}

void translate(const std::exception_ptr& pointer, void*)
{
    try {
        std::rethrow_exception(pointer);
    } catch (const ArgumentError& error) {
        raise("ArgumentError", error);
    } catch (const ConfigError& error) {
        raise("ConfigError", error);
    } catch (const IoError& error) {
        raise("FileError", error);
    } catch (const MemoryError& error) {
        raise("MemoryError", error);
    } catch (const CudaError& error) {
        raise("DeviceError", error);
    } catch (const Stopped& error) {
        raise("StoppedError", error);
    } catch (const Error& error) {
        raise("AureoleError", error);
    }
}

Progress callbacks_of(nb::handle progress)
{
    Progress result;
    result.stop = [] {
        check_signals();
        return false;
    };
    if (!progress.is_none())
        result.report = [progress](double fraction, std::string_view what) {
            const nb::gil_scoped_acquire lock;
            progress(fraction, nb::str(what.data(), what.size()));
        };
    return result;
}

}  // namespace

Call::Call(nb::handle progress) : progress_(callbacks_of(progress)), threads_before_(omp_get_max_threads())
{
    state->has_worked = true;
    omp_set_num_threads(num_threads());
}

Call::~Call() { omp_set_num_threads(threads_before_); }

void check_signals()
{
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void expect_no_fork(int device)
{
    if (device >= 0 && state->is_forked_from_device)
        throw CudaError(
            "device: this process was forked after its parent had used the GPU, which it cannot use any "
            "more; "
            "start processes with multiprocessing.get_context('spawn'), or compute on the CPU");
}

void note_device_use() { state->has_used_device = true; }

void register_calls(nb::handle shared)
{
    nb::register_exception_translator(translate, nullptr);
    if (shared.is_valid()) {
        state = static_cast<CallState*>(nb::cast<nb::capsule>(shared).data(state_name));
        return;
    }
    state->threads_at_import = omp_get_max_threads();
    static_cast<void>(pthread_atfork(nullptr, nullptr, after_fork_in_child));
}

nb::capsule call_state() { return {state, state_name}; }

void set_num_threads(int threads)
{
    AUREOLE_EXPECT(threads >= 1, "threads: found {}, expected at least 1", threads);
    state->chosen_threads = threads;
}

int num_threads()
{
    if (state->is_forked) return 1;
    const int chosen = state->chosen_threads;
    return chosen > 0 ? chosen : state->threads_at_import;
}

}  // namespace aureole::python

// Work of all ranks whose errors are agreed.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "sim/comm/communicator.hpp"

namespace aureole::comm {

/// Throws the error of this rank, or Error with that of the lowest rank that has one, on every rank. Of
/// memory that is missing the others hear `without_memory`. Collective; `work` must not be.
template <class Work>
void agreed(Communicator& ranks, Work work, const std::string& without_memory = "there is no memory left",
            Place place = Place::current())
{
    std::exception_ptr own;
    std::string fault;
    try {
        work();
    } catch (const std::bad_alloc&) {
        own = std::current_exception();
        fault = without_memory;
    } catch (const std::exception& error) {
        own = std::current_exception();
        fault = error.what();
    }
    try {
        ranks.agree(fault, place);
    } catch (...) {
        if (own) std::rethrow_exception(own);
        throw;
    }
}

/// Work that all ranks begin together and whose faults are agreed on inside. Passes on what all ranks know
/// of; anything else ends the job, since the others are in the middle of it. One rank alone throws.
template <class Work>
auto ending_together(Communicator& ranks, Work work, const std::string& without_memory) -> decltype(work())
{
    const std::uint64_t before = ranks.common_faults();
    const auto passes = [&] { return ranks.size() == 1 || ranks.common_faults() > before; };
    std::string fault;
    try {
        return work();
    } catch (const std::bad_alloc&) {
        if (passes()) throw;
        fault = without_memory;
    } catch (const std::exception& error) {
        if (passes()) throw;
        fault = error.what();
    }
    ranks.abort(fault);
    std::terminate();  // not reached
}

}  // namespace aureole::comm

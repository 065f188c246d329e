// NCCL, whose library is opened at run time: the types and functions that are used, as its documentation
// gives them. For sim/comm and its tests.
#pragma once

#include "sim/comm/device_moves.hpp"

namespace aureole::comm {

/// ncclUniqueId: 128 bytes that rank 0 makes and all take.
struct NcclId {
    char bytes[128];
};
struct NcclCommunicator;  ///< ncclComm

inline constexpr int nccl_success = 0, nccl_in_progress = 7;         ///< ncclResult_t
inline constexpr int nccl_uint8 = 1, nccl_uint64 = 5, nccl_sum = 0;  ///< ncclDataType_t, ncclRedOp_t

/// Functions of the library, one for each of their names.
struct NcclFunctions {
    int (*get_version)(int* version) = nullptr;
    int (*get_unique_id)(NcclId* id) = nullptr;
    int (*init_rank)(NcclCommunicator** comm, int size, NcclId id, int rank) = nullptr;
    int (*destroy)(NcclCommunicator* comm) = nullptr;
    int (*abort)(NcclCommunicator* comm) = nullptr;
    int (*async_error)(NcclCommunicator* comm, int* error) = nullptr;
    const char* (*error_string)(int error) = nullptr;
    int (*broadcast)(const void* from, void* to, std::size_t n, int type, int root, NcclCommunicator* comm,
                     CUstream_st* stream) = nullptr;
    int (*reduce)(const void* from, void* to, std::size_t n, int type, int how, int root,
                  NcclCommunicator* comm, CUstream_st* stream) = nullptr;
    int (*all_gather)(const void* mine, void* all, std::size_t n, int type, NcclCommunicator* comm,
                      CUstream_st* stream) = nullptr;
    int (*group_start)() = nullptr;
    int (*group_end)() = nullptr;
    int (*send)(const void* from, std::size_t n, int type, int to, NcclCommunicator* comm,
                CUstream_st* stream) = nullptr;
    int (*receive)(void* to, std::size_t n, int type, int from, NcclCommunicator* comm,
                   CUstream_st* stream) = nullptr;
    /// Of a stream: gpu::is_done, and another in tests.
    bool (*is_done)(CUstream_st* stream) = nullptr;
    Backend where = Backend::cuda;
};

/// Those of libnccl.so.2, or of the file that AUREOLE_NCCL_LIBRARY names, and an empty text; otherwise why
/// there are none. The library stays open.
std::string open_nccl(NcclFunctions& to);

/// Moves by these functions, on every rank; throws Error on every rank when one of them cannot begin.
std::unique_ptr<DeviceMoves> nccl_moves_by(Communicator& ranks, const NcclFunctions& functions);

/// The same by the library that is found; null on every rank, and a reason, where one of them finds none or
/// cannot begin.
std::unique_ptr<DeviceMoves> nccl_moves(Communicator& ranks, std::string& reason);

}  // namespace aureole::comm

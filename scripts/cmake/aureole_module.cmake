# One library per module. A file's name says how it is compiled (see "Kinds of file" in README.md):
#   x.cpp        C++                          x_dual.cpp     nvcc when CUDA is on, else C++
#   x.cu         nvcc, left out without CUDA   x_cuda.cpp    C++, left out without CUDA
#   x_mpi.cpp      C++, left out without MPI
#   x_simd.cpp   C++, for the baseline, AVX2 and AVX-512 (chosen at run time; sim/core/simd/instructions.hpp)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(AUREOLE_SANITIZE OFF CACHE STRING "ON: AddressSanitizer and UndefinedBehaviorSanitizer; thread: ThreadSanitizer (clang)")
if(AUREOLE_SANITIZE STREQUAL "thread")
  # g++'s OpenMP runtime is not seen by the tool, so that every parallel loop would look like a race
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "AUREOLE_SANITIZE=thread needs clang++ and its OpenMP runtime; scripts/sanitize thread sets both")
  endif()
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(AUREOLE_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=address,undefined)
endif()
option(AUREOLE_FUZZ "Fuzz the readers (tests/fuzz): libFuzzer and sanitizers, needs clang" OFF)
if(AUREOLE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "AUREOLE_FUZZ needs clang (-DCMAKE_CXX_COMPILER=clang++), found ${CMAKE_CXX_COMPILER_ID}")
  endif()
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=address,undefined)
endif()
# ccache keeps nothing that was compiled with precompiled headers: where it works, headers are read as ever.
if("${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_LAUNCHER}" MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
# Sources compiled as one, batches of eight: a full build takes less time, one after a touch more. Test programs and the Python
# package are built so, and modules with sanitizers or where it is asked for (.ci/run, scripts/aarch64); what users,
# scripts/gpu_check and builds of developers compile proves that each source includes what it needs of ours. Names of a source
# in an anonymous namespace are unique within a batch. Work on batches with -DAUREOLE_BATCHES=0.
set(AUREOLE_BATCHES 8 CACHE STRING "Sources that are compiled as one, of some tests and with sanitizers; 0: each by itself")
set(CMAKE_UNITY_BUILD_BATCH_SIZE ${AUREOLE_BATCHES})
include(CMakeDependentOption)
cmake_dependent_option(AUREOLE_MODULES_IN_BATCHES "Compile the sources of modules in batches, too" "${AUREOLE_SANITIZE}"
                       AUREOLE_BATCHES OFF)
# nvcc reads the headers of a source four times, half of its time, so that .ci/run compiles sources of a folder as one
option(AUREOLE_CUDA_IN_BATCHES "Compile what nvcc compiles in batches" OFF)
option(AUREOLE_WARNINGS_ARE_ERRORS "For the compilers of .ci/run; others warn of other things" OFF)
option(AUREOLE_SYNC_KERNELS "Wait after every kernel, so that a fault names its own" OFF)

function(aureole_module_sources module result)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${module}/*.cpp ${PROJECT_SOURCE_DIR}/${module}/*.cu)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "${AUREOLE_OTHER_FFT}$")
  if(NOT AUREOLE_MPI)
    list(FILTER sources EXCLUDE REGEX "_mpi\\.cpp$")
  endif()
  if(AUREOLE_WITH_CUDA)
    list(FILTER sources EXCLUDE REGEX "_none\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "(\\.cu|_cuda\\.cpp)$")
  endif()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# Of the sources in the list `list` those that nvcc compiles, up to five with the same options as one
function(aureole_cuda_batches name list)
  set(others)
  set(batches)
  foreach(source ${${list}})
    if(NOT source MATCHES "(_dual\\.cpp|\\.cu)$")
      list(APPEND others ${source})
      continue()
    endif()
    get_property(options SOURCE ${source} PROPERTY COMPILE_OPTIONS)
    string(MD5 kind "${options}")
    math(EXPR n_${kind} "0${n_${kind}} + 1")
    math(EXPR k "(${n_${kind}} - 1) / 5")
    string(APPEND content_${kind}_${k} "#include \"${source}\"\n")
    string(SUBSTRING ${kind} 0 4 short)
    set(batch ${PROJECT_BINARY_DIR}/cuda_batches/${name}_${short}_${k}.cu)
    set(content_of_${batch} "${content_${kind}_${k}}")
    set_property(SOURCE ${batch} PROPERTY COMPILE_OPTIONS ${options})
    list(APPEND batches ${batch})
  endforeach()
  list(REMOVE_DUPLICATES batches)
  foreach(batch ${batches})  # once for each, so that one that stays as it was is not compiled again
    file(CONFIGURE OUTPUT ${batch} CONTENT "${content_of_${batch}}" @ONLY)
  endforeach()
  set(${list} ${others} ${batches} PARENT_SCOPE)
endfunction()

# -Wno-restrict, -Wno-maybe-uninitialized: g++ 12 warns of its own std::string (GCC bugs 105651, 105562)
function(aureole_compile_options target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:${OpenMP_CXX_FLAGS} -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict -Wno-maybe-uninitialized>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${OpenMP_CXX_FLAGS} -Xcompiler=-Wall --extended-lambda>)
  if(AUREOLE_WARNINGS_ARE_ERRORS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  endif()
  if(AUREOLE_SYNC_KERNELS)
    target_compile_definitions(${target} PRIVATE AUREOLE_SYNC_KERNELS)
  endif()
  # Checks of every address take a quarter of the time to compile. They stand where bytes of files, devices and other ranks
  # become numbers; elsewhere AddressSanitizer ends at a null pointer or a foreign address that is used.
  if(AUREOLE_SANITIZE STREQUAL "ON" AND NOT target MATCHES "^aureole_sim_(core|comm|io)(_|$)")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,alignment,object-size>)
  endif()
endfunction()

# The sources x_simd.cpp of a module once more for each set of instructions beyond the baseline. Other machines than x86-64
# have the names alone: what stands behind them is the baseline, and never chosen.
set(AUREOLE_SIMD_avx2 -mavx2 -mfma)
set(AUREOLE_SIMD_avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mprefer-vector-width=512)
function(aureole_simd_objects name libraries)
  foreach(set avx2 avx512)
    string(TOUPPER ${set} upper)
    add_library(aureole_${name}_${set} OBJECT ${ARGN})
    aureole_compile_options(aureole_${name}_${set})
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      target_compile_options(aureole_${name}_${set} PRIVATE ${AUREOLE_SIMD_${set}})
    endif()
    target_compile_definitions(aureole_${name}_${set} PRIVATE AUREOLE_SIMD_${upper})
    target_compile_features(aureole_${name}_${set} PRIVATE cxx_std_20)
    target_link_libraries(aureole_${name}_${set} PRIVATE ${libraries})
    target_sources(aureole_${name} PRIVATE $<TARGET_OBJECTS:aureole_${name}_${set}>)
  endforeach()
endfunction()

# aureole_module(<folder> DEPENDS <modules> LIBRARIES <packages>): target aureole_<folder with _ for />
function(aureole_module module)
  cmake_parse_arguments(R "" "" "DEPENDS;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" name ${module})
  aureole_module_sources(${module} sources)
  foreach(source ${sources})
    if(AUREOLE_WITH_CUDA AND source MATCHES "_dual\\.cpp$")
      set_source_files_properties(${source} PROPERTIES LANGUAGE CUDA)
    endif()
  endforeach()
  if(AUREOLE_CUDA_IN_BATCHES)
    aureole_cuda_batches(${name} sources)
  endif()
  list(TRANSFORM R_DEPENDS REPLACE "/" "_")
  list(TRANSFORM R_DEPENDS PREPEND "aureole_")
  set(scope PUBLIC)
  if(sources)
    add_library(aureole_${name} STATIC ${sources})
    aureole_compile_options(aureole_${name})
  else()
    add_library(aureole_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  # With sanitizers half of the time of a build goes into the optimisation of what is not worth it: modules that read words
  # and call others are not optimised there
  set(plain sim_config sim_run sim_live sim_cli)
  set(precompiled cosmology)
  if(NOT AUREOLE_SANITIZE STREQUAL "ON" OR name MATCHES "^sim_(core|comm|io)$")
    set(precompiled sim_core)
  elseif(name IN_LIST plain)
    target_compile_options(aureole_${name} PRIVATE -O0)
    set(precompiled sim_config)
  endif()
  # The headers of others, compiled once for all modules of the same options. Builds whose warnings are read do without:
  # g++ 12 warns falsely where headers are precompiled. Clang would refuse them for files with options of their own.
  if(AUREOLE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND sources)
    if(name STREQUAL precompiled)
      target_precompile_headers(aureole_${name} PRIVATE <algorithm> <array> <cmath> <complex> <cstdint> <filesystem>
        <functional> <limits> <map> <memory> <optional> <span> <sstream> <string> <unordered_map> <variant> <vector>
        <fmt/format.h>)
    else()
      target_precompile_headers(aureole_${name} REUSE_FROM aureole_${precompiled})
    endif()
  endif()
  if(AUREOLE_MODULES_IN_BATCHES AND sources)
    set_target_properties(aureole_${name} PROPERTIES UNITY_BUILD ON)
    # for those sources that need it (aureole_contraction); types of a source's own in a struct that it declares, too
    target_compile_options(aureole_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
                           $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
  target_include_directories(aureole_${name} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_features(aureole_${name} ${scope} cxx_std_20)
  target_link_libraries(aureole_${name} ${scope} ${R_DEPENDS} ${R_LIBRARIES} fmt::fmt OpenMP::OpenMP_CXX)
  if(AUREOLE_WITH_CUDA)
    target_link_libraries(aureole_${name} ${scope} CUDA::cudart_static)
  endif()
  list(FILTER sources INCLUDE REGEX "_simd\\.cpp$")
  if(sources)
    aureole_simd_objects(${name} "${R_DEPENDS};${R_LIBRARIES};fmt::fmt;OpenMP::OpenMP_CXX" ${sources})
  endif()
endfunction()

# version.hpp in the build folder: revision and compilers, renewed by every build when they change
set(version_header ${PROJECT_BINARY_DIR}/generated/sim/cli/version.hpp)
add_custom_target(aureole_write_version BYPRODUCTS ${version_header}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DTO=${version_header} -DVERSION=${PROJECT_VERSION}
          "-DCXX=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
          "-DCUDA=${CMAKE_CUDA_COMPILER_VERSION}" "-DBUILD=${CMAKE_BUILD_TYPE}"
          -P ${CMAKE_CURRENT_LIST_DIR}/write_version.cmake VERBATIM)
add_library(aureole_version INTERFACE)
add_dependencies(aureole_version aureole_write_version)
target_include_directories(aureole_version INTERFACE ${PROJECT_BINARY_DIR}/generated)

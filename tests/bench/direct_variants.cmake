# bench_direct_variants: shapes of the CUDA direct sum against each other (one GPU call answers which is best). It is
# built by its name alone: its kernels take as long to compile as ten others.
if(AUREOLE_WITH_CUDA)
  add_executable(bench_direct_variants EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/bench_direct_variants.cu)
  target_link_libraries(bench_direct_variants PRIVATE aureole_gravity)
  target_include_directories(bench_direct_variants PRIVATE ${PROJECT_SOURCE_DIR})
  # the longest of all sources to compile: for the newest of the GPUs that were asked for alone
  list(GET CMAKE_CUDA_ARCHITECTURES -1 newest)
  set_target_properties(bench_direct_variants PROPERTIES CUDA_ARCHITECTURES "${newest}")
endif()

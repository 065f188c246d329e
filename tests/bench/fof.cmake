add_executable(bench_fof ${CMAKE_CURRENT_LIST_DIR}/bench_fof.cpp)
target_link_libraries(bench_fof PRIVATE aureole_halo)

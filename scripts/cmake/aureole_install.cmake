# `cmake --install`: the program with its manual page and completions, and the library: headers, static libraries,
# aureoleConfig.cmake with the targets aureole::halo, aureole::gravity, ... (a module's path with _ for /), aureole.pc.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(modules sim/core sim/comm cosmology sim/io gravity integrators ics halo density sim/config sim/analysis sim/pictures sim/run)
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/aureole)  # #include "halo/finder.hpp" as within the project
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/aureole)

install(TARGETS aureole COMPONENT program)
set(libraries)
foreach(module ${modules})
  string(REPLACE "/" "_" name ${module})
  set_target_properties(aureole_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS aureole_${name} EXPORT aureole ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          INCLUDES DESTINATION ${headers})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${module}/ DESTINATION ${headers}/${module} COMPONENT development
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
  list(PREPEND libraries -laureole_${name})  # users before those whom they use
endforeach()
# Libraries of third_party/ that stand for the system's go along, under names of ours.
set(AUREOLE_SYSTEM_LIBRARIES fmt yaml-cpp)
foreach(library fmt yaml-cpp)
  string(MAKE_C_IDENTIFIER aureole_${library} name)
  if(library IN_LIST AUREOLE_VENDORED_LIBRARIES)
    set_target_properties(${name} PROPERTIES EXPORT_NAME ${library})
    target_include_directories(${name} PUBLIC $<INSTALL_INTERFACE:${headers}/third_party/${library}>)
    install(TARGETS ${name} EXPORT aureole ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/third_party/${library}/include/
            DESTINATION ${headers}/third_party/${library} COMPONENT development)
    list(REMOVE_ITEM AUREOLE_SYSTEM_LIBRARIES ${library})
    string(APPEND AUREOLE_PC_INCLUDES " -I\${includedir}/aureole/third_party/${library}")
    list(APPEND libraries -l${name})
  endif()
endforeach()
list(JOIN AUREOLE_SYSTEM_LIBRARIES " " AUREOLE_SYSTEM_LIBRARIES)
install(EXPORT aureole NAMESPACE aureole:: DESTINATION ${package} FILE aureoleTargets.cmake COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/aureoleConfig.cmake.in ${PROJECT_BINARY_DIR}/aureoleConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/aureoleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/aureoleConfig.cmake ${PROJECT_BINARY_DIR}/aureoleConfigVersion.cmake
        DESTINATION ${package} COMPONENT development)

# For builds without CMake. The libraries are static: what they need is always linked.
list(JOIN libraries " " AUREOLE_PC_LIBRARIES)
string(JOIN " " AUREOLE_PC_OTHERS ${HDF5_C_LIBRARIES} ${PNG_LIBRARIES} ${OpenMP_CXX_FLAGS})
if(AUREOLE_WITH_CUDA)
  string(APPEND AUREOLE_PC_OTHERS " ${CUDAToolkit_LIBRARY_DIR}/libcudart_static.a -ldl -lrt -lpthread")
  set(AUREOLE_PC_DEFINITIONS "-DAUREOLE_WITH_CUDA")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/aureole.pc.in ${PROJECT_BINARY_DIR}/aureole.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/aureole.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# The program writes its own pages, where it can be run here.
if(NOT CMAKE_CROSSCOMPILING)
  set(pages ${PROJECT_BINARY_DIR}/generated/pages)
  file(MAKE_DIRECTORY ${pages})
  add_custom_command(TARGET aureole POST_BUILD COMMENT "Writing the manual page and the completions" VERBATIM
    COMMAND sh -c "\"$1\" manual > \"$2\"/aureole.1 && \"$1\" completion bash > \"$2\"/aureole && \
\"$1\" completion zsh > \"$2\"/_aureole && \"$1\" completion fish > \"$2\"/aureole.fish"
            pages $<TARGET_FILE:aureole> ${pages})
  install(FILES ${pages}/aureole.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${pages}/aureole DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${pages}/_aureole DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
  install(FILES ${pages}/aureole.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endif()

# Run at build time: writes ${TO} when git revision, compilers or build type changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR revision STREQUAL "")
  set(revision "unknown")
endif()
if(CUDA)
  set(cuda "nvcc ${CUDA}")
endif()
set(text "// Written by the build.
#pragma once

#define AUREOLE_VERSION \"${VERSION}\"
#define AUREOLE_GIT_REVISION \"${revision}\"
#define AUREOLE_CXX_COMPILER \"${CXX}\"
#define AUREOLE_CUDA_COMPILER \"${cuda}\"  // empty without CUDA
#define AUREOLE_BUILD_TYPE \"${BUILD}\"
")
if(EXISTS ${TO})
  file(READ ${TO} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${TO} "${text}")
endif()

# Sources whose products and sums are not fused, so that they agree bit for bit with every instruction set and on either
# backend. Where modules are compiled in batches all sources in C++ are without fused products (aureole_module()), since one
# with options of its own is in no batch.
if(AUREOLE_MODULES_IN_BATCHES)
  # the first define names that others of them define, too; who links the library for other parts of halo than ranks shall not
  # need that of ranks, and MPI
  file(GLOB one_by_one ${PROJECT_SOURCE_DIR}/gravity/ranks/domains/*.cpp ${PROJECT_SOURCE_DIR}/halo/ranks/*.cpp)
  set_source_files_properties(${one_by_one} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(NOT AUREOLE_WITH_CUDA)
    return()
  endif()
else()
  set_property(SOURCE sim/core/random.cpp sim/core/fft/fft_pocketfft.cpp sim/core/numerics/portable_math.cpp
                      sim/core/numerics/kepler_orbit.cpp sim/core/numerics/cubic_spline.cpp
                      sim/run/adaptation/axial_field.cpp sim/run/adaptation/adapt_spheres.cpp
               APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off)
endif()
# shares of clouds, meshes, grids about groups, places of lattice cubes, pixels, and members of spheres agree bit for bit on
# both backends
if(AUREOLE_WITH_CUDA)
  set(not_fused -fmad=false -Xcompiler=-ffp-contract=off)
else()
  set(not_fused -ffp-contract=off)
endif()
set_property(SOURCE density/deposit/mass_assignment_dual.cpp density/points/point_search_dual.cpp
                    sim/pictures/surface_loops_dual.cpp sim/pictures/pixel_loops_dual.cpp
                    halo/centres/poisson/grid_loops_dual.cpp sim/core/mesh/assignment_dual.cpp
                    halo/overdensity/radial_lists_dual.cpp halo/catalogue/catalogue_loops_dual.cpp
                    sim/analysis/power_loops_dual.cpp
             APPEND PROPERTY COMPILE_OPTIONS ${not_fused})
# pixels are taken several at a time: roots without errno, both sides of a choice
if(AUREOLE_WITH_CUDA)
  set(side_by_side -Xcompiler=-fno-math-errno,-fno-trapping-math)
else()
  set(side_by_side -fno-math-errno -fno-trapping-math)
endif()
set_property(SOURCE sim/pictures/pixel_loops_dual.cpp APPEND PROPERTY COMPILE_OPTIONS ${side_by_side})
# so have decisions of the search for subhalos
file(GLOB substructure RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/halo/substructure/*.cpp ${PROJECT_SOURCE_DIR}/halo/substructure/*.cu)
list(FILTER substructure EXCLUDE REGEX "_simd\\.cpp$")
foreach(source ${substructure})
  if(source MATCHES "_dual\\.cpp$|\\.cu$")
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${not_fused})
  elseif(NOT AUREOLE_MODULES_IN_BATCHES)
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off)
  endif()
endforeach()

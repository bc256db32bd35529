# find_package(dftracer) for projects that were written for DFTracer. Defines targets and variables by the names that
# they use; all targets are the same one. Works from a build directory and from an installed PREFIX, which may be moved.

get_filename_component(_dftracer_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(DFTRACER_INCLUDE_DIRS "${_dftracer_prefix}/include")
set(DFTRACER_LIBRARY_DIRS "${_dftracer_prefix}/lib")
foreach(_dftracer_file IN ITEMS "${DFTRACER_INCLUDE_DIRS}/dftracer/dftracer.h" "${DFTRACER_LIBRARY_DIRS}/libdftrace.so")
  if(NOT EXISTS "${_dftracer_file}")
    set(dftracer_FOUND FALSE)
    set(dftracer_NOT_FOUND_MESSAGE "${_dftracer_file} is missing: build or install dftrace again")
    return()
  endif()
endforeach()

# Linked also where the linker drops libraries that nothing needs: events have weak references to the library only.
if(NOT TARGET dftracer)
  add_library(dftracer INTERFACE IMPORTED)
  set_target_properties(dftracer PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${DFTRACER_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "-L${DFTRACER_LIBRARY_DIRS};-Wl,-rpath,${DFTRACER_LIBRARY_DIRS};-Wl,--push-state,--no-as-needed,-ldftrace,--pop-state")
endif()
foreach(_dftracer_target IN ITEMS dftracer::dftracer dftracer::dftracer_core dftracer_core DFTRACER::dftracer)
  if(NOT TARGET ${_dftracer_target})
    add_library(${_dftracer_target} INTERFACE IMPORTED)
    set_target_properties(${_dftracer_target} PROPERTIES INTERFACE_LINK_LIBRARIES dftracer)
  endif()
endforeach()

set(DFTRACER_FOUND TRUE)
set(DFTRACER_VERSION "${dftracer_VERSION}")
set(DFTRACER_LIBRARIES dftracer)
set(DFTRACER_FUNCTION_FLAGS -g -finstrument-functions -Wl,-E -fvisibility=default)
foreach(_dftracer_variable IN ITEMS INCLUDE_DIRS LIBRARY_DIRS LIBRARIES VERSION)
  set(dftracer_${_dftracer_variable} "${DFTRACER_${_dftracer_variable}}")
endforeach()
set(dftracer_LIB_DIR "${DFTRACER_LIBRARY_DIRS}")
unset(_dftracer_prefix)
unset(_dftracer_file)
unset(_dftracer_target)
unset(_dftracer_variable)

# SPDX-License-Identifier: Apache-2.0
# `cmake --install` puts headers, library, program and the CMake package in place: find_package(heed) finds them.
include(CMakePackageConfigHelpers)
set(heed_package ${CMAKE_INSTALL_LIBDIR}/cmake/heed)

set_target_properties(heed_core PROPERTIES INSTALL_RPATH "\$ORIGIN")
install(TARGETS heed_core EXPORT heed_core${heed_suffix}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT heed_core${heed_suffix} NAMESPACE heed:: DESTINATION ${heed_package})
if(NOT HEED_REAL STREQUAL double)
  set_target_properties(heed PROPERTIES INSTALL_RPATH "\$ORIGIN")
  set_target_properties(heed_program PROPERTIES INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS heed EXPORT heed_heed
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT heed_heed NAMESPACE heed:: DESTINATION ${heed_package})
  install(TARGETS heed_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # Manual pages, written by the program itself from what its help says.
  install(CODE "execute_process(COMMAND $<TARGET_FILE:heed_program> help --manual ${PROJECT_BINARY_DIR}/man1
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/heed)
endif()

# Warnings are a build-time matter and stay here, but what changes the layout of objects must reach the user:
# Real through HEED_REAL, and in `dev` the in-place write check together with the sanitizers.
if(HEED_SANITIZE)
  target_compile_definitions(heed_core INTERFACE HEED_CHECK_VERSIONS=1)
  target_compile_options(heed_core INTERFACE ${heed_sanitizers})
  target_link_options(heed_core INTERFACE ${heed_sanitizers})
endif()

# heed_install_pkg_config(NAME LIBRARY REQUIRES): for those who build without CMake.
function(heed_install_pkg_config name library requires)
  set(heed_pc_name ${name})
  set(heed_pc_library ${library})
  set(heed_pc_requires ${requires})
  list(TRANSFORM heed_definitions PREPEND -D OUTPUT_VARIABLE definitions)
  list(JOIN definitions " " heed_pc_definitions)
  file(RELATIVE_PATH heed_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/heed.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
if(HEED_REAL STREQUAL double)
  heed_install_pkg_config(heed-core-double heed_core_double fmt)
else()
  heed_install_pkg_config(heed-core heed_core fmt)
  heed_install_pkg_config(heed heed heed-core)
endif()

# Headers that a program may include say `#pragma once  // public header`; what they include comes with them.
file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/heed/*.h)
set(waiting "")
foreach(header IN LISTS headers)
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/${header} mark REGEX "^#pragma once  // public header$")
  if(mark)
    list(APPEND waiting ${header})
  endif()
endforeach()
set(installed "")
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST installed)
    continue()
  endif()
  list(APPEND installed ${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/${header} includes REGEX "^#include \"heed/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" include "${include}")
    list(APPEND waiting ${include})
  endforeach()
endwhile()
foreach(header IN LISTS installed)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/heedConfig.cmake.in ${PROJECT_BINARY_DIR}/heedConfig.cmake
  INSTALL_DESTINATION ${heed_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heedConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heedConfig.cmake ${PROJECT_BINARY_DIR}/heedConfigVersion.cmake
  DESTINATION ${heed_package})

# SPDX-License-Identifier: Apache-2.0
# `cmake --install` puts headers, library, program and the CMake package in place: find_package(heed) finds them.
include(CMakePackageConfigHelpers)
set(heed_package ${CMAKE_INSTALL_LIBDIR}/cmake/heed)

set_target_properties(heed PROPERTIES INSTALL_RPATH "\$ORIGIN")
set_target_properties(heed_program PROPERTIES INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS heed EXPORT heedTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS heed_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Warnings are a build-time matter and stay here, but what changes the layout of objects must reach the user:
# Real through HEED_REAL, and in `dev` the in-place write check together with the sanitizers.
if(HEED_SANITIZE)
  target_compile_definitions(heed INTERFACE HEED_CHECK_VERSIONS=1)
  target_compile_options(heed INTERFACE ${heed_sanitizers})
  target_link_options(heed INTERFACE ${heed_sanitizers})
endif()

# Left out: what only tests, fuzz targets and the kernels' own sources include.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/heed DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
  PATTERN "*testing.h" EXCLUDE PATTERN "*fuzzing.h" EXCLUDE PATTERN "*-inl.h" EXCLUDE PATTERN "highway.h" EXCLUDE)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/heed)

install(EXPORT heedTargets NAMESPACE heed:: DESTINATION ${heed_package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/heedConfig.cmake.in ${PROJECT_BINARY_DIR}/heedConfig.cmake
  INSTALL_DESTINATION ${heed_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heedConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heedConfig.cmake ${PROJECT_BINARY_DIR}/heedConfigVersion.cmake
  DESTINATION ${heed_package})

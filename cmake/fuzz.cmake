# SPDX-License-Identifier: Apache-2.0
# libFuzzer targets: each src/heed/base/*_fuzz.cpp becomes a program that links base/ only.
file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/heed/base/*_fuzz.cpp)
target_compile_options(heed_base PRIVATE -fsanitize=fuzzer-no-link)  # so that coverage steers the search
foreach(source IN LISTS fuzzers)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE heed_base)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()

# SPDX-License-Identifier: Apache-2.0
# One test program per layer, made of the *_test.cpp beside the sources and linked to that layer and those before it:
# a call up the ladder does not link.
find_package(GTest REQUIRED)

# Tests are built quickly rather than run quickly: -O0 halves what -O2 takes. Those that check against plain loops of
# their own would then run for minutes.
set(heed_tests_with_loops kernels autograd attention laws)
set(heed_heavy_headers_of_attention <nlohmann/json.hpp> ${PROJECT_SOURCE_DIR}/src/heed/attention/mechanism.h)
set(heed_heavy_headers_of_server <nlohmann/json.hpp> <httplib.h>)
set(heed_heavy_headers_of_models ${PROJECT_SOURCE_DIR}/src/heed/models/encoder_decoder.h)
# Others are compiled ten files at a time: most of what a small one costs are the templates of GoogleTest and JSON. Names
# in the unnamed namespaces of one layer's tests differ, therefore.
set(heed_tests_apart kernels laws)
if(HEED_REAL STREQUAL double)
  list(APPEND heed_tests_apart attention models)  # few files, which two cores share
endif()
function(heed_add_test name)
  add_executable(${name}_test ${ARGN})
  if(name IN_LIST heed_tests_with_loops)
    target_compile_options(${name}_test PRIVATE -O1)
  else()
    target_compile_options(${name}_test PRIVATE -O0)
  endif()
  if(name IN_LIST heed_layers_over_attention AND NOT name STREQUAL models AND TARGET models_test)
    target_precompile_headers(${name}_test REUSE_FROM models_test)
  else()
    list(LENGTH ARGN files)
    if(files GREATER 20 OR name IN_LIST heed_tests_apart OR NOT HEED_UNITY)  # else they are read once or twice anyway
      target_precompile_headers(${name}_test PRIVATE <gtest/gtest.h> ${heed_heavy_headers_of_${name}})
    endif()
  endif()
  if(NOT name IN_LIST heed_tests_apart)
    set_target_properties(${name}_test PROPERTIES UNITY_BUILD ${HEED_UNITY} UNITY_BUILD_BATCH_SIZE 10)
  endif()
  if(name STREQUAL end_to_end AND HEED_SANITIZE STREQUAL address)
    # In thirds, one at a time: under AddressSanitizer the whole takes a quarter of an hour.
    foreach(third RANGE 2)
      add_test(NAME ${name}_${third} COMMAND ${name}_test --gtest_brief=1)
      set_tests_properties(${name}_${third} PROPERTIES COST 100 RESOURCE_LOCK ${name}
        ENVIRONMENT "GTEST_TOTAL_SHARDS=3;GTEST_SHARD_INDEX=${third}")
    endforeach()
    return()
  endif()
  add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
  if(name STREQUAL end_to_end)
    set_tests_properties(${name} PROPERTIES COST 100)  # the longest begins first
  endif()
endfunction()

# Kernels are tested for both types on every CPU target: the same sources once more, for the type that is not Real, but
# for those that the library has for both.
if(NOT HEED_REAL STREQUAL double)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/heed/kernels/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/(attention_plan|measure|onednn|targets)\\.cpp$")  # no type in these
  list(TRANSFORM heed_kernels_of_rows REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/heed/kernels/\\1.cpp" OUTPUT_VARIABLE in_both)
  list(REMOVE_ITEM sources ${in_both})
  add_library(heed_kernels_in_double OBJECT ${sources})
  target_link_libraries(heed_kernels_in_double PUBLIC heed_base ${heed_libraries_of_kernels})
  heed_compile_kernels(heed_kernels_in_double double)
  target_compile_options(heed_kernels_in_double PRIVATE -O1)
endif()

set(layers_so_far "")
set(tested_layers ${heed_layers})
if(HEED_REAL STREQUAL double)
  list(REMOVE_ITEM tested_layers corpora metrics)  # no gradient passes through them
endif()
foreach(layer IN LISTS tested_layers)
  if(TARGET heed_${layer})
    list(APPEND layers_so_far heed_${layer})
  endif()
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/heed/${layer}/*_test.cpp)
  # Finite differences need double; all else is tested in the release build.
  if(HEED_REAL STREQUAL double)
    list(FILTER tests INCLUDE REGEX "gradcheck_test\\.cpp$")
  else()
    list(FILTER tests EXCLUDE REGEX "gradcheck_test\\.cpp$")
  endif()
  if(tests)
    heed_add_test(${layer} ${tests})
    target_link_libraries(${layer}_test PRIVATE ${layers_so_far} GTest::gtest_main)
    target_compile_definitions(${layer}_test PRIVATE HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endif()
endforeach()
if(TARGET heed_kernels_in_double)
  target_link_libraries(kernels_test PRIVATE heed_kernels_in_double)
endif()

# The tests of the server, of what it shares with the verbs and of what benchmarks measure are beside their sources, too.
if(NOT HEED_REAL STREQUAL double)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/server/*_test.cpp
    ${PROJECT_SOURCE_DIR}/apps/attend/*_test.cpp)
  heed_add_test(server ${tests})
  target_compile_definitions(server_test PRIVATE ${heed_httplib_definitions})
  target_link_libraries(server_test PRIVATE heed_server heed_attend GTest::gtest_main)

  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/cli/bench/*_test.cpp)
  string(REPLACE _test.cpp .cpp tested "${tests}")
  heed_add_test(bench ${tests} ${tested})
  target_include_directories(bench_test PRIVATE ${PROJECT_SOURCE_DIR}/apps)
  target_compile_definitions(bench_test PRIVATE HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(bench_test PRIVATE ${heed_objects} GTest::gtest_main)
endif()

# The corpora of the fuzz targets, read by the same functions.
if(NOT HEED_REAL STREQUAL double)
  heed_add_test(fuzz ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_test.cpp ${heed_fuzz_sources})
  target_sources(fuzz_test PRIVATE $<TARGET_OBJECTS:heed_attend> $<TARGET_OBJECTS:heed_server>)
  target_include_directories(fuzz_test PRIVATE ${PROJECT_SOURCE_DIR}/apps)
  target_compile_definitions(fuzz_test PRIVATE HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ${heed_httplib_definitions})
  target_link_libraries(fuzz_test PRIVATE ${heed_objects} ${heed_httplib} GTest::gtest_main)
endif()

foreach(suite architecture laws misuse end_to_end)
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${suite}/*_test.cpp)
  if(suite STREQUAL laws)
    # The parts of the examples list themselves as any other: the laws hold for them as they are.
    file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*/*.cpp)
    list(FILTER parts EXCLUDE REGEX "/main\\.cpp$")
    list(APPEND tests ${parts})
  elseif(suite STREQUAL end_to_end)
    list(APPEND tests ${PROJECT_SOURCE_DIR}/apps/cli/command_line.cpp ${PROJECT_SOURCE_DIR}/apps/cli/help_page.cpp)
  endif()
  if(tests AND NOT HEED_REAL STREQUAL double)
    heed_add_test(${suite} ${tests})
    if(HEED_SANITIZE)
      # g++ 12 sees ghosts inside std::regex when the sanitizers are on.
      target_compile_options(${suite}_test PRIVATE -Wno-maybe-uninitialized)
    endif()
    target_link_libraries(${suite}_test PRIVATE ${heed_objects} GTest::gtest_main)
    target_include_directories(${suite}_test PRIVATE ${PROJECT_SOURCE_DIR}/apps)
    target_compile_definitions(${suite}_test PRIVATE
      HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}" HEED_PROGRAM="$<TARGET_FILE:heed_program>" HEED_BUILD_DIR="${PROJECT_BINARY_DIR}")
    if(suite STREQUAL end_to_end)
      add_dependencies(${suite}_test heed_program)
    endif()
  endif()
endforeach()

# What the libraries export, a hundred names for each kind of model among them and fifty for explaining; in the sanitizers' builds their run-time
# library exports more.
if(BUILD_SHARED_LIBS AND NOT HEED_SANITIZE)
  set(exporting $<TARGET_FILE:heed_core>)
  if(NOT HEED_REAL STREQUAL double)
    list(APPEND exporting $<TARGET_FILE:heed>)
  endif()
  file(GLOB kinds CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/heed/pipeline/*/*_kind.cpp)
  list(LENGTH kinds kinds)
  math(EXPR most "1150 + 100 * ${kinds}")
  add_test(NAME exports COMMAND ${CMAKE_COMMAND} "-DLIBRARIES=${exporting}" -DNAMESPACE=${heed_namespace} -DMOST=${most}
    -P ${PROJECT_SOURCE_DIR}/tests/exports/exports.cmake)
  if(HEED_REAL STREQUAL double)
    add_test(NAME both COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DSOURCE=${PROJECT_SOURCE_DIR}
      -DFLOAT=${PROJECT_SOURCE_DIR}/build/release/libheed_core.so -DDOUBLE=$<TARGET_FILE:heed_core>
      -DFOLDER=${PROJECT_BINARY_DIR}/both -P ${PROJECT_SOURCE_DIR}/tests/exports/both.cmake)
  endif()
endif()

# What has threads of its own is the server: its tests, and those that run the program as one. OpenMP's barriers are not
# known to ThreadSanitizer, so the preset gives it one thread.
if(HEED_SANITIZE STREQUAL thread)
  add_test(NAME serve COMMAND end_to_end_test --gtest_brief=1 --gtest_filter=HeedServe*:AHostileClient*)
  set_tests_properties(server serve PROPERTIES LABELS thread)
endif()

# The viewer page in a real browser; `tools/setup browser` installs what it needs.
if(NOT HEED_REAL STREQUAL double AND NOT HEED_SANITIZE)
  find_program(heed_node node nodejs)
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/browser/*_test.mjs)
  if(NOT heed_node)
    set(heed_node node)  # the test then says that it is missing
  endif()
  add_test(NAME browser COMMAND ${heed_node} --test ${tests})
  set_tests_properties(browser PROPERTIES LABELS browser ENVIRONMENT "HEED_PROGRAM=$<TARGET_FILE:heed_program>"
    RUN_SERIAL TRUE)  # it waits for drawings
endif()

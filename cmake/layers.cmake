# SPDX-License-Identifier: Apache-2.0
# The ladder: each folder of src/heed is an object library that sees only the layers listed before it.
# Sources are found by name, so that a new part is its own file and nothing else.
find_package(OpenMP REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_path(heed_dnnl dnnl.h REQUIRED)  # the library is loaded when it is asked for: see kernels/products/onednn.cpp
find_library(heed_hwy hwy REQUIRED)
find_library(heed_sentencepiece sentencepiece REQUIRED)
find_library(heed_utf8proc utf8proc REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(heed_pango REQUIRED pangocairo)  # its headers lie in folders of their own

set(heed_layers base kernels tensor autograd nn attention text images corpora metrics models decoding training insight explain pipeline)
# What heed::core is made of: no text, no pictures, no models.
set(heed_core_layers base kernels tensor autograd nn attention)
set(heed_layers_over_attention models decoding training insight explain pipeline)
set(heed_united_layers base tensor autograd nn attention text images corpora metrics models decoding training insight explain pipeline)
# What calls the layers below and writes down what they say: with -O2 their files took 221 s of three jobs to compile,
# with -O1 175, and greedy and beam search are as fast.
set(heed_glue_layers insight explain pipeline)
# The sanitizers' builds leave all else at -O0, which takes half as long to compile.
set(heed_layers_with_loops base tensor autograd nn attention text images)
if(HEED_FUZZ)
  set(heed_layers_with_loops ${heed_united_layers})  # 245 runs a second of model_folder, with -O0 85
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)  # only some layers are built for coverage, and clang does not mix them
endif()
set(heed_libraries_of_base fmt::fmt nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus OpenMP::OpenMP_CXX)
set(heed_libraries_of_kernels hwy ${CMAKE_DL_LIBS})
set(heed_libraries_of_text sentencepiece sentencepiece_train utf8proc ZLIB::ZLIB)
set(heed_libraries_of_images PNG::PNG JPEG::JPEG)
set(heed_libraries_of_insight pangocairo-1.0 pango-1.0 gobject-2.0 glib-2.0 cairo)

# The double build lives in a namespace of its own, so that both can be linked into one program and neither is taken for
# the other. A macro does it, for whatever is compiled against this build: sources say heed, and mean heed_double.
set(heed_definitions HEED_REAL=${HEED_REAL})
if(HEED_REAL STREQUAL double)
  list(APPEND heed_definitions heed=heed_double)
  set(heed_namespace 11heed_double)  # as the compiler writes it
  set(heed_suffix _double)
else()
  set(heed_namespace 4heed)
  set(heed_suffix "")
endif()

# Before each file of several that are compiled as one.
string(CONCAT heed_own_names "#define HEED_JOINED(a, b) a##b\n" "#define HEED_JOIN(a, b) HEED_JOINED(a, b)\n"
  "#define kListed HEED_JOIN(kListed, HEED_FILE)\n" "#define set_up HEED_JOIN(set_up, HEED_FILE)")

# heed_compile_kernels(LIBRARY SCALAR): for which type, and for which CPU targets.
function(heed_compile_kernels library scalar)
  target_compile_options(${library} PRIVATE -fno-math-errno)
  target_compile_definitions(${library} PRIVATE HEED_KERNELS_SCALAR=${scalar})
  if(HEED_BASELINE_ONLY)
    target_compile_definitions(${library} PRIVATE HEED_BASELINE_ONLY=1)
  endif()
  if(HEED_SANITIZE STREQUAL address)
    # Two targets instead of four halve minutes; AddressSanitizer itself sees a null pointer that is read.
    target_compile_definitions(${library} PRIVATE "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3)")
    target_compile_options(${library} PRIVATE -fno-sanitize=null,object-size)
  elseif(HEED_SANITIZE STREQUAL thread)
    target_compile_options(${library} PRIVATE -fno-sanitize=thread)  # they know no threads but OpenMP's
  endif()
endfunction()

# Normalisers compute rows in either type, whatever Real is: these kernels are compiled for the other one, too.
set(heed_kernels_of_rows softmax elementwise_activations elementwise_backward attention/chain_rows attention/sparse_rows
  attention/sparse_rows_backward)
if(HEED_REAL STREQUAL double)
  set(heed_other_scalar float)
else()
  set(heed_other_scalar double)
endif()

set(heed_objects "")
set(heed_private_libraries "")
foreach(layer IN LISTS heed_layers)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/heed/${layer}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cpp$")
  list(APPEND heed_private_libraries ${heed_libraries_of_${layer}})
  if(NOT sources)
    continue()
  endif()
  if(layer STREQUAL kernels)
    if(HEED_REAL STREQUAL double)
      list(FILTER sources EXCLUDE REGEX "/onednn\\.cpp$")  # it has no product of doubles
    endif()
    foreach(kernel IN LISTS heed_kernels_of_rows)
      set(source ${PROJECT_BINARY_DIR}/kernels_in_${heed_other_scalar}/${kernel}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT
        "#undef HEED_KERNELS_SCALAR\n#define HEED_KERNELS_SCALAR @heed_other_scalar@\n#include \"heed/kernels/@kernel@.cpp\"\n")
      # GCC takes an included source for a header, whose unnamed namespaces would be a mistake.
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
      list(APPEND sources ${source})
    endforeach()
  endif()
  add_library(heed_${layer} OBJECT ${sources})
  target_include_directories(heed_${layer} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(heed_${layer} PUBLIC heed_flags ${heed_private_libraries})
  target_compile_definitions(heed_${layer} PUBLIC ${heed_definitions} HEED_VERSION="${PROJECT_VERSION}")
  if(layer STREQUAL kernels)
    heed_compile_kernels(heed_kernels ${HEED_REAL})
    if(HEED_FUZZ)
      # They read nothing foreign: 2 s a file instead of a minute.
      target_compile_options(heed_kernels PRIVATE -fno-sanitize=address,undefined -O0)
    elseif(HEED_SANITIZE OR HEED_BASELINE_ONLY)
      target_compile_options(heed_kernels PRIVATE -O1)  # tests run them millions of times
    else()
      # The AVX2 micro-kernel reaches 87 GFLOP/s with -O3 and 52 with -O2.
      target_compile_options(heed_kernels PRIVATE -O3)
    endif()
  endif()
  if(layer STREQUAL corpora)
    target_compile_options(heed_corpora PRIVATE -O1)  # lists of words: half the time of -O2, and drawn in a moment
  endif()
  if(NOT HEED_SANITIZE AND HEED_OPTIMISE STREQUAL -O2 AND layer IN_LIST heed_glue_layers)
    target_compile_options(heed_${layer} PRIVATE -O1)
  endif()
  if(HEED_SANITIZE AND layer IN_LIST heed_layers_with_loops)
    target_compile_options(heed_${layer} PRIVATE -O1)
  endif()
  # Eight small files at a time: names in the unnamed namespaces of these layers differ, but for kListed. Kinds of models
  # are alike in more of them, and pictures in the names of their measures, so each stays alone.
  if(layer IN_LIST heed_united_layers)
    set_target_properties(heed_${layer} PROPERTIES UNITY_BUILD ${HEED_UNITY} UNITY_BUILD_BATCH_SIZE 8
      UNITY_BUILD_UNIQUE_ID HEED_FILE UNITY_BUILD_CODE_BEFORE_INCLUDE "${heed_own_names}")
    list(FILTER sources INCLUDE REGEX "_kind\\.cpp$|/model_options_[^/]*\\.cpp$|/insight/draw/")
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION TRUE)
  endif()
  if(layer STREQUAL insight)
    target_include_directories(heed_insight SYSTEM PRIVATE ${heed_pango_INCLUDE_DIRS})
  endif()
  # A small file that reads the layers below it: three quarters of its build are their headers, so these are read once.
  # Layers that are optimised differently need a copy of their own.
  if(layer STREQUAL attention OR (HEED_SANITIZE AND layer STREQUAL models) OR
      (NOT HEED_SANITIZE AND layer STREQUAL insight))
    set(heed_with_headers heed_${layer})
    target_precompile_headers(heed_${layer} PRIVATE
      <fmt/format.h> ${PROJECT_SOURCE_DIR}/src/heed/autograd/ops.h ${PROJECT_SOURCE_DIR}/src/heed/base/options.h
      ${PROJECT_SOURCE_DIR}/src/heed/nn/module.h)
  elseif(layer IN_LIST heed_layers_over_attention)
    target_precompile_headers(heed_${layer} REUSE_FROM ${heed_with_headers})
  endif()
  list(APPEND heed_objects heed_${layer})
endforeach()

include(cmake/web.cmake)

# Of the double build only heed::core_double and what its tests pull in is built.
if(HEED_REAL STREQUAL double)
  set_target_properties(${heed_objects} PROPERTIES EXCLUDE_FROM_ALL TRUE)
endif()

# Hidden visibility leaves what public headers declare, and what std, fmt and JSON make of it: that stays inside, too.
configure_file(${PROJECT_SOURCE_DIR}/cmake/exports.map.in ${PROJECT_BINARY_DIR}/exports.map @ONLY)

# heed_add_library(NAME LAYER...): a library of these layers, and the libraries behind them.
function(heed_add_library name)
  set(object_files "")
  set(libraries "")
  foreach(layer IN LISTS ARGN)
    if(TARGET heed_${layer})
      list(APPEND object_files $<TARGET_OBJECTS:heed_${layer}>)
    endif()
    list(APPEND libraries ${heed_libraries_of_${layer}})
  endforeach()
  add_library(${name} ${object_files})
  # A minor version may change the interface, so it is a part of the name that programs ask the loader for.
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINKER_LANGUAGE CXX)
  if(BUILD_SHARED_LIBS)
    target_link_options(${name} PRIVATE -Wl,-Bsymbolic-functions
      -Wl,--version-script=${PROJECT_BINARY_DIR}/exports.map)
    set_target_properties(${name} PROPERTIES LINK_DEPENDS ${PROJECT_BINARY_DIR}/exports.map)
  endif()
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:heed_flags> ${libraries})
endfunction()

heed_add_library(heed_core ${heed_core_layers})
set_target_properties(heed_core PROPERTIES OUTPUT_NAME heed_core${heed_suffix} EXPORT_NAME core${heed_suffix})
add_library(heed::core${heed_suffix} ALIAS heed_core)
target_include_directories(heed_core PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(heed_core PUBLIC cxx_std_20)
target_compile_definitions(heed_core PUBLIC ${heed_definitions})
target_link_libraries(heed_core PUBLIC fmt::fmt OpenMP::OpenMP_CXX)

if(NOT HEED_REAL STREQUAL double)
  set(heed_upper_layers ${heed_layers})
  list(REMOVE_ITEM heed_upper_layers ${heed_core_layers})
  heed_add_library(heed ${heed_upper_layers})
  add_library(heed::heed ALIAS heed)
  target_link_libraries(heed PUBLIC heed_core PRIVATE nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus)
else()
  add_library(heed ALIAS heed_core)  # what the tests of the double build link instead
endif()

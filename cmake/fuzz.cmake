# SPDX-License-Identifier: Apache-2.0
# libFuzzer targets: each src/heed/*/*_fuzz.cpp becomes a program that links its layer's reader and little else.
file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/heed/*/*_fuzz.cpp)
target_compile_options(heed_base PRIVATE -fsanitize=fuzzer-no-link)  # so that coverage steers the search
# What a target needs besides base: whole layers would take their kernels along, minutes per file under sanitizers.
set(heed_trace_fuzz_sources
  insight/trace_document.cpp insight/trace_json.cpp insight/trace_json_writer.cpp insight/trace_lines.cpp
  insight/trace_safetensors.cpp insight/trace_file.cpp text/pharaoh.cpp tensor/allocator.cpp tensor/shape.cpp
  tensor/tensor.cpp kernels/copy.cpp kernels/elementwise.cpp kernels/targets.cpp)
foreach(source IN LISTS fuzzers)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  foreach(needed IN LISTS heed_${name}_sources)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/heed/${needed})
  endforeach()
  target_link_libraries(${name} PRIVATE heed_base)
  if(heed_${name}_sources)
    target_link_libraries(${name} PRIVATE hwy dnnl)
    target_compile_definitions(${name} PRIVATE HEED_BASELINE_ONLY=1)
  endif()
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()

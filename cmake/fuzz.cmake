# SPDX-License-Identifier: Apache-2.0
# Fuzz targets: each *_fuzz.cpp lists one reader, which lies beside it. With HEED_FUZZ each becomes a libFuzzer program
# that links what it reads and little else; the tests link all of them to one that replays their corpora.
file(GLOB_RECURSE heed_fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/heed/*_fuzz.cpp
  ${PROJECT_SOURCE_DIR}/apps/server/*_fuzz.cpp)

# The layers a target needs, or else single sources besides base: whole layers would take their kernels along.
set(heed_layers_of_fuzz_text base text)
set(heed_layers_of_fuzz_images base text images)
set(heed_layers_of_fuzz_metrics base text metrics)
set(heed_layers_of_fuzz_corpora base text images corpora)
set(heed_layers_of_fuzz_attention base kernels tensor autograd nn attention)
set(heed_layers_of_model_folder_fuzz ${heed_layers})
set(heed_layers_of_import_fuzz ${heed_layers})
set(heed_layers_of_request_fuzz ${heed_layers})
set(heed_tensor_sources tensor/allocator.cpp tensor/shape.cpp tensor/tensor.cpp kernels/copy.cpp kernels/elementwise.cpp
  kernels/targets.cpp)
set(heed_sources_of_trace_fuzz insight/trace/trace_document.cpp insight/trace/trace_json.cpp
  insight/trace/trace_json_writer.cpp insight/trace/trace_lines.cpp insight/trace/trace_safetensors.cpp
  insight/trace/trace_file.cpp text/pharaoh.cpp ${heed_tensor_sources})
set(heed_sources_of_checkpoint_fuzz training/checkpoint.cpp training/curve.cpp training/trainer_state.cpp
  ${heed_tensor_sources})
set(heed_sources_of_recipe_fuzz pipeline/recipe.cpp)
set(heed_sources_of_examples_fuzz pipeline/examples.cpp)
set(heed_sources_of_choices_fuzz pipeline/choices.cpp)

function(heed_add_fuzz_target source)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "^${PROJECT_SOURCE_DIR}/(src/heed|apps)/([a-z]+)/.*" "\\2" folder ${source})
  add_executable(${name} ${source} $<TARGET_OBJECTS:heed_libfuzzer>)
  set(layers base)
  if(DEFINED heed_layers_of_${name})
    set(layers ${heed_layers_of_${name}})
  elseif(DEFINED heed_layers_of_fuzz_${folder})
    set(layers ${heed_layers_of_fuzz_${folder}})
  endif()
  foreach(layer IN LISTS layers)
    target_link_libraries(${name} PRIVATE heed_${layer})
  endforeach()
  foreach(needed IN LISTS heed_sources_of_${name})
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/heed/${needed})
  endforeach()
  if(heed_sources_of_${name})
    target_link_libraries(${name} PRIVATE hwy)
    target_compile_definitions(${name} PRIVATE HEED_BASELINE_ONLY=1)
  endif()
  if(folder STREQUAL server)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:heed_attend> $<TARGET_OBJECTS:heed_server>)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/apps)
    target_compile_definitions(${name} PRIVATE ${heed_httplib_definitions})
    target_link_libraries(${name} PRIVATE ${heed_httplib})
  endif()
  target_compile_options(${name} PRIVATE -O1 -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()

if(HEED_FUZZ)
  # So that coverage steers the search: what parses, not what computes.
  foreach(layer base text images corpora attention pipeline server)
    target_compile_options(heed_${layer} PRIVATE -fsanitize=fuzzer-no-link)
  endforeach()
  add_library(heed_libfuzzer OBJECT ${PROJECT_SOURCE_DIR}/tests/fuzz/libfuzzer.cpp)
  target_link_libraries(heed_libfuzzer PRIVATE heed_base)
  foreach(source IN LISTS heed_fuzz_sources)
    heed_add_fuzz_target(${source})
  endforeach()
endif()

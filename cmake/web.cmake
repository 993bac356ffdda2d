# SPDX-License-Identifier: Apache-2.0
# Embeds the files of a folder into the program: heed_embed adds the rule that writes one source which lists each file
# with its text, whenever one changes. Run with -P this file writes that source.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB files ${FOLDER}/*.css ${FOLDER}/*.html ${FOLDER}/*.js)
  list(SORT files)
  set(entries "")
  foreach(path IN LISTS files)
    get_filename_component(name ${path} NAME)
    file(READ ${path} content)
    string(APPEND entries "    {\"${name}\", R\"heed(${content})heed\"},\n")
  endforeach()
  file(WRITE ${OUTPUT} "// Written by cmake/web.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

std::span<const heed::insight::WebFile> ${FUNCTION}() {
  static constexpr heed::insight::WebFile kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace ${NAMESPACE}
")
  return()
endif()

# OUTPUT defines `NAMESPACE::FUNCTION()`, which HEADER declares.
function(heed_embed folder output header namespace function)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.css ${folder}/*.html ${folder}/*.js)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${output} -DHEADER=${header}
      -DNAMESPACE=${namespace} -DFUNCTION=${function} -P ${PROJECT_SOURCE_DIR}/cmake/web.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/web.cmake
    COMMENT "Embedding ${folder}" VERBATIM)
endfunction()

set(heed_web_source ${PROJECT_BINARY_DIR}/generated/web_files.cpp)
heed_embed(${PROJECT_SOURCE_DIR}/web ${heed_web_source} heed/insight/page/web_files.h heed::insight web_files)
target_sources(heed_insight PRIVATE ${heed_web_source})

# SPDX-License-Identifier: Apache-2.0
# Embeds the files of web/ into the library: one generated source that lists each with its text. Run with -P it writes
# that source; included, it adds the rule that runs it whenever a file of web/ changes.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB files ${WEB_DIR}/*)
  set(entries "")
  foreach(path IN LISTS files)
    get_filename_component(name ${path} NAME)
    file(READ ${path} content)
    string(APPEND entries "    {\"${name}\", R\"heed(${content})heed\"},\n")
  endforeach()
  file(WRITE ${OUTPUT} "// Written by cmake/web.cmake from the files of web/.
#include \"heed/insight/web_files.h\"

namespace heed::insight {

std::span<const WebFile> web_files() {
  static constexpr WebFile kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace heed::insight
")
  return()
endif()

file(GLOB heed_web CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*)
set(heed_web_source ${PROJECT_BINARY_DIR}/generated/web_files.cpp)
add_custom_command(OUTPUT ${heed_web_source}
  COMMAND ${CMAKE_COMMAND} -DWEB_DIR=${PROJECT_SOURCE_DIR}/web -DOUTPUT=${heed_web_source}
    -P ${PROJECT_SOURCE_DIR}/cmake/web.cmake
  DEPENDS ${heed_web} ${PROJECT_SOURCE_DIR}/cmake/web.cmake
  COMMENT "Embedding web/" VERBATIM)
target_sources(heed_insight PRIVATE ${heed_web_source})

# SPDX-License-Identifier: Apache-2.0
# One program of two files links the float library and the double one, and each file meets its own.
# Run with -DCOMPILER=... -DSOURCE=... -DFLOAT=libheed_core.so -DDOUBLE=libheed_core_double.so -DFOLDER=... -P this file.
if(NOT EXISTS ${FLOAT})
  message("there is no float library to link beside: ${FLOAT}")
  return()
endif()
file(MAKE_DIRECTORY ${FOLDER})
set(flags -std=c++20 -O0 -fopenmp -I${SOURCE}/src -c)
set(here ${SOURCE}/tests/exports)
execute_process(COMMAND ${COMPILER} ${flags} -DHEED_REAL=float ${here}/in_float.cpp -o ${FOLDER}/in_float.o
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${COMPILER} ${flags} -DHEED_REAL=double -Dheed=heed_double ${here}/in_double.cpp
  -o ${FOLDER}/in_double.o COMMAND_ERROR_IS_FATAL ANY)
cmake_path(GET FLOAT PARENT_PATH float_folder)
cmake_path(GET DOUBLE PARENT_PATH double_folder)
set(link ${FOLDER}/in_float.o ${FOLDER}/in_double.o -fopenmp -lfmt -Wl,-rpath,${float_folder}:${double_folder} -o ${FOLDER}/both)
execute_process(COMMAND ${COMPILER} ${link} ${FLOAT} ${DOUBLE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${FOLDER}/both OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "float: 4 bytes, 1/3 - 1/3 as double 1e-08\ndouble: 8 bytes, 0\n")
  message(FATAL_ERROR "the program said\n${said}")
endif()
# And a file that was compiled for the one does not link to the other alone.
execute_process(COMMAND ${COMPILER} ${link} ${FLOAT} RESULT_VARIABLE failed ERROR_VARIABLE ignored)
if(failed EQUAL 0)
  message(FATAL_ERROR "a file compiled for the double library linked to the float one")
endif()

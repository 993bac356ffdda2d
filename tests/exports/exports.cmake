# SPDX-License-Identifier: Apache-2.0
# The libraries export names of Heed's namespace and of nothing else, MOST of them together.
# Run with -DLIBRARIES=... -DNAMESPACE=4heed -DMOST=1500 -P this file.
set(count 0)
foreach(library IN LISTS LIBRARIES)
  execute_process(COMMAND nm -D --defined-only --format=posix ${library} OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${listed}")
  list(LENGTH lines found)
  if(found LESS 100)
    message(FATAL_ERROR "${library} exports ${found} names: less than it must")
  endif()
  math(EXPR count "${count} + ${found}")
  list(FILTER lines EXCLUDE REGEX "^_Z(T[ITV]|T[hv][^N]*_)?N[KOR]*${NAMESPACE}")
  if(lines)
    list(JOIN lines "\n  " names)
    message(FATAL_ERROR "${library} exports names of others:\n  ${names}")
  endif()
endforeach()
if(count GREATER MOST)
  message(FATAL_ERROR "${count} names are exported; at most ${MOST} may be. What no other library and no program calls "
    "is declared in a header without visibility push(default)")
endif()
message(STATUS "${count} names are exported")

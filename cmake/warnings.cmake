# SPDX-License-Identifier: Apache-2.0
# One interface target carries the flags that every file of the project is built with.
add_library(heed_flags INTERFACE)
target_compile_features(heed_flags INTERFACE cxx_std_20)
target_compile_options(heed_flags INTERFACE -Wall -Wextra -Werror)
if(HEED_SANITIZE)
  target_compile_options(heed_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(heed_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(heed_flags INTERFACE HEED_CHECK_VERSIONS=1)
endif()

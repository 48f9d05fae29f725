# The library that is built without a word of configurations is optimized.
# SPDX-License-Identifier: Apache-2.0
#     cmake -D SOURCE=... -D FOLDER=... -D CLANG=... -P optimized.cmake
cmake_minimum_required(VERSION 3.28)
file(REMOVE_RECURSE "${FOLDER}")
execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${FOLDER}" -G Ninja "-DCMAKE_CXX_COMPILER=${CLANG}"
            -DSPIO_BUILD_TESTS=OFF -DSPIO_BUILD_EXAMPLES=OFF -DSPIO_BUILD_COMMAND=OFF -DSPIO_STD_MODULE=OFF
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS "${FOLDER}/build.ninja" flags REGEX "^  FLAGS = ")
list(LENGTH flags all)
list(FILTER flags INCLUDE REGEX " -O[23] ")
list(LENGTH flags optimized)
if(all EQUAL 0 OR NOT all EQUAL optimized)
    message(FATAL_ERROR "Of ${all} files ${optimized} are optimized.")
endif()
message("Of ${all} files all are optimized.")

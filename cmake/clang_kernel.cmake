# Compiles a file of kernels with clang, their parameters left where the launch put them:
#     cmake -D ARCH=sm_90a -D OUT=FILE.cubin -D PTXAS=ptxas -P clang_kernel.cmake -- clang++ FLAG… FILE
# SPDX-License-Identifier: Apache-2.0
#
# clang 19 does not know __grid_constant__: it copies parameters to local memory where an instruction
# takes their address, as TMA's do. Its code generator does know it, as metadata of the intermediate
# text; that is added here. OUT may be a .ptx, which needs no PTXAS.
#
# For packs, aot/grid_constant.cpp does the same for the one kernel of a specialization; a file may have
# several kernels.
cmake_minimum_required(VERSION 3.28)

set(command "")
set(seen OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
    if(seen)
        list(APPEND command "${CMAKE_ARGV${i}}")
    elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
        set(seen ON)
    endif()
endforeach()
list(GET command 0 clang)
cmake_path(REPLACE_EXTENSION OUT LAST_ONLY .ll OUTPUT_VARIABLE text)
cmake_path(REPLACE_EXTENSION OUT LAST_ONLY .ptx OUTPUT_VARIABLE ptx)

execute_process(COMMAND ${command} --cuda-gpu-arch=${ARCH} -O3 -S -emit-llvm -o "${text}"
                COMMAND_ERROR_IS_FATAL ANY)

# Metadata for each kernel whose first parameter is passed by value:
#     !100 = !{ptr @axpby, !"grid_constant", !101}
#     !101 = !{i32 1}
file(READ "${text}" ir)
string(REGEX MATCHALL "define [^\n(]*@[A-Za-z0-9_]+[(]ptr [^\n,]*byval[(]" heads "${ir}")
string(REGEX MATCHALL "\n![0-9]+ = " numbers "${ir}")
list(LENGTH numbers next)
set(numbers_added "")
set(metadata "")
foreach(head IN LISTS heads)
    string(REGEX REPLACE ".*@([A-Za-z0-9_]+)[(].*" "\\1" kernel "${head}")
    if(NOT ir MATCHES "!{ptr @${kernel}, !\"kernel\", i32 1}")
        continue()
    endif()
    math(EXPR parameters "${next} + 1")
    string(APPEND numbers_added ", !${next}")
    string(APPEND metadata "!${next} = !{ptr @${kernel}, !\"grid_constant\", !${parameters}}\n"
                          "!${parameters} = !{i32 1}\n")
    math(EXPR next "${next} + 2")
endforeach()
string(REGEX REPLACE "(\n!nvvm.annotations = !{[^}\n]*)}" "\\1${numbers_added}}" ir "${ir}")
file(WRITE "${text}" "${ir}\n${metadata}")

execute_process(COMMAND "${clang}" -x ir --target=nvptx64-nvidia-cuda -march=${ARCH} -O3 -S -o
                        "${ptx}" "${text}" COMMAND_ERROR_IS_FATAL ANY)
if(NOT OUT STREQUAL ptx)
    execute_process(COMMAND "${PTXAS}" -v -arch=${ARCH} -o "${OUT}" "${ptx}" COMMAND_ERROR_IS_FATAL ANY)
endif()

# Compiles a file of kernels with clang, their parameters left where the launch put them:
#     cmake -D ARCH=sm_90a -D OUT=FILE.cubin -D PTXAS=ptxas -P clang_kernel.cmake -- clang++ FLAG… FILE
# SPDX-License-Identifier: Apache-2.0
#
# clang 19 does not know __grid_constant__: it copies parameters to local memory where an instruction
# takes their address, as those of the copy engine do. Its code generator knows it all the same, as a
# remark in the intermediate text; that is put in between. OUT may be a .ptx, which needs no PTXAS.
#
# Packs say it by aot/grid_constant.cpp, for the one kernel of a specialization. A file has several, and
# tests of what the library is made of are compiled before there is a library.
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

# A remark for each kernel whose first parameter is passed by value:
#     !100 = !{ptr @axpby, !"grid_constant", !101}
#     !101 = !{i32 1}
file(READ "${text}" ir)
string(REGEX MATCHALL "define [^\n(]*@[A-Za-z0-9_]+[(]ptr [^\n,]*byval[(]" heads "${ir}")
string(REGEX MATCHALL "\n![0-9]+ = " numbers "${ir}")
list(LENGTH numbers next)
set(all "")
set(remarks "")
foreach(head IN LISTS heads)
    string(REGEX REPLACE ".*@([A-Za-z0-9_]+)[(].*" "\\1" kernel "${head}")
    if(NOT ir MATCHES "!{ptr @${kernel}, !\"kernel\", i32 1}")
        continue()
    endif()
    math(EXPR places "${next} + 1")
    string(APPEND all ", !${next}")
    string(APPEND remarks "!${next} = !{ptr @${kernel}, !\"grid_constant\", !${places}}\n"
                          "!${places} = !{i32 1}\n")
    math(EXPR next "${next} + 2")
endforeach()
string(REGEX REPLACE "(\n!nvvm.annotations = !{[^}\n]*)}" "\\1${all}}" ir "${ir}")
file(WRITE "${text}" "${ir}\n${remarks}")

execute_process(COMMAND "${clang}" -x ir --target=nvptx64-nvidia-cuda -march=${ARCH} -O3 -S -o
                        "${ptx}" "${text}" COMMAND_ERROR_IS_FATAL ANY)
if(NOT OUT STREQUAL ptx)
    execute_process(COMMAND "${PTXAS}" -v -arch=${ARCH} -o "${OUT}" "${ptx}" COMMAND_ERROR_IS_FATAL ANY)
endif()

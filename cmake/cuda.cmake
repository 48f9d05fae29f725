# Finds CUDA, a toolkit or pip's wheels, and sets how tests and benchmarks call each device compiler.
# SPDX-License-Identifier: Apache-2.0
#
# It sets
#     SPIO_CUDA_ROOT, SPIO_NVCC, SPIO_NVRTC_LIBRARY   the folder, the program, the shared object
#     SPIO_PTXAS, SPIO_CUDA_INCLUDE_DIRS              the assembler, and the folders of CUDA's headers
#     SPIO_CLANG                                      clang++, whichever compiler the host has
#     SPIO_{NVCC,CLANG_CUDA,NVRTC}_FLAGS              lists; append -arch or --cuda-gpu-arch
#     SPIO_FLAG_FILES                                 files that a custom command with these depends on
#
# The options themselves are in modules/system/toolchain.cpp alone. The packer, the program that compiles
# kernels ahead of time, writes them to files, which the compilers read.

set(SPIO_CUDA_ROOT "" CACHE PATH "CUDA toolkit or wheels (site-packages/nvidia/cu13); empty: look")
include("${CMAKE_CURRENT_LIST_DIR}/find_cuda.cmake")
spio_find_cuda_program(nvcc SPIO_NVCC)
if(NOT SPIO_NVCC)
    message(FATAL_ERROR
        "The tests need CUDA 13: looked for nvcc in SPIO_CUDA_ROOT='${SPIO_CUDA_ROOT}', CUDA_HOME, "
        "CUDA_PATH, PATH, /usr/local/cuda and build/venv. './bootstrap test' installs it.")
endif()
if(NOT SPIO_CUDA_ROOT)
    spio_folder_of_cuda("${SPIO_NVCC}" SPIO_CUDA_ROOT)
endif()

set(SPIO_PTXAS "${SPIO_CUDA_ROOT}/bin/ptxas")
set(SPIO_CUDA_INCLUDE_DIRS "${SPIO_CUDA_ROOT}/include")
file(GLOB nvrtc_libraries "${SPIO_CUDA_ROOT}/lib64/libnvrtc.so*" "${SPIO_CUDA_ROOT}/lib/libnvrtc.so*"
     "${SPIO_CUDA_ROOT}/targets/*/lib/libnvrtc.so*")
if(NOT nvrtc_libraries)
    message(FATAL_ERROR "The tests need NVRTC: no libnvrtc.so* in lib64 or lib of ${SPIO_CUDA_ROOT}.")
endif()
list(GET nvrtc_libraries 0 SPIO_NVRTC_LIBRARY)
message(STATUS "CUDA: ${SPIO_NVCC}, ${SPIO_NVRTC_LIBRARY}")

# clang 19 includes two headers by itself: CUDA 13 no longer has the first, the wheels lack the second.
set(SPIO_DEVICE_SHIM "${PROJECT_BINARY_DIR}/device_include")
file(MAKE_DIRECTORY "${SPIO_DEVICE_SHIM}/clang")
foreach(header IN ITEMS texture_fetch_functions.h curand_mtgp32_kernel.h)
    if(NOT EXISTS "${SPIO_CUDA_ROOT}/include/${header}")
        file(TOUCH "${SPIO_DEVICE_SHIM}/clang/${header}")
    endif()
endforeach()

# NVRTC must see Boost without the rest of the folder where Boost lies: /usr/include would bring
# the host's headers with it.
file(MAKE_DIRECTORY "${SPIO_DEVICE_SHIM}/mp11")
file(CREATE_LINK "${SPIO_MP11_INCLUDE_DIR}/boost" "${SPIO_DEVICE_SHIM}/mp11/boost" SYMBOLIC)

set(SPIO_DEVICE_INCLUDES "-I${PROJECT_SOURCE_DIR}/kernels" "-I${SPIO_DEVICE_SHIM}/mp11")

set(SPIO_FLAG_FILES "")
foreach(compiler IN ITEMS nvcc clang nvrtc)
    set(file "${PROJECT_BINARY_DIR}/flags/${compiler}")
    add_custom_command(
        OUTPUT "${file}"
        COMMAND spio_packer flags --compiler ${compiler} --output "${file}"
        DEPENDS spio_packer
        VERBATIM)
    list(APPEND SPIO_FLAG_FILES "${file}")
endforeach()
add_custom_target(spio_flags ALL DEPENDS ${SPIO_FLAG_FILES})
set(SPIO_NVCC_FLAGS --options-file "${PROJECT_BINARY_DIR}/flags/nvcc" ${SPIO_DEVICE_INCLUDES})
set(SPIO_NVRTC_FLAGS "@${PROJECT_BINARY_DIR}/flags/nvrtc" ${SPIO_DEVICE_INCLUDES})

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(SPIO_CLANG "${CMAKE_CXX_COMPILER}")
else()
    find_program(SPIO_CLANG NAMES clang++-19 REQUIRED NO_CACHE)
endif()
set(SPIO_CLANG_CUDA_FLAGS
    "@${PROJECT_BINARY_DIR}/flags/clang" "--cuda-path=${SPIO_CUDA_ROOT}" "-I${SPIO_DEVICE_SHIM}/clang" ${SPIO_DEVICE_INCLUDES})

# Finds CUDA, a toolkit or pip's wheels, and says how each device compiler is called:
#     SPIO_CUDA_ROOT, SPIO_NVCC, SPIO_NVRTC_LIBRARY   the folder, the program, the shared object
#     SPIO_PTXAS, SPIO_CUDA_INCLUDE_DIRS              for who must look deeper
#     SPIO_CLANG                                      clang++, whoever compiles the host
#     SPIO_{NVCC,CLANG_CUDA,NVRTC}_FLAGS              lists; append -arch or --cuda-gpu-arch
# SPDX-License-Identifier: Apache-2.0

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

# clang 19 includes two headers by itself: CUDA 13 no longer has the first, the wheels not the second.
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

set(SPIO_NVCC_FLAGS -std=c++20 --expt-relaxed-constexpr ${SPIO_DEVICE_INCLUDES})

set(SPIO_NVRTC_FLAGS -std=c++20 -default-device --minimal ${SPIO_DEVICE_INCLUDES})

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(SPIO_CLANG "${CMAKE_CXX_COMPILER}")
else()
    find_program(SPIO_CLANG NAMES clang++-19 REQUIRED NO_CACHE)
endif()
set(SPIO_CLANG_CUDA_FLAGS
    -x cuda -std=c++20 --cuda-device-only "--cuda-path=${SPIO_CUDA_ROOT}"
    -Wno-unknown-cuda-version -Wno-unknown-attributes -Wno-pass-failed "-I${SPIO_DEVICE_SHIM}/clang" ${SPIO_DEVICE_INCLUDES})

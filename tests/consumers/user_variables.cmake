# CUDA's programs are found whatever variables a project has, and those before CUDA 13 are not.
# SPDX-License-Identifier: Apache-2.0
#     cmake -D MODULE=.../find_cuda.cmake -D FOLDER=... -P user_variables.cmake
cmake_minimum_required(VERSION 3.28)
set(SPIO_CUDA_ROOT "${FOLDER}/cuda")
file(WRITE "${SPIO_CUDA_ROOT}/bin/nvcc" "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n")
file(CHMOD "${SPIO_CUDA_ROOT}/bin/nvcc" PERMISSIONS OWNER_READ OWNER_EXECUTE)
include("${MODULE}")
# A variable of a project by the name that spio_find_cuda_program() itself might use.
set(found /somewhere/else)
spio_find_cuda_program(nvcc nvcc)
if(NOT nvcc STREQUAL "${SPIO_CUDA_ROOT}/bin/nvcc")
    message(FATAL_ERROR "nvcc of ${SPIO_CUDA_ROOT} is '${nvcc}'.")
endif()
spio_find_cuda_program(no_such_program none)
if(NOT none STREQUAL "")
    message(FATAL_ERROR "What is not there is '${none}'.")
endif()
file(WRITE "${SPIO_CUDA_ROOT}/bin/nvcc" "#!/bin/sh\necho 'Cuda compilation tools, release 12.9, V12.9.41'\n")
spio_find_cuda_program(nvcc old)
if(NOT old STREQUAL "")
    message(FATAL_ERROR "nvcc 12.9 will not do, and is '${old}'.")
endif()

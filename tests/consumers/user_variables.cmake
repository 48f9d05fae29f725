# A project's own variables are not taken for what is looked for.
# SPDX-License-Identifier: Apache-2.0
#     cmake -D MODULE=.../find_cuda.cmake -D FOLDER=... -P user_variables.cmake
cmake_minimum_required(VERSION 3.28)
set(SPIO_CUDA_ROOT "${FOLDER}/cuda")
file(WRITE "${SPIO_CUDA_ROOT}/bin/nvcc" "")
file(CHMOD "${SPIO_CUDA_ROOT}/bin/nvcc" PERMISSIONS OWNER_READ OWNER_EXECUTE)
include("${MODULE}")
set(found /somewhere/else)
spio_find_cuda_program(nvcc nvcc)
if(NOT nvcc STREQUAL "${SPIO_CUDA_ROOT}/bin/nvcc")
    message(FATAL_ERROR "nvcc of ${SPIO_CUDA_ROOT} is '${nvcc}'.")
endif()
spio_find_cuda_program(no_such_program none)
if(NOT none STREQUAL "")
    message(FATAL_ERROR "What is not there is '${none}'.")
endif()

# Finds CUDA's compilers: a toolkit, or pip's wheels.
# SPDX-License-Identifier: Apache-2.0
#
# A toolkit is a folder with the programs bin/nvcc and bin/ptxas; wheels are packages of Python that
# bring the same.

# A validator for find_program(): programs of CUDA before 13 do not know the options that they are given.
function(spio_is_of_cuda_13 out_var program)
    execute_process(COMMAND "${program}" --version OUTPUT_VARIABLE words ERROR_QUIET RESULT_VARIABLE failed)
    if(failed OR NOT words MATCHES "release ([0-9]+)" OR CMAKE_MATCH_1 LESS 13)
        set(${out_var} FALSE PARENT_SCOPE)
    endif()
endfunction()

# Sets out_var to a program, empty if there is none: in SPIO_CUDA_ROOT if that is set, or else in the
# folders of CUDA_HOME, CUDA_PATH and PATH, in /usr/local/cuda and in pip's wheels, as the C++ function
# cuda_folders() of spio.system lists them; and in the wheels of the project's own environments. The folder
# of CUDA is two above the program.
#     spio_find_cuda_program(nvcc nvcc)
function(spio_find_cuda_program name out_var)
    set(found NOTFOUND) # a variable of this name in the calling scope would be taken for the answer
    if(SPIO_CUDA_ROOT)
        find_program(found ${name} PATHS "${SPIO_CUDA_ROOT}/bin" NO_DEFAULT_PATH NO_CACHE
                     VALIDATOR spio_is_of_cuda_13)
    else()
        set(wheels "")
        foreach(environment IN ITEMS "$ENV{VIRTUAL_ENV}" "$ENV{CONDA_PREFIX}"
                                     "${PROJECT_SOURCE_DIR}/build/venv" "${PROJECT_SOURCE_DIR}/.venv")
            if(environment)
                file(GLOB folders "${environment}/lib/python3*/site-packages/nvidia/cu1[3-9]")
                list(APPEND wheels ${folders})
            endif()
        endforeach()
        find_program(found ${name} HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda ${wheels}
                     PATH_SUFFIXES bin NO_CACHE VALIDATOR spio_is_of_cuda_13)
    endif()
    if(NOT found)
        set(found "")
    endif()
    set(${out_var} "${found}" PARENT_SCOPE)
endfunction()

# Sets out_var to the folder of CUDA that has the program, which lies in its folder bin.
function(spio_folder_of_cuda program out_var)
    file(REAL_PATH "${program}" program)
    cmake_path(GET program PARENT_PATH bin)
    cmake_path(GET bin PARENT_PATH folder)
    set(${out_var} "${folder}" PARENT_SCOPE)
endfunction()

# Compiles code that is not time-critical for size: command lines, calls of compilers, files, errors.
# SPDX-License-Identifier: Apache-2.0
#
# Most of what clang does for these sources is to inline the functions of std::string. With -Oz it takes two
# thirds of the time, and makes half the code. Code that runs for each launch, each choice of a configuration or
# each element of an array keeps the options of the build, and so do builds that do not optimize.
if(NOT CMAKE_CXX_FLAGS_RELEASE MATCHES "-O[23]")
    return()
endif()

# Compiles those sources of the targets for size whose path matches the regular expression.
#     spio_compile_small(EXPRESSION TARGET...)
function(spio_compile_small expression)
    foreach(target IN LISTS ARGN)
        if(NOT TARGET ${target})
            continue()
        endif()
        get_target_property(sources ${target} SOURCES)
        get_target_property(interfaces ${target} CXX_MODULE_SET_tree)
        if(interfaces)
            list(APPEND sources ${interfaces})
        endif()
        get_target_property(folder ${target} SOURCE_DIR)
        foreach(source IN LISTS sources)
            cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}")
            if(source MATCHES "${expression}")
                set_source_files_properties("${source}" TARGET_DIRECTORY ${target}
                                            PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Oz>")
            endif()
        endforeach()
    endforeach()
endfunction()

spio_compile_small("[.]cpp$" spio_error spio_spec spio_cache spio_image spio_tuned spio_packer spio_jit spio_families
                   spio_command_line)
# The index of a pack is read in the first launch of a program.
spio_compile_small("/(aot/.*|manifest)[.]cpp$" spio_aot)
set_source_files_properties("${PROJECT_SOURCE_DIR}/modules/aot/pack.cpp" TARGET_DIRECTORY spio_aot
                            PROPERTIES COMPILE_OPTIONS "")
spio_compile_small("/(access|calls|file_lock|files|fork|process|switches|text|toolchain|trust)[.]cpp$" spio_system)
spio_compile_small("/(conv2d|specialize|generic|launch_generic)[.]cpp$" spio_conv2d spio_conv2d_launch spio_matmul)
spio_compile_small("/(assignments|calls|cuda_python|emitter|expressions|functions|lexer|names|source|statements|text|tree|types|typing|values)[.]cp+m?$"
                   spio_cuda_python)
if(TARGET spio_command)
    spio_compile_small("[.]cpp$" spio_command)
    # This file draws random numbers and compares results, element by element.
    set_source_files_properties("${PROJECT_SOURCE_DIR}/command/trial.cpp" TARGET_DIRECTORY spio_command
                                PROPERTIES COMPILE_OPTIONS "")
endif()

# Kernel text for the host: compiled so that every load and store is seen by sim/, which simulates a GPU.
# SPDX-License-Identifier: Apache-2.0
#
# The simulated GPU is called the host device: kernels are compiled for the CPU, with options by
# which the compiler calls a function before each access.

# Adds sources that contain kernel text to a target. Whatever of it other sources of the target
# contain too must be inlined there, or the linker may keep the copy that nobody watches.
#     spio_add_host_kernels(TARGET FILE...)
function(spio_add_host_kernels target)
    if(NOT TARGET spio::sim)
        message(FATAL_ERROR "spio_add_host_kernels(${target}): this Spio was built without its host "
                            "device, since Boost.Context (Debian: libboost-context-dev) was not found.")
    endif()
    set(kernels ${target}_kernels)
    add_library(${kernels} OBJECT ${ARGN})
    # Kernel text is C++ here, whatever its file is called.
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
    target_compile_features(${kernels} PRIVATE cxx_std_20)
    # Kernel text imports nothing.
    set_target_properties(${kernels} PROPERTIES CXX_SCAN_FOR_MODULES OFF)
    target_link_libraries(${kernels} PRIVATE spio::host_text
                                             $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
    # What UBSan finds is told by sim/.
    set(checks thread,alignment,null)
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*undefined")
        set(checks thread,undefined)
    endif()
    # Of every access sim/ knows the array and its bounds, so these two find nothing more: they are half of what
    # a compiler takes for a kernel.
    target_compile_options(
        ${kernels} PRIVATE -O1 -fno-sanitize=all -fsanitize=${checks} -fno-sanitize=vptr,function,pointer-overflow,object-size
                           -fsanitize-recover=all)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${kernels}>)
    target_link_libraries(${target} PRIVATE spio::sim)
endfunction()

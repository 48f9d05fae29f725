# Kernel text for the host: compiled so that every load and store is seen by sim/.
# SPDX-License-Identifier: Apache-2.0

# Adds sources that contain kernel text to a target. Whatever of it other sources of the target
# contain too must be inlined there, or the linker may keep the copy that nobody watches.
#     spio_add_host_kernels(TARGET FILE...)
function(spio_add_host_kernels target)
    set(kernels ${target}_kernels)
    add_library(${kernels} OBJECT ${ARGN})
    # Kernel text is C++ here, whatever its file is called.
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
    target_compile_features(${kernels} PRIVATE cxx_std_20)
    # sim/ first: its machine/ stands for that of kernels/.
    target_include_directories(
        ${kernels} BEFORE PRIVATE "${PROJECT_SOURCE_DIR}/sim" "${PROJECT_SOURCE_DIR}/kernels"
                                  "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${kernels} PRIVATE spio::mp11 $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
    # The thread sanitizer's calls, not its runtime. What UBSan finds is told by sim/.
    set(checks thread,alignment,null)
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*undefined")
        set(checks thread,undefined)
    endif()
    target_compile_options(
        ${kernels}
        PRIVATE -O1
                -fno-sanitize=all
                -fsanitize=${checks}
                -fno-sanitize=vptr,function
                -fsanitize-recover=all
                "SHELL:-include ${PROJECT_SOURCE_DIR}/sim/device_text.h"
                "SHELL:-mllvm -tsan-instrument-func-entry-exit=0"
                "SHELL:-mllvm -tsan-instrument-read-before-write=1"
                "SHELL:-mllvm -tsan-instrument-atomics=0")
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${kernels}>)
    target_link_libraries(${target} PRIVATE spio::sim)
endfunction()

# Compiles spio.dims as a device module, so that clang-cuda kernels can `import spio.dims;`.
# SPDX-License-Identifier: Apache-2.0
#
# spio.dims is the module of typed dimensions and tensors, which kernels use too.

# A BMI is what clang makes of a module's interface for those that import it. There is one for each arch:
# clang accepts an sm_80 BMI in an sm_90a compile without a word. Sets out_var to the option that names it.
#     spio_device_bmi(sm_90a flag)
#     add_custom_command(... COMMAND ${SPIO_CLANG} ${SPIO_CLANG_CUDA_FLAGS} --cuda-gpu-arch=sm_90a
#                            ${flag} -S kernel.cu  DEPENDS ${flag_DEPENDS})
function(spio_device_bmi arch out_var)
    set(interface "${PROJECT_SOURCE_DIR}/modules/dims.cppm")
    set(bmi "${PROJECT_BINARY_DIR}/device_modules/spio.dims-${arch}.pcm")
    get_property(known GLOBAL PROPERTY SPIO_DEVICE_BMI_${arch})
    if(NOT known)
        file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/device_modules")
        # -fsyntax-only drops a plain -o, hence the detour by -Xclang.
        add_custom_command(
            OUTPUT "${bmi}"
            COMMAND "${SPIO_CLANG}" ${SPIO_CLANG_CUDA_FLAGS} --cuda-gpu-arch=${arch} -nocudainc
                    -fsyntax-only -Xclang -emit-module-interface -Xclang -o -Xclang "${bmi}" -MD -MF
                    "${bmi}.d" -MT "${bmi}" "${interface}"
            DEPENDS "${interface}" ${SPIO_FLAG_FILES}
            DEPFILE "${bmi}.d"
            COMMENT "Device module spio.dims for ${arch}"
            VERBATIM)
        add_custom_target(spio_dims_${arch} DEPENDS "${bmi}")
        set_property(GLOBAL PROPERTY SPIO_DEVICE_BMI_${arch} TRUE)
    endif()
    set(${out_var} "-fmodule-file=spio.dims=${bmi}" PARENT_SCOPE)
    set(${out_var}_DEPENDS "${bmi}" spio_dims_${arch} spio_flags PARENT_SCOPE)
endfunction()

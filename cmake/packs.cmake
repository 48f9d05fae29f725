# Builds the kernels that a manifest lists: into a pack for GPUs, and into a program for the host.
# SPDX-License-Identifier: Apache-2.0

# A pack beside the target, TARGET.spiopack unless OUTPUT is given, built before it is. A manifest has
# lines such as `layernorm_2d channels=64`. With EMBED the pack is in the target too, under a name:
#     spio_add_pack(TARGET MANIFEST FILE ARCHS sm_80 sm_90a compute_80 [OUTPUT FILE] [EMBED fixed])
# and in a source of the target:
#     extern "C" std::byte const fixed[], fixed_end[];
#     spio::aot::pack const pack({fixed, fixed_end}, "fixed", {});
function(spio_add_pack target)
    cmake_parse_arguments(PARSE_ARGV 1 pack "" "MANIFEST;OUTPUT;EMBED" "ARCHS")
    if(NOT pack_MANIFEST OR NOT pack_ARCHS)
        message(FATAL_ERROR "spio_add_pack(${target}) needs a MANIFEST and ARCHS.")
    endif()
    cmake_path(ABSOLUTE_PATH pack_MANIFEST NORMALIZE)
    if(NOT pack_OUTPUT)
        set(pack_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}.spiopack")
    endif()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_pack")
    file(MAKE_DIRECTORY "${folder}")

    # As many commands as lines: another number is another configuration.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${pack_MANIFEST}")
    file(STRINGS "${pack_MANIFEST}" lines REGEX "^[ \t]*[^# \t]")
    list(LENGTH lines count)
    if(count EQUAL 0)
        message(FATAL_ERROR "${pack_MANIFEST} lists no kernel.")
    endif()
    math(EXPR last "${count} - 1")
    set(all_images "")
    foreach(arch IN LISTS pack_ARCHS)
        set(kind cubin)
        if(arch MATCHES "^compute_")
            set(kind ptx)
        endif()
        foreach(number RANGE ${last})
            set(image "${folder}/${number}-${arch}.${kind}")
            set(text "${folder}/${number}-${arch}.cu")
            add_custom_command(
                OUTPUT "${text}"
                COMMAND spio_packer spell "${pack_MANIFEST}" ${number} ${arch} "${text}"
                DEPENDS spio_packer "${pack_MANIFEST}"
                VERBATIM)
            add_custom_command(
                OUTPUT "${image}"
                COMMAND "${SPIO_NVCC}" ${SPIO_NVCC_FLAGS} -O3 -${kind} -arch=${arch} -MD -MF
                        "${image}.d" -MT "${image}" -o "${image}" "${text}"
                DEPENDS "${text}"
                DEPFILE "${image}.d"
                COMMENT "Kernel ${number} of ${target} for ${arch}"
                VERBATIM)
            list(APPEND all_images "${image}")
        endforeach()
    endforeach()
    add_custom_command(
        OUTPUT "${pack_OUTPUT}"
        COMMAND spio_packer pack "${pack_MANIFEST}" "${folder}" "${pack_OUTPUT}" ${pack_ARCHS}
        DEPENDS spio_packer "${pack_MANIFEST}" ${all_images}
        COMMENT "Pack ${pack_OUTPUT}"
        VERBATIM)
    add_custom_target(${target}_pack DEPENDS "${pack_OUTPUT}")
    add_dependencies(${target} ${target}_pack)

    if(pack_EMBED)
        set(embedding "${folder}/embed.cpp")
        file(
            CONFIGURE
            OUTPUT "${embedding}"
            CONTENT
                [[// The bytes of a pack.
asm(".pushsection .rodata, \"a\"\n.balign 64\n.globl @pack_EMBED@, @pack_EMBED@_end\n"
    "@pack_EMBED@: .incbin \"@pack_OUTPUT@\"\n@pack_EMBED@_end:\n.popsection\n");
]]
            @ONLY)
        set_source_files_properties("${embedding}" PROPERTIES OBJECT_DEPENDS "${pack_OUTPUT}")
        target_sources(${target} PRIVATE "${embedding}")
    endif()
endfunction()

# The same kernels for the host device, in the program itself.
#     spio_add_host_pack(TARGET MANIFEST FILE)
function(spio_add_host_pack target)
    cmake_parse_arguments(PARSE_ARGV 1 pack "" "MANIFEST" "")
    cmake_path(ABSOLUTE_PATH pack_MANIFEST NORMALIZE)
    set(text "${CMAKE_CURRENT_BINARY_DIR}/${target}_host_kernels.cpp")
    add_custom_command(
        OUTPUT "${text}"
        COMMAND spio_packer spell_host "${pack_MANIFEST}" "${text}"
        DEPENDS spio_packer "${pack_MANIFEST}"
        VERBATIM)
    spio_add_host_kernels(${target} "${text}")
endfunction()

# Builds the kernels that a manifest lists: into a pack for GPUs, and into a program for the host.
# SPDX-License-Identifier: Apache-2.0
#
# A pack is a file of compiled kernels. The host device simulates a GPU on the CPU.
include("${CMAKE_CURRENT_LIST_DIR}/families.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/find_cuda.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/host_device.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/command.cmake")

# A pack beside the target, TARGET.spiopack unless OUTPUT is given, built before it is. A manifest has
# lines such as `layernorm_2d channels=64`. With EMBED the pack is in the target too, under a name.
# With PIN its SHA-256 is in the target under a name, so that the target reads this pack and no other.
# FAMILIES are targets of spio_add_family(), whose kernels the manifest may list too (of those that come with
# Spio it lists these alone); OPTIONS are for the compiler, which is nvcc unless COMPILER is clang, and bring
# no files in. PLAIN leaves the images uncompressed.
#     spio_add_pack(TARGET MANIFEST FILE ARCHS sm_80 sm_90a compute_80 [OUTPUT FILE] [EMBED fixed]
#                   [PIN fixed_digest] [FAMILIES TARGET...] [COMPILER nvcc|clang] [OPTIONS OPTION...]
#                   [PLAIN])
# and in a source of the target:
#     extern "C" std::byte const fixed[], fixed_end[];
#     spio::aot::pack const pack({fixed, fixed_end}, "fixed", {});
# or, for the file beside it:
#     extern "C" unsigned char const fixed_digest[32];
#     auto const pack = spio::aot::pack::read(path, fixed_digest);
function(spio_add_pack target)
    cmake_parse_arguments(PARSE_ARGV 1 pack "PLAIN" "MANIFEST;OUTPUT;EMBED;PIN;COMPILER"
                          "ARCHS;FAMILIES;OPTIONS")
    if(NOT pack_MANIFEST OR NOT pack_ARCHS)
        message(FATAL_ERROR "spio_add_pack(${target}) needs a MANIFEST and ARCHS.")
    endif()
    cmake_path(ABSOLUTE_PATH pack_MANIFEST NORMALIZE)
    if(NOT pack_OUTPUT)
        set(pack_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}.spiopack")
    endif()
    cmake_path(GET pack_OUTPUT STEM name)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_pack")
    file(MAKE_DIRECTORY "${folder}")
    spio_packer_of(packer ${pack_FAMILIES})
    spio_compiler_arguments(compiler "${target}" "${pack_COMPILER}")
    foreach(option IN LISTS pack_OPTIONS)
        list(APPEND compiler --option "${option}")
    endforeach()
    if(pack_PLAIN)
        list(APPEND compiler --plain)
    endif()

    # One command for each line: when the number of lines changes, CMake runs again.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${pack_MANIFEST}")
    file(STRINGS "${pack_MANIFEST}" lines REGEX "^[ \t]*[^# \t]")
    list(LENGTH lines count)
    if(count EQUAL 0)
        message(FATAL_ERROR "${pack_MANIFEST} lists no kernel.")
    endif()
    math(EXPR last "${count} - 1")
    set(images "")
    set(archs "")
    foreach(arch IN LISTS pack_ARCHS)
        list(APPEND archs --arch ${arch})
        foreach(number RANGE ${last})
            set(image "${folder}/${number}-${arch}.made")
            add_custom_command(
                OUTPUT "${image}"
                COMMAND ${packer} image --manifest "${pack_MANIFEST}" --arch ${arch} --number
                        ${number} --folder "${folder}" ${compiler}
                DEPENDS ${packer} "${pack_MANIFEST}"
                COMMENT "Kernel ${number} of ${name} for ${arch}"
                VERBATIM)
            list(APPEND images "${image}")
        endforeach()
    endforeach()
    add_custom_command(
        OUTPUT "${pack_OUTPUT}"
        COMMAND ${packer} assemble --manifest "${pack_MANIFEST}" ${archs} --folder "${folder}" --output
                "${pack_OUTPUT}" ${compiler}
        DEPENDS ${packer} "${pack_MANIFEST}" ${images}
        COMMENT "Pack ${pack_OUTPUT}"
        VERBATIM)
    add_custom_target(${name}_pack DEPENDS "${pack_OUTPUT}")
    add_dependencies(${target} ${name}_pack)

    if(pack_EMBED)
        spio_embed_pack(${target} ${pack_EMBED} "${pack_OUTPUT}" "${folder}/embed.cpp")
    endif()
    if(pack_PIN)
        set(digest "${folder}/digest.s")
        add_custom_command(
            OUTPUT "${digest}"
            COMMAND ${packer} digest "${pack_OUTPUT}" --output "${digest}"
            DEPENDS ${packer} "${pack_OUTPUT}"
            VERBATIM)
        spio_pin_pack(${target} ${pack_PIN} "${digest}" "${folder}/pin.cpp")
    endif()
endfunction()

# The same kernels for the host device, in the program itself.
#     spio_add_host_pack(TARGET MANIFEST FILE [FAMILIES TARGET...])
function(spio_add_host_pack target)
    cmake_parse_arguments(PARSE_ARGV 1 pack "" "MANIFEST" "FAMILIES")
    cmake_path(ABSOLUTE_PATH pack_MANIFEST NORMALIZE)
    spio_packer_of(packer ${pack_FAMILIES})
    set(text "${CMAKE_CURRENT_BINARY_DIR}/${target}_host_kernels.cpp")
    add_custom_command(
        OUTPUT "${text}"
        COMMAND ${packer} host --manifest "${pack_MANIFEST}" --output "${text}"
        DEPENDS ${packer} "${pack_MANIFEST}"
        VERBATIM)
    spio_add_host_kernels(${target} "${text}")
endfunction()

# Sets out_var to the packer that knows these families, which is built once. It knows those that come with
# Spio too, unless these are some of them.
function(spio_packer_of out_var)
    set(packer spio::packer)
    if(ARGN)
        list(JOIN ARGN _ packer)
        set(packer ${packer}_packer)
        if(NOT TARGET ${packer})
            set(main "${CMAKE_CURRENT_BINARY_DIR}/${packer}.cpp")
            list(GET ARGN 0 first)
            set(others SPIO)
            spio_names_of_family(${first} module namespace)
            if(module MATCHES "^spio[.]")
                set(others "")
            endif()
            spio_list_families("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/packer.cpp.in" "${main}" ${others}
                               FAMILIES ${ARGN})
            add_executable(${packer} "${main}")
            spio_take_dialect(${packer} ${first})
            target_link_libraries(${packer} PRIVATE ${ARGN} spio::aot spio::image spio::spec spio::text)
            if(others)
                target_link_libraries(${packer} PRIVATE spio::families)
            endif()
        endif()
    endif()
    set(${out_var} ${packer} PARENT_SCOPE)
endfunction()

# Gives a target that imports the modules of another one its dialect.
function(spio_take_dialect target other)
    foreach(property IN ITEMS CXX_STANDARD CXX_EXTENSIONS COMPILE_FEATURES)
        get_target_property(value ${other} ${property})
        if(NOT "${value}" MATCHES "NOTFOUND$")
            set_property(TARGET ${target} PROPERTY ${property} ${value})
        endif()
    endforeach()
endfunction()

# Sets out_var to the arguments that tell a packer its compiler.
function(spio_compiler_arguments out_var target compiler)
    if(NOT compiler)
        set(compiler nvcc)
    endif()
    if(NOT compiler MATCHES "^(nvcc|clang)$")
        message(FATAL_ERROR "spio_add_pack(${target}): COMPILER is ${compiler}, not nvcc or clang.")
    endif()
    # clang uses CUDA's assembler.
    set(tool ptxas)
    if(compiler STREQUAL "nvcc")
        set(tool nvcc)
    endif()
    spio_find_cuda_program(${tool} found)
    if(NOT found)
        message(FATAL_ERROR
            "spio_add_pack(${target}) needs ${tool} of CUDA 13: looked in SPIO_CUDA_ROOT="
            "'${SPIO_CUDA_ROOT}', CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda and the wheels of "
            "VIRTUAL_ENV, CONDA_PREFIX and .venv. 'pip install nvidia-cuda-nvcc nvidia-cuda-crt "
            "nvidia-nvvm nvidia-cuda-cccl nvidia-cuda-runtime' brings it.")
    endif()
    spio_folder_of_cuda("${found}" cuda)
    set(arguments --compiler ${compiler} --cuda "${cuda}")
    if(compiler STREQUAL "clang")
        if(NOT SPIO_CLANG AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
            set(SPIO_CLANG "${CMAKE_CXX_COMPILER}")
        elseif(NOT SPIO_CLANG)
            find_program(SPIO_CLANG NAMES clang++-19 clang++ REQUIRED NO_CACHE)
        endif()
        list(APPEND arguments --program "${SPIO_CLANG}")
    endif()
    set(${out_var} "${arguments}" PARENT_SCOPE)
endfunction()

# Puts a file into a target, between the symbols NAME and NAME_end.
function(spio_embed_pack target name file source)
    file(
        CONFIGURE
        OUTPUT "${source}"
        CONTENT
            [[// The bytes of a pack.
asm(".pushsection .rodata, \"a\"\n.balign 64\n.globl @name@, @name@_end\n"
    "@name@: .incbin \"@file@\"\n@name@_end:\n.popsection\n");
]]
        @ONLY)
    set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${file}")
    target_sources(${target} PRIVATE "${source}")
endfunction()

# Puts the digest of a pack into a target, under the symbol NAME.
function(spio_pin_pack target name digest source)
    file(
        CONFIGURE
        OUTPUT "${source}"
        CONTENT
            [[// The SHA-256 of a pack.
asm(".pushsection .rodata, \"a\"\n.globl @name@\n@name@:\n.include \"@digest@\"\n.popsection\n");
]]
        @ONLY)
    set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${digest}")
    target_sources(${target} PRIVATE "${source}")
endfunction()

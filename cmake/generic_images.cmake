# The library of generic kernels, which serve every problem of their kind: a pack in a program.
# SPDX-License-Identifier: Apache-2.0
#
# A pack is a file of compiled kernels; a family is the kernels of one operation. A program that links
# spio::generic_images has the pack in it, and a runtime finds it there. The families list what belongs to it,
# in modules/FAMILY/generic.manifest. A manifest lists the kernels of a pack, a problem a line.
set(SPIO_GENERIC_IMAGES "" CACHE STRING
    "Generic kernels for spio::generic_images: ON compiles them by nvcc, and the name of a file takes that pack")
if(SPIO_GENERIC_IMAGES)
    add_library(spio_generic_images STATIC)
    add_library(spio::generic_images ALIAS spio_generic_images)
    set_target_properties(spio_generic_images PROPERTIES EXPORT_NAME generic_images)
    # Nothing else refers to the pack by a name that must be there.
    target_link_options(spio_generic_images INTERFACE "LINKER:--undefined=spio_generic_images")
    if(IS_ABSOLUTE "${SPIO_GENERIC_IMAGES}" AND EXISTS "${SPIO_GENERIC_IMAGES}")
        spio_embed_pack(spio_generic_images spio_generic_images "${SPIO_GENERIC_IMAGES}"
                        "${CMAKE_CURRENT_BINARY_DIR}/generic_images.cpp")
    elseif(NOT "${SPIO_GENERIC_IMAGES}" STREQUAL ON)
        message(FATAL_ERROR "SPIO_GENERIC_IMAGES is '${SPIO_GENERIC_IMAGES}', which is no file: name a pack by its "
                            "whole path, or ON to have nvcc compile the kernels.")
    else()
        set(manifest "")
        foreach(family IN LISTS SPIO_FAMILIES)
            set(file "${CMAKE_CURRENT_SOURCE_DIR}/modules/${family}/generic.manifest")
            if(EXISTS "${file}")
                set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
                file(READ "${file}" text)
                string(APPEND manifest "${text}")
            endif()
        endforeach()
        file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/generic.manifest" CONTENT "${manifest}" @ONLY)
        spio_add_pack(spio_generic_images MANIFEST "${CMAKE_CURRENT_BINARY_DIR}/generic.manifest"
                      ARCHS sm_80 sm_86 sm_89 sm_90a compute_80 EMBED spio_generic_images)
    endif()
endif()

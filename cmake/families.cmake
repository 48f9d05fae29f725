# Writes sources that know families of kernels by their modules, and makes families of a project.
# SPDX-License-Identifier: Apache-2.0

# Configures a template that has @IMPORTS@ and @ENTRIES@, a line of each for each family. The module
# and the namespace of FAMILY are MODULE_PREFIX FAMILY and NAMESPACE_PREFIX FAMILY.
function(spio_list_families template output module_prefix namespace_prefix)
    set(IMPORTS "")
    set(ENTRIES "")
    foreach(family IN LISTS ARGN)
        string(APPEND IMPORTS "import ${module_prefix}${family};\n")
        string(APPEND ENTRIES "        ${namespace_prefix}${family}::in_words(),\n")
    endforeach()
    configure_file("${template}" "${output}" @ONLY)
endfunction()

# Writes a source of a module when the project is built: kernel_text(), which returns the headers.
#     spio_embed_kernel_text(OUTPUT MODULE NAMESPACE [FOLDER DIR] [FILES FILE...] [MP11 DIR])
function(spio_embed_kernel_text output module namespace)
    cmake_parse_arguments(PARSE_ARGV 3 text "" "FOLDER;MP11" "FILES")
    set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_kernel_text.cmake")
    list(TRANSFORM text_FILES PREPEND "${text_FOLDER}/" OUTPUT_VARIABLE depends)
    list(JOIN text_FILES "|" files)
    add_custom_command(
        OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" -D "FOLDER=${text_FOLDER}" -D "FILES=${files}" -D
                "MP11=${text_MP11}" -D "OUTPUT=${output}" -D "MODULE=${module}" -D
                "NAMESPACE=${namespace}" -P "${script}"
        DEPENDS "${script}" ${depends}
        VERBATIM)
endfunction()

# A library that is a family of kernels: the module NAME, in whose namespace NAME are in_words() and
# kernel_text(), which this writes: the text of NAME.h and NAME.cuh in the same folder, and of what
# else is in KERNELS, by names that an #include has.
#     spio_add_family(NAME SOURCES NAME.cppm... [KERNELS FILE...])
function(spio_add_family name)
    cmake_parse_arguments(PARSE_ARGV 1 family "" "" "SOURCES;KERNELS")
    set(text "${CMAKE_CURRENT_BINARY_DIR}/${name}_kernel_text.cpp")
    spio_embed_kernel_text("${text}" ${name} ${name} FOLDER "${CMAKE_CURRENT_SOURCE_DIR}" FILES
                           ${name}.h ${name}.cuh ${family_KERNELS})
    set(interfaces ${family_SOURCES})
    list(FILTER interfaces INCLUDE REGEX "\\.cppm$")
    set(others ${family_SOURCES})
    list(FILTER others EXCLUDE REGEX "\\.cppm$")
    add_library(${name} STATIC)
    target_sources(${name} PRIVATE ${others} "${text}" PUBLIC FILE_SET CXX_MODULES FILES
                                                              ${interfaces})
    target_compile_features(${name} PUBLIC cxx_std_20)
    target_include_directories(${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
    target_link_libraries(${name} PUBLIC spio::spec spio::headers)
endfunction()

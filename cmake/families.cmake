# Writes sources that know families of kernels by their modules, and makes families of a project.
# SPDX-License-Identifier: Apache-2.0
#
# A family is the kernels of one operation, such as a convolution. Its body is a kernel template; some families
# have several. A trial runs a kernel on random data, for the command.

# Configures a template that has @IMPORTS@, @EXPORTS@ and @ENTRIES@, a line of each for each family.
#     spio_list_families(TEMPLATE OUTPUT [SPIO] [NAMESPACE OUTER] [MODULES MODULE...] [FAMILIES FAMILY...])
# A FAMILY is a target of spio_add_family(), or with OUTER a name in that namespace. MODULES are exported too.
# With SPIO there is @OTHERS@ as well, which adds the families that come with Spio.
function(spio_list_families template output)
    cmake_parse_arguments(PARSE_ARGV 2 list "SPIO" "NAMESPACE" "MODULES;FAMILIES")
    set(dot "")
    set(colons "")
    if(list_NAMESPACE)
        set(dot .)
        set(colons ::)
    endif()
    set(IMPORTS "")
    set(EXPORTS "")
    set(ENTRIES "")
    set(OTHERS "")
    if(list_SPIO)
        string(APPEND IMPORTS "import spio.families;\n")
        string(APPEND OTHERS "    auto const others = spio::families();\n"
                             "    all.insert(all.begin(), others.begin(), others.end());\n")
    endif()
    foreach(family IN LISTS list_FAMILIES)
        set(module ${list_NAMESPACE}${dot}${family})
        set(entry "${list_NAMESPACE}${colons}${family}::family_entry()")
        if(NOT list_NAMESPACE)
            spio_names_of_family(${family} module entry)
        endif()
        string(APPEND IMPORTS "import ${module};\n")
        string(APPEND EXPORTS "export import ${module};\n")
        string(APPEND ENTRIES "        ${entry},\n")
    endforeach()
    foreach(module IN LISTS list_MODULES)
        string(APPEND EXPORTS "export import ${module};\n")
    endforeach()
    configure_file("${template}" "${output}" @ONLY)
endfunction()

# Sets two variables to the module of a target of spio_add_family(), and to the expression that is its family.
function(spio_names_of_family family out_module out_entry)
    set(found FALSE)
    if(TARGET ${family})
        get_target_property(found ${family} SPIO_FAMILY_MODULE)
    endif()
    if(NOT found)
        message(FATAL_ERROR "${family} is no target of spio_add_family().")
    endif()
    get_target_property(entry ${family} SPIO_FAMILY_ENTRY)
    set(${out_module} ${found} PARENT_SCOPE)
    set(${out_entry} "${entry}" PARENT_SCOPE)
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

# A library that is a family of kernels: a module NAME, in whose namespace NAME are specialize() and
# kernel_text(), and family_entry() where lines of a manifest become more than one call of specialize().
# In its folder are NAME.cppm, sources and partitions of the module, the headers of the kernels, problem.h among
# them, and NAME.cuh or a header for each body. kernel_text() is written here: it returns the headers by the names
# that an #include has, NAME/problem.h. So is NAME.cppm where there is none, for a problem without fields, of what
# problem.h defines: shape, a block_shape; grid(params), an extent; and, where a launch must satisfy something,
# flaw(params), which returns that in words, or null.
#     spio_add_family(NAME [FOLDER DIR] [KERNELS DIR] [NAMESPACE OUTER] [MEASURED FILE]
#                     [MODELS FILE...])
# FOLDER is NAME unless it is given; KERNELS is where the headers are, if they are elsewhere. Both
# folders are called NAME. With OUTER the module is OUTER.NAME, the namespace OUTER::NAME, and the
# target OUTER_NAME, alias OUTER::NAME.
#
# MEASURED is a table of configurations; measured_text(), which is not exported, returns its text.
# MODELS are learned models; model_texts(), which is not exported, returns their texts. With them the
# library links spio::model.
#
# trial.cpp, if it is there, is for spio_add_command(). launch.cppm and launch*.cpp, if they are there, are the
# module NAME.launch, of the target NAME_launch:
# what makes the family's kernels ready on a device.
function(spio_add_family name)
    cmake_parse_arguments(PARSE_ARGV 1 family "" "FOLDER;KERNELS;NAMESPACE;MEASURED" "MODELS")
    if(family_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "spio_add_family(${name}) takes FOLDER, KERNELS, NAMESPACE, MEASURED and "
                            "MODELS, not "
                            "'${family_UNPARSED_ARGUMENTS}'.")
    endif()
    if(NOT family_FOLDER)
        set(family_FOLDER ${name})
    endif()
    cmake_path(ABSOLUTE_PATH family_FOLDER NORMALIZE)
    if(NOT family_KERNELS)
        set(family_KERNELS "${family_FOLDER}")
    endif()
    cmake_path(ABSOLUTE_PATH family_KERNELS NORMALIZE)
    if(NOT EXISTS "${family_KERNELS}/problem.h")
        message(FATAL_ERROR "spio_add_family(${name}): there is no ${family_KERNELS}/problem.h.")
    endif()
    set(interface "${family_FOLDER}/${name}.cppm")
    set(written "")
    cmake_path(GET family_FOLDER PARENT_PATH parent)
    set(base "${parent}")
    if(NOT EXISTS "${interface}" AND family_NAMESPACE)
        message(FATAL_ERROR "spio_add_family(${name}): there is no ${interface}.")
    elseif(NOT EXISTS "${interface}")
        spio_write_family_interface(${name} "${family_KERNELS}/problem.h" interface)
        set(written "${interface}")
        set(base "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    cmake_path(GET family_KERNELS FILENAME last)
    if(NOT last STREQUAL name)
        message(FATAL_ERROR "spio_add_family(${name}): the folder of its headers is called ${last}.")
    endif()
    cmake_path(GET family_KERNELS PARENT_PATH root)

    set(target ${name})
    set(module ${name})
    set(namespace ${name})
    if(family_NAMESPACE)
        set(target ${family_NAMESPACE}_${name})
        set(module ${family_NAMESPACE}.${name})
        set(namespace ${family_NAMESPACE}::${name})
    endif()

    file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${root}" "${family_KERNELS}/*.h"
         "${family_KERNELS}/*.cuh")
    set(text "${CMAKE_CURRENT_BINARY_DIR}/${target}_kernel_text.cpp")
    spio_embed_kernel_text("${text}" ${module} ${namespace} FOLDER "${root}" FILES ${headers})

    set(measured "")
    if(family_MEASURED)
        cmake_path(ABSOLUTE_PATH family_MEASURED NORMALIZE)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${family_MEASURED}")
        file(READ "${family_MEASURED}" MEASURED)
        set(measured "${CMAKE_CURRENT_BINARY_DIR}/${target}_measured_text.cpp")
        configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/measured_text.cpp.in" "${measured}" @ONLY)
    endif()

    set(libraries spio::spec spio::headers)
    if(family_MODELS)
        list(APPEND libraries spio::model)
        set(model_texts "${CMAKE_CURRENT_BINARY_DIR}/${target}_model_texts.cpp")
        spio_embed_models("${model_texts}" ${module} ${namespace} ${family_MODELS})
        list(APPEND measured "${model_texts}")
    endif()

    # What the family does not define is made of specialize().
    set(entry "${namespace}::family_entry()")
    file(GLOB interfaces CONFIGURE_DEPENDS "${family_FOLDER}/*.cppm")
    list(REMOVE_ITEM interfaces "${family_FOLDER}/launch.cppm")
    list(APPEND interfaces ${written})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${interfaces})
    set(found "")
    foreach(file IN LISTS interfaces)
        file(STRINGS "${file}" declared REGEX "^[^/]*family_entry\\(\\)")
        string(APPEND found "${declared}")
    endforeach()
    if(NOT found)
        set(entry "spio::family_of<\"${name}\", ${namespace}::specialize>(${namespace}::kernel_text)")
    endif()

    file(GLOB sources CONFIGURE_DEPENDS "${family_FOLDER}/*.cpp")
    # spio_add_command() compiles this file into its program.
    list(REMOVE_ITEM sources "${family_FOLDER}/trial.cpp")
    set(launch_sources ${sources})
    list(FILTER launch_sources INCLUDE REGEX "/launch[^/]*\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "/launch[^/]*\\.cpp$")
    spio_add_family_library(${target} "${base}" "${root}" INTERFACES ${interfaces} SOURCES
                            ${sources} "${text}" ${measured} LIBRARIES ${libraries})
    set_target_properties(
        ${target} PROPERTIES SPIO_FAMILY_FOLDER "${family_FOLDER}" SPIO_FAMILY_MODULE ${module}
                             SPIO_FAMILY_ENTRY "${entry}")
    if(EXISTS "${family_FOLDER}/launch.cppm")
        spio_add_family_library(
            ${target}_launch "${parent}" "${root}" INTERFACES "${family_FOLDER}/launch.cppm"
            SOURCES ${launch_sources} LIBRARIES ${target} spio::launch)
    endif()
endfunction()

# Writes the interface of a family whose problem has no fields, and sets a variable to its name.
function(spio_write_family_interface NAME header out_var)
    file(READ "${header}" text)
    if(NOT text MATCHES "[ :]shape[ ={]" OR NOT text MATCHES "[ :]grid\\(")
        message(FATAL_ERROR "spio_add_family(${NAME}): there is no ${NAME}.cppm, and problem.h does not say how a block is "
                            "shaped and how many a launch has: it needs `inline constexpr spio::block_shape shape` and "
                            "`constexpr spio::extent grid(params const&)`.")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
    file(STRINGS "${header}" lines REGEX "^[ \t]*#[ \t]*include")
    list(TRANSFORM lines APPEND "\n")
    string(JOIN "" INCLUDES ${lines})
    set(interface "${CMAKE_CURRENT_BINARY_DIR}/${NAME}/${NAME}.cppm")
    configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/family.cppm.in" "${interface}" @ONLY)
    set(${out_var} "${interface}" PARENT_SCOPE)
endfunction()

# Writes a source of a module when the project is configured: model_texts(), which returns the texts of
# files. They are numbers there, since a string literal may have 65536 characters.
function(spio_embed_models output module namespace)
    set(arrays "")
    set(views "")
    foreach(file IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH file NORMALIZE)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
        cmake_path(GET file STEM name)
        file(READ "${file}" text HEX)
        string(REGEX REPLACE "(..)" "0x\\1," text "${text}")
        # A line for each 16 bytes, of 5 characters each.
        string(REGEX REPLACE "(................................................................................)" "\\1\n"
                             text "${text}")
        string(APPEND arrays "constexpr char ${name}[] = {\n${text}};\n")
        string(APPEND views "        std::string_view(${name}, sizeof ${name}),\n")
    endforeach()
    file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
        "// Learned models, as they were when the library was configured.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>
#include <string_view>

module ${module};

namespace ${namespace} {

namespace {

${arrays}
} // namespace

std::span<std::string_view const> model_texts() {
    static constexpr std::string_view texts[] = {
${views}    };
    return texts;
}

} // namespace ${namespace}
")
endfunction()

# A library of modules for spio_add_family(): `root` is where its kernels' headers are included from.
# `base` is the folder above that of the interfaces: where they are installed, each family keeps its folder, since all
# have a launch.cppm.
function(spio_add_family_library target base root)
    cmake_parse_arguments(PARSE_ARGV 3 library "" "" "INTERFACES;SOURCES;LIBRARIES")
    add_library(${target} STATIC)
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_sources(${target} PRIVATE ${library_SOURCES}
                   PUBLIC FILE_SET CXX_MODULES BASE_DIRS "${base}" FILES ${library_INTERFACES})
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${root}>)
    target_link_libraries(${target} PUBLIC ${library_LIBRARIES})
endfunction()

# Builds the command `spio` with families of a project.
# SPDX-License-Identifier: Apache-2.0
#
# A family is the kernels of one operation. A manifest lists kernels to be compiled, one to a line.

# A program TARGET that does what `spio` does, and knows the families of a project too: targets of
# spio_add_family(). trial.cpp in the folder of a family says how `run` and `tune` make data and check
# results: it defines FAMILY_trials(), where FAMILY is the name of the target. Without it the family can only
# be shown and packed. The kernels of MANIFEST are built into the program for the host device, which simulates
# a GPU on the CPU; it compiles others when they are run.
#     spio_add_command(TARGET [FAMILIES FAMILY...] [MANIFEST FILE])
function(spio_add_command target)
    cmake_parse_arguments(PARSE_ARGV 1 command "" "MANIFEST" "FAMILIES")
    if(command_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "spio_add_command(${target}) takes FAMILIES and MANIFEST, not "
                            "'${command_UNPARSED_ARGUMENTS}'.")
    endif()
    if(NOT TARGET spio::command)
        message(FATAL_ERROR "spio_add_command(${target}): this Spio was built without its command: it needs "
                            "CLI11, JSON for Modern C++ and the host device.")
    endif()
    set(IMPORTS "")
    set(DECLARATIONS "")
    set(ENTRIES "")
    set(trials "")
    foreach(family IN LISTS command_FAMILIES)
        spio_names_of_family(${family} module entry)
        get_target_property(folder ${family} SPIO_FAMILY_FOLDER)
        string(APPEND IMPORTS "import ${module};\n")
        set(call "")
        if(EXISTS "${folder}/trial.cpp")
            list(APPEND trials "${folder}/trial.cpp")
            string(APPEND DECLARATIONS "\nspio::command::trial_family ${family}_trials(); // in trial.cpp\n")
            set(call ", ${family}_trials()")
        endif()
        string(APPEND ENTRIES "        {${entry}${call}},\n")
    endforeach()

    set(LINES "")
    if(command_MANIFEST)
        cmake_path(ABSOLUTE_PATH command_MANIFEST NORMALIZE)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${command_MANIFEST}")
        file(STRINGS "${command_MANIFEST}" lines REGEX "^[ \t]*[^# \t]")
        list(TRANSFORM lines REPLACE "[ \t]*#.*" "")
        list(TRANSFORM lines REPLACE "(.+)" "        \"\\1\",\n")
        string(JOIN "" LINES ${lines})
    endif()
    # Spio's own program has the headers beside it where it is installed.
    set(SPIO_INCLUDE_FOLDER "")
    get_target_property(is_installed spio::headers IMPORTED)
    if(is_installed)
        get_target_property(folders spio::headers INTERFACE_INCLUDE_DIRECTORIES)
        list(FILTER folders INCLUDE REGEX "/include$")
        list(GET folders 0 SPIO_INCLUDE_FOLDER)
    endif()
    set(main "${CMAKE_CURRENT_BINARY_DIR}/${target}_main.cpp")
    configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/command.cpp.in" "${main}" @ONLY)

    add_executable(${target} "${main}" ${trials})
    # In the dialect of the modules that it imports.
    if(command_FAMILIES)
        list(GET command_FAMILIES 0 first)
        spio_take_dialect(${target} ${first})
    endif()
    target_link_libraries(
        ${target} PRIVATE ${command_FAMILIES} spio::command spio::command_line spio::dims spio::host spio::image
                          spio::launch spio::runtime spio::spec)
    # Kernels for the host device that are compiled later call what is in it.
    set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON)
    if(command_MANIFEST)
        spio_add_host_pack(${target} MANIFEST "${command_MANIFEST}" FAMILIES ${command_FAMILIES})
    endif()
endfunction()

# Programs that libFuzzer feeds.
# SPDX-License-Identifier: Apache-2.0

# Adds fuzz_NAME.cpp as a test, which is fed 5000 inputs, or a million in nightly builds. The libraries, which all programs
# share, are compiled so that libFuzzer sees which branches run. Without sanitizers they are as their users have them, and
# there is no such test.
#     spio_add_fuzzer(NAME TEST LIBRARIES TARGET... OPTIONS OPTION...)
function(spio_add_fuzzer name test)
    if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*address")
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 2 fuzz "" "" "LIBRARIES;OPTIONS")
    foreach(library IN LISTS fuzz_LIBRARIES)
        target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link)
    endforeach()
    add_executable(fuzz_${name} fuzz_${name}.cpp)
    target_link_libraries(fuzz_${name} PRIVATE ${fuzz_LIBRARIES})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set(runs 5000)
    if(SPIO_NIGHTLY)
        set(runs 1000000)
    endif()
    add_test(NAME ${test} COMMAND fuzz_${name} -runs=${runs} -seed=1 -verbosity=0 ${fuzz_OPTIONS})
    set_tests_properties(${test} PROPERTIES COST 50)
endfunction()

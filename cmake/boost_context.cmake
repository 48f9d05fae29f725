# Finds Boost.Context, on which the host device runs its threads, as the target spio::boost_context.
# SPDX-License-Identifier: Apache-2.0
#
# The host device simulates a GPU on the CPU. Its threads switch stacks by make_fcontext().
if(NOT TARGET spio::boost_context)
    find_library(SPIO_BOOST_CONTEXT NAMES libboost_context.a boost_context HINTS "${BOOST_ROOT}" ENV
                 BOOST_ROOT PATH_SUFFIXES lib)
    find_path(SPIO_BOOST_CONTEXT_INCLUDE_DIR boost/context/detail/fcontext.hpp HINTS "${BOOST_ROOT}"
              ENV BOOST_ROOT PATH_SUFFIXES include)
    mark_as_advanced(SPIO_BOOST_CONTEXT SPIO_BOOST_CONTEXT_INCLUDE_DIR)
    if(SPIO_BOOST_CONTEXT AND SPIO_BOOST_CONTEXT_INCLUDE_DIR)
        add_library(spio::boost_context UNKNOWN IMPORTED GLOBAL)
        set_target_properties(
            spio::boost_context
            PROPERTIES IMPORTED_LOCATION "${SPIO_BOOST_CONTEXT}"
                       INTERFACE_INCLUDE_DIRECTORIES "${SPIO_BOOST_CONTEXT_INCLUDE_DIR}")
    endif()
endif()

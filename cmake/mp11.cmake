# Finds the headers of Boost.Mp11, the only dependency of the library, as the target spio::mp11.
# SPDX-License-Identifier: Apache-2.0

# Only the list type itself is read, so any Boost, or Mp11 alone, will do.
if(NOT TARGET spio::mp11)
    find_path(SPIO_MP11_INCLUDE_DIR boost/mp11/detail/mp_list.hpp HINTS "${BOOST_ROOT}" ENV BOOST_ROOT
              PATH_SUFFIXES include)
    if(NOT SPIO_MP11_INCLUDE_DIR)
        message(FATAL_ERROR "spio needs boost/mp11/detail/mp_list.hpp: install Boost's headers (Debian: "
                            "libboost-dev), or set BOOST_ROOT or SPIO_MP11_INCLUDE_DIR.")
    endif()
    mark_as_advanced(SPIO_MP11_INCLUDE_DIR)
    add_library(spio::mp11 INTERFACE IMPORTED GLOBAL)
    target_include_directories(spio::mp11 INTERFACE "${SPIO_MP11_INCLUDE_DIR}")
endif()

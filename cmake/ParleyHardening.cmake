# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# What makes a fault of memory harder to use: canaries and probes of the stack, checked calls of the C
# library, addresses that nobody knows beforehand, tables that are read-only before main(). tests/install
# reads it back from each program. The sanitizers check more, and do not bear it.
if(PARLEY_SANITIZE)
  return()
endif()
add_compile_options(-fstack-protector-strong -fstack-clash-protection
                    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  # The start files of Debian 12 lack the mark that the linker would take over, so it is set here; the
  # test looks at our own objects instead.
  add_compile_options(-fcf-protection=full)
  add_link_options(-Wl,-z,ibt,-z,shstk)
endif()

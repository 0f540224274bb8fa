# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# Hardening against exploits of memory errors: stack canaries and probes, checked calls of the C library,
# position-independent programs, tables that are read-only before main(). tests/install checks each
# program for them. Not with sanitizers, which check more and are incompatible.
if(PARLEY_SANITIZE)
  return()
endif()
add_compile_options(-fstack-protector-strong -fstack-clash-protection
                    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  # The start files of Debian 12 lack the mark that the linker would derive, so it is set here; the test
  # checks our own objects.
  add_compile_options(-fcf-protection=full)
  add_link_options(-Wl,-z,ibt,-z,shstk)
endif()

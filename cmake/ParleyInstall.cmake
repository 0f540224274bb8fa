# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# What `make install` and `make package` put where.
include(GNUInstallDirs)
# The unit names the program where it will be, also for another prefix given at installation.
install(TARGETS parley agentassistant-mcp parley-conformance
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(CODE "
  set(bin \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  file(CREATE_LINK parley \"\${bin}/agentassistant-srv\" SYMBOLIC)
  set(CMAKE_INSTALL_FULL_BINDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  configure_file(\"${CMAKE_SOURCE_DIR}/deploy/parley.service\"
                 \"${CMAKE_BINARY_DIR}/parley.service\" @ONLY)
")
install(FILES "${CMAKE_BINARY_DIR}/parley.service" DESTINATION lib/systemd/system)
install(FILES deploy/completions/parley.bash RENAME parley
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES deploy/completions/_parley DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES deploy/completions/parley.fish
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md")
install(FILES proto/agentassist.proto DESTINATION "${CMAKE_INSTALL_DATADIR}/parley")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME parley)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "The Parley Authors <parley@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "xdg-utils")
include(CPack)

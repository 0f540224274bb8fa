# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# The files of `make install` and `make package`.
include(GNUInstallDirs)
# The unit has the installed path of the program, also for another prefix given at installation.
install(TARGETS parley agentassistant-mcp agentassistant-input parley-conformance
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(CODE "
  set(bin \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  file(CREATE_LINK parley \"\${bin}/agentassistant-srv\" SYMBOLIC)
  set(CMAKE_INSTALL_FULL_BINDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(CMAKE_INSTALL_FULL_DOCDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  configure_file(\"${CMAKE_SOURCE_DIR}/deploy/parley.service\"
                 \"${CMAKE_BINARY_DIR}/parley.service\" @ONLY)
")
install(FILES "${CMAKE_BINARY_DIR}/parley.service" DESTINATION lib/systemd/system)
install(FILES deploy/completions/parley.bash RENAME parley
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
# Debian's zsh has one folder for completions of packages and another for those of the administrator.
install(CODE "
  set(zsh_folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(zsh_folder vendor-completions)
  endif()
  file(INSTALL \"${CMAKE_SOURCE_DIR}/deploy/completions/_parley\"
       DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${zsh_folder}\")
")
install(FILES deploy/completions/parley.fish
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs"
        FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.png" PATTERN "*.webp" PATTERN "*.svg")
# Files to which the documents refer as starting points.
install(FILES deploy/Containerfile deploy/nginx.conf DESTINATION "${CMAKE_INSTALL_DOCDIR}/deploy")
install(DIRECTORY deploy/cluster DESTINATION "${CMAKE_INSTALL_DOCDIR}/deploy" USE_SOURCE_PERMISSIONS
        PATTERN secrets EXCLUDE PATTERN .env EXCLUDE PATTERN .gitignore EXCLUDE)
install(DIRECTORY examples/booking-agent examples/study-kit
        DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples"
        PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE PATTERN .npmrc EXCLUDE)
# The desktop program: a package of its own, because its libraries are not for servers.
if(TARGET parley-desktop)
  install(TARGETS parley-desktop RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT desktop)
  install(FILES deploy/desktop/org.parley.Desktop.desktop
          DESTINATION "${CMAKE_INSTALL_DATADIR}/applications" COMPONENT desktop)
  install(FILES deploy/desktop/org.parley.Desktop.svg
          DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps" COMPONENT desktop)
  install(FILES deploy/desktop/parley-asking.svg deploy/desktop/parley-connected.svg
                deploy/desktop/parley-offline.svg
          DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/status" COMPONENT desktop)
endif()
install(FILES proto/agentassist.proto DESTINATION "${CMAKE_INSTALL_DATADIR}/parley")

set(CPACK_GENERATOR DEB)
# Debian has another package `parley` (a vocabulary trainer) with a greater version: under that name an
# upgrade of the system would replace ours. Both contain /usr/bin/parley.
set(CPACK_PACKAGE_NAME parley-server)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME parley-server)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONFLICTS parley)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS "ca-certificates, xdg-utils")
set(CPACK_DEBIAN_DESKTOP_PACKAGE_NAME parley-desktop)
set(CPACK_DEBIAN_DESKTOP_DESCRIPTION "The console of Parley servers in a window, with a tray icon")
set(CPACK_DEBIAN_DESKTOP_PACKAGE_SECTION x11)
# parley-server has agentassistant-input, which types; librsvg2-common draws the icons, glib-networking
# speaks TLS.
set(CPACK_DEBIAN_DESKTOP_PACKAGE_DEPENDS "librsvg2-common, glib-networking")
set(CPACK_DEBIAN_DESKTOP_PACKAGE_RECOMMENDS "parley-server, xdg-utils")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "The Parley Authors <parley@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)

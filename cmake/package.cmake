# What is installed, and the Debian package of it: `cpack --config build/release/CPackConfig.cmake -G DEB`.
include(GNUInstallDirs)

install(TARGETS holdfast RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The other names are those of programs that holdfast replaces.
foreach(name claude-session claude-session-mcp)
  file(CREATE_LINK holdfast ${CMAKE_BINARY_DIR}/${name} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()

# The program writes its own completions; only a package needs them.
set(completions ${CMAKE_BINARY_DIR}/completions)
install(CODE "
  file(MAKE_DIRECTORY ${completions})
  foreach(shell bash zsh fish)
    execute_process(COMMAND $<TARGET_FILE:holdfast> completion \${shell} OUTPUT_FILE ${completions}/\${shell} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()" COMPONENT debian EXCLUDE_FROM_ALL)
set(debian COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES ${completions}/bash DESTINATION share/bash-completion/completions RENAME holdfast ${debian})
install(FILES ${completions}/zsh DESTINATION share/zsh/vendor-completions RENAME _holdfast ${debian})
install(FILES ${completions}/fish DESTINATION share/fish/vendor_completions.d RENAME holdfast.fish ${debian})
install(FILES packaging/holdfast.service DESTINATION lib/systemd/system ${debian})
install(FILES packaging/holdfast-user.service DESTINATION lib/systemd/user RENAME holdfast.service ${debian})
install(DIRECTORY docs/ DESTINATION share/doc/holdfast ${debian} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(FILES README.md DESTINATION share/doc/holdfast ${debian})
install(FILES LICENSE DESTINATION share/doc/holdfast RENAME copyright ${debian})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME holdfast)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the holdfast maintainers <maintainers@holdfast.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "durable sessions for MCP agents")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libcurl4")  # loaded when it is first needed, so no tool can find it out
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "postgresql, haproxy")
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};holdfast;Unspecified;/;${CMAKE_BINARY_DIR};holdfast;debian;/")
include(CPack)

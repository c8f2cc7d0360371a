if(KVGEN_WITH_LLVM AND TARGET kvgen_cpu_toolchain)
  add_executable(kvgen-clang clang_main.cpp)
  target_link_libraries(kvgen-clang PRIVATE kvgen_warnings kvgen_compile kvgen_cpu_toolchain)
  install(TARGETS kvgen-clang)

  # The headers precompiled for each target, beside the binary: ../share/kvgen/pch.
  set(pch ${PROJECT_BINARY_DIR}/share/kvgen/pch)
  add_custom_command(
    OUTPUT ${pch}/made
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${pch}
    COMMAND kvgen-clang --make-pch ${pch}
    COMMAND ${CMAKE_COMMAND} -E touch ${pch}/made
    DEPENDS kvgen-clang
    COMMENT "Precompiling the headers of device code"
    VERBATIM)
  add_custom_target(kvgen-pch ALL DEPENDS ${pch}/made)
  install(DIRECTORY ${pch} DESTINATION ${CMAKE_INSTALL_DATADIR}/kvgen)
endif()

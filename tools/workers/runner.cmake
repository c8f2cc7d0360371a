add_executable(kvgen-runner runner_main.cpp)
target_link_libraries(kvgen-runner PRIVATE kvgen_device kvgen_worker kvgen_warnings)
install(TARGETS kvgen-runner RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "programs/desktop/desktop_options.h"
#include "programs/desktop/window/desktop_app.h"

namespace {

constexpr int kBadUsage = 2;

int start(const std::vector<std::string>& arguments) {
  const auto options = parley::desktop::parse_desktop_flags(arguments);
  if (!options) {
    std::cerr << "parley-desktop: " << options.error().message << '\n';
    return kBadUsage;
  }
  if (options->help) {
    std::cout << parley::desktop::desktop_help();
    return 0;
  }
  if (options->version) {
    std::cout << "parley-desktop " PARLEY_VERSION "\n";
    return 0;
  }
  parley::desktop::DesktopApp app(*options);
  return app.run();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return start(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& error) {
    std::cerr << "parley-desktop: " << error.what() << '\n';
    return 1;
  }
}

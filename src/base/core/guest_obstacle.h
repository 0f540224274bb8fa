// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parley::core {

// The reason why a request without a token is not admitted as a guest.
struct GuestObstacle {
  std::string why;            // the end of a sentence: "it came through a proxy (Via)"
  bool foreign_page = false;  // a browser sent the request on behalf of a page of another site
};

}  // namespace parley::core

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "http_client/fetcher.h"
#include "runtime/tool/tool.h"

namespace parley::tool {

struct WebFetchOptions {
  // Whether addresses of this computer and of private networks may be reached, too.
  bool allow_private = false;
  std::size_t max_bytes = 5U << 20U;    // of an answer's body
  std::size_t max_text = 64U << 10U;    // of what the model gets of it
  std::size_t max_request = 1U << 20U;  // of the body that is sent
  int max_redirects = 5;
  int retries = 4;  // of a GET; waits 200 ms and twice as long each time
  core::Millis total_timeout{60'000};
  core::Millis idle_timeout{20'000};
  std::string proxy;    // as in FetchRequest
  std::string ca_file;  // as in FetchRequest
};

// Runs a task, which may take seconds, on another thread than the scheduler's. False: it is too
// busy, and the task is dropped.
using Background = std::function<bool(core::Task task)>;

// `web_fetcher`: one HTTP exchange; HTML comes as readable text. A GET runs without asking, a POST
// asks. Where an address leads is looked at in the URL, in each redirect, and again in the
// connection itself (FetchRequest::public_only), so that a name that is given another address
// between the two (DNS rebinding) is refused as well. Through a proxy it is the proxy that resolves
// names and must see to that. An answer becomes text `in_background`. `fetcher` outlives every
// call.
ToolPtr make_web_fetch(http_client::Fetcher& fetcher, Background in_background,
                       WebFetchOptions options = {});

}  // namespace parley::tool

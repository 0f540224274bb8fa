// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/http_client/fetcher.h"
#include "runtime/tool/tool.h"

namespace parley::tool {

// The body of an answer as UTF-8 text that a model can read. `content_type` is the header's value:
// HTML becomes readable text (html_text.h), other text is only decoded (text_charset.h), any other
// body is described by its type and size. Any thread; may take a second for a large page.
std::string readable_body(std::string_view content_type, std::string_view body);

struct WebFetchOptions {
  // Allows addresses of this computer and of private networks.
  bool allow_private = false;
  // Limit (Tools): answer that `web_fetcher` receives. Reached: error.
  std::size_t max_bytes = 5U << 20U;  // of a received body
  // Limit (Tools, bytes): text of `web_fetcher` for the model. Reached: cut.
  std::size_t max_text = 64U << 10U;    // of the text for the model
  std::size_t max_request = 1U << 20U;  // of a sent body
  // Limit (Tools): redirects of `web_fetcher`. Reached: error.
  int max_redirects = 5;
  // Limit (Tools): attempts of a GET of `web_fetcher` after the first. Reached: error.
  int retries = 4;  // of a GET; the delay is 200 ms at first, and doubles
  core::Millis total_timeout{60'000};
  core::Millis idle_timeout{20'000};
  std::string proxy;    // as in FetchRequest
  std::string ca_file;  // as in FetchRequest
};

// Runs a task of up to seconds on another thread than the scheduler's. False if the task was
// dropped, because too many are waiting.
using Background = std::function<bool(core::Task task)>;

// `web_fetcher`: one HTTP exchange; HTML is returned as readable text. A GET runs without approval,
// a POST asks. The address is checked in the URL, in each redirect, and again in the connection
// (FetchRequest::public_only), so DNS rebinding is refused as well. With a proxy, the proxy
// resolves names and has to check them. The body is converted to text `in_background`. `fetcher`
// must outlive every call.
ToolPtr make_web_fetch(http_client::Fetcher& fetcher, Background in_background,
                       WebFetchOptions options = {});

}  // namespace parley::tool

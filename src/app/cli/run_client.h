// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/cancel.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"

namespace parley::app {

// A client of a server's /v1 API, used on one scheduler. Destruction cancels pending calls.
class RunClient {
 public:
  // Limit (Runs): line of a stream that `parley run` and `parley show` follow. Reached: the command
  // fails with a sentence.
  static constexpr std::size_t kMaxLineBytes = 16U << 20U;

  // `fetcher` and `scheduler` must outlive this object. `url` is the server's origin.
  // `ca_file`: as in FetchRequest.
  RunClient(http_client::Fetcher& fetcher, core::Scheduler& scheduler, std::string url,
            std::string token, std::string ca_file = {});
  ~RunClient();

  // Makes one call; `done` gets the body of a successful answer. Errors: those that the server
  // reports; `unavailable`.
  using Done = absl::AnyInvocable<void(core::Result<std::string>)>;
  void call(std::string method, std::string path, std::string body, Done done);

  // Reads a stream of lines to its end. Errors: as call(); `resource_exhausted` for a line of more
  // than kMaxLineBytes, which ends the exchange.
  using Line = std::function<void(std::string_view line)>;
  void follow(std::string path, Line on_line, absl::AnyInvocable<void(core::Result<void>)> done);

  const std::string& url() const { return url_; }

 private:
  http_client::FetchRequest request(std::string method, const std::string& path) const;

  http_client::Fetcher& fetcher_;
  core::Scheduler& scheduler_;
  const std::string url_;
  const std::string token_;
  const std::string ca_file_;
  core::CancelSource going_;
};

}  // namespace parley::app

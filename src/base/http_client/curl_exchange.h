// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/http_client/curl_handles.h"
#include "base/http_client/exchange_sink.h"
#include "base/http_client/fetcher.h"

namespace parley::http_client {

// Reads a variable of an environment; null if it is not set.
using ReadVariable = const char* (*)(const char* name);

// The proxy that an environment names for requests of this scheme to this host, read as libcurl
// reads it: http_proxy (in lower case only) or https_proxy, HTTPS_PROXY, then all_proxy and
// ALL_PROXY, unless no_proxy or NO_PROXY names the host, one of its parent domains, or "*".
// Networks in no_proxy (10.0.0.0/8) are not understood: their hosts are reached through the proxy.
// Empty: no proxy, the connection is direct.
std::string proxy_of_environment(std::string_view scheme, std::string_view host,
                                 ReadVariable variable);

// One HTTP exchange with libcurl. Used on the thread of its CurlExchanges.
class CurlExchange {
 public:
  CurlExchange(const core::Clock& clock, FetchRequest request, std::shared_ptr<ExchangeSink> sink);

  // Makes and configures the easy handle. If the exchange cannot begin, returns its end.
  std::optional<FetchEnd> prepare();
  // Maps libcurl's result of the exchange to its FetchEnd.
  FetchEnd end_of(CURLcode result);
  FetchEnd idle_end() const;

  CURL* easy() const { return easy_.get(); }
  ExchangeSink& sink() { return *sink_; }
  // Resumes after the sink had no room.
  void unpause();
  // The time at which the idle timeout expires if no byte arrives before.
  core::MonoTime idle_at() const;

  core::MonoTime looked_at_next;  // the key of this exchange in CurlExchanges::idle_

 private:
  static std::size_t on_write(char* data, std::size_t size, std::size_t count, void* self);
  static curl_socket_t on_open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  std::size_t take_body(std::string_view bytes);
  void take_header_line(std::string_view line);
  void end_head();
  void send_head();
  std::optional<FetchEnd> read_url();
  FetchEnd not_public() const;
  FetchEnd failure_of(CURLcode result, bool sent) const;
  std::optional<FetchEnd> add_headers();
  void set_method();
  void set_options();
  void set_public_only();

  const core::Clock& clock_;
  FetchRequest request_;
  std::shared_ptr<ExchangeSink> sink_;
  std::string scheme_;
  std::string bare_host_;
  std::string host_;  // with the port if one is named
  bool loopback_ = false;
  HeaderList headers_;
  EasyHandle easy_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  FetchHead head_;
  bool head_sent_ = false;
  std::size_t received_ = 0;
  bool too_large_ = false;
  bool refused_ = false;  // the address is not public
  bool paused_ = false;
  core::MonoTime active_at_;
};

}  // namespace parley::http_client

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/curl_exchange.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/contain.h"
#include "base/core/duration_text.h"
#include "base/core/loopback.h"
#include "base/http_client/public_address.h"

namespace parley::http_client {

namespace {

std::string first_of(std::initializer_list<const char*> names, ReadVariable variable) {
  for (const char* name : names) {
    const char* value = variable(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::string as_compared(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::string out(host);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (out.ends_with('.')) out.pop_back();
  return out;
}

// True if an entry of no_proxy is the host or one of its parent domains.
bool names(std::string_view entry, std::string_view host) {
  if (entry.starts_with('.')) entry.remove_prefix(1);
  const std::string domain = as_compared(entry);
  if (domain.empty() || !host.ends_with(domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

bool is_excepted(std::string_view list, const std::string& host) {
  if (list == "*") return true;
  while (!list.empty()) {
    const std::size_t end = list.find_first_of(", ");
    if (names(list.substr(0, end), host)) return true;
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return false;
}

}  // namespace

std::string proxy_of_environment(std::string_view scheme, std::string_view host,
                                 ReadVariable variable) {
  const bool secure = scheme == "https";
  std::string proxy = secure ? first_of({"https_proxy", "HTTPS_PROXY"}, variable)
                             : first_of({"http_proxy"}, variable);
  if (proxy.empty()) proxy = first_of({"all_proxy", "ALL_PROXY"}, variable);
  if (is_excepted(first_of({"no_proxy", "NO_PROXY"}, variable), as_compared(host))) return {};
  return proxy;
}

namespace {

constexpr std::size_t kMaxHeaders = 256;

FetchEnd invalid(std::string what) { return {FetchEnd::Kind::invalid, std::move(what)}; }

const char* own_variable(const char* name) { return std::getenv(name); }

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c > 0x20 && c < 0x7f &&
           std::string_view("()<>@,;:\\\"/[]?={}").find(static_cast<char>(c)) ==
               std::string_view::npos;
  });
}

long curl_ms(core::Millis time) {
  return static_cast<long>(std::max<std::int64_t>(time.count(), 1));
}

FetchEnd::Kind kind_of(CURLcode result) {
  switch (result) {
    case CURLE_OK:
      return FetchEnd::Kind::complete;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CERTPROBLEM:
      return FetchEnd::Kind::unreachable;
    case CURLE_OPERATION_TIMEDOUT:
      return FetchEnd::Kind::timed_out;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_BAD_FUNCTION_ARGUMENT:
    case CURLE_SSL_CACERT_BADFILE:
      return FetchEnd::Kind::invalid;
    default:
      return FetchEnd::Kind::cut;
  }
}

}  // namespace

CurlExchange::CurlExchange(const core::Clock& clock, FetchRequest request,
                           std::shared_ptr<ExchangeSink> sink)
    : clock_(clock),
      request_(std::move(request)),
      sink_(std::move(sink)),
      active_at_(clock.mono()) {}

core::MonoTime CurlExchange::idle_at() const {
  return (paused_ ? clock_.mono() : active_at_) + request_.idle_timeout;
}

std::optional<FetchEnd> CurlExchange::prepare() {
  if (auto end = read_url()) return end;
  if (!is_token(request_.method)) {
    return invalid("The method of the request is not a valid HTTP method.");
  }
  if (auto end = add_headers()) return end;
  easy_.reset(curl_easy_init());
  if (!easy_) throw std::bad_alloc();
  set_options();
  set_method();
  return std::nullopt;
}

std::optional<FetchEnd> CurlExchange::read_url() {
  const UrlHandle url(curl_url());
  if (!url) throw std::bad_alloc();
  if (curl_url_set(url.get(), CURLUPART_URL, request_.url.c_str(), 0) != CURLUE_OK) {
    return invalid("The URL cannot be read.");
  }
  scheme_ = url_part(url.get(), CURLUPART_SCHEME);
  if (scheme_ != "http" && scheme_ != "https") {
    return invalid("The URL must begin with http:// or https://.");
  }
  host_ = url_part(url.get(), CURLUPART_HOST);
  bare_host_ = host_;
  loopback_ = core::is_loopback_host(host_);
  if (request_.public_only && (loopback_ || is_public_literal(host_) == false)) return not_public();
  if (const std::string port = url_part(url.get(), CURLUPART_PORT); !port.empty()) {
    host_ += ":" + port;
  }
  return std::nullopt;
}

FetchEnd CurlExchange::not_public() const {
  return {FetchEnd::Kind::refused,
          host_ + " is an address of this computer or of a private network."};
}

std::optional<FetchEnd> CurlExchange::add_headers() {
  for (const std::string& header : request_.headers) {
    const std::size_t colon = header.find(':');
    const bool broken = header.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
    if (broken || colon == std::string::npos || !is_token(header.substr(0, colon))) {
      return invalid("A header of the request must have the form \"Name: value\".");
    }
    // libcurl reads "Name:" as a request to remove the header.
    const bool empty = core::trimmed(std::string_view(header).substr(colon + 1)).empty();
    append_header(headers_, empty ? (header.substr(0, colon) + ";").c_str() : header.c_str());
  }
  append_header(headers_, "Expect:");
  return std::nullopt;
}

void CurlExchange::set_method() {
  CURL* easy = easy_.get();
  const std::string& method = request_.method;
  if (!request_.body.empty() || method == "POST") {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.c_str());
  }
  if (method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (method != "POST" && (method != "GET" || !request_.body.empty())) {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  }
}

void CurlExchange::set_options() {
  CURL* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_URL, request_.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "parley");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // Without this, a name look-up in progress would hold the thread when the exchange is cancelled.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 10L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, curl_ms(request_.connect_timeout));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, curl_ms(request_.total_timeout));
  if (request_.max_redirects > 0) {
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, static_cast<long>(request_.max_redirects));
  }
  if (!request_.proxy.empty() || !request_.environment_proxy) {
    curl_easy_setopt(easy, CURLOPT_PROXY, request_.proxy.c_str());  // empty: none
  }
  // libcurl reads no_proxy as well unless it is told a list.
  if (!request_.environment_proxy) curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  if (loopback_) curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  if (request_.public_only) set_public_only();
  if (!request_.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, request_.ca_file.c_str());
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  }
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_.data());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlExchange::on_write);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlExchange::on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
}

// Each address is checked when the connection is made, so that a name that resolves to a local
// address by then is refused. Open connections are not reused: their addresses may not have been
// checked. This function chooses the proxy, not libcurl: only a connection that certainly goes to a
// proxy is exempt from the check.
void CurlExchange::set_public_only() {
  CURL* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  const std::string proxy = request_.proxy.empty() && request_.environment_proxy
                                ? proxy_of_environment(scheme_, bare_host_, own_variable)
                                : request_.proxy;
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy.c_str());  // empty: no proxy, whatever the
                                                         // environment says
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  if (!proxy.empty()) return;
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &CurlExchange::on_open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
}

curl_socket_t CurlExchange::on_open_socket(void* self, curlsocktype purpose,
                                           curl_sockaddr* address) {
  static_cast<void>(purpose);
  if (!is_public_address(address->addr)) {
    static_cast<CurlExchange*>(self)->refused_ = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t CurlExchange::on_write(char* data, std::size_t size, std::size_t count, void* self) {
  // No exception may pass through libcurl, which is C.
  const auto taken = core::contain("fetcher", [&]() -> core::Result<std::size_t> {
    return static_cast<CurlExchange*>(self)->take_body(std::string_view(data, size * count));
  });
  return taken.value_or(0);
}

// Returns the number of bytes taken, as libcurl expects: all, 0 (ends the exchange), or a pause.
std::size_t CurlExchange::take_body(std::string_view bytes) {
  active_at_ = clock_.mono();
  send_head();
  if (received_ + bytes.size() > request_.max_bytes) {
    too_large_ = true;
    return 0;
  }
  if (!sink_->put_body(bytes)) {
    paused_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  received_ += bytes.size();
  return bytes.size();
}

std::size_t CurlExchange::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  exchange.active_at_ = exchange.clock_.mono();
  const core::Result<void> taken = core::contain(
      "fetcher", [&] { exchange.take_header_line(std::string_view(data, size * count)); });
  return taken ? size * count : 0;
}

void CurlExchange::take_header_line(std::string_view line) {
  if (head_sent_) return;  // trailers
  if (line.starts_with("HTTP/")) {
    head_ = {};
    return;
  }
  line = core::trimmed(line);
  if (line.empty()) return end_head();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || head_.headers.size() >= kMaxHeaders) return;
  std::string name(core::trimmed(line.substr(0, colon)));
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  head_.headers.emplace_back(std::move(name), core::trimmed(line.substr(colon + 1)));
}

// Sends the head to the sink, unless it is an interim one: 1xx, or a redirect that is followed.
void CurlExchange::end_head() {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status < 200) return;
  const bool redirect = status >= 300 && status < 400 && head_.header("location").has_value();
  if (redirect && request_.max_redirects > 0) return;
  send_head();
}

void CurlExchange::send_head() {
  if (std::exchange(head_sent_, true)) return;
  long status = 0;
  char* url = nullptr;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy_.get(), CURLINFO_EFFECTIVE_URL, &url);
  head_.status = static_cast<int>(status);
  head_.url = url == nullptr ? request_.url : url;
  sink_->put_head(std::move(head_));
}

void CurlExchange::unpause() {
  if (!std::exchange(paused_, false)) return;
  active_at_ = clock_.mono();
  curl_easy_pause(easy_.get(), CURLPAUSE_CONT);
}

FetchEnd CurlExchange::idle_end() const {
  return {FetchEnd::Kind::timed_out,
          host_ + " sent nothing for " + core::exact_text(request_.idle_timeout) + "."};
}

FetchEnd CurlExchange::end_of(CURLcode result) {
  if (result == CURLE_OK) {
    send_head();
    return {FetchEnd::Kind::complete, {}, true};
  }
  curl_off_t sent_at = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &sent_at);
  FetchEnd end = failure_of(result, sent_at > 0);
  end.sent = sent_at > 0;
  return end;
}

FetchEnd CurlExchange::failure_of(CURLcode result, bool sent) const {
  if (too_large_) {
    return {FetchEnd::Kind::too_large, "The answer of " + host_ + " is larger than " +
                                           std::to_string(request_.max_bytes) + " bytes."};
  }
  if (refused_) return not_public();
  const FetchEnd::Kind kind = kind_of(result);
  if (kind == FetchEnd::Kind::timed_out && !sent) {
    const core::Millis waited = std::min(request_.connect_timeout, request_.total_timeout);
    return {FetchEnd::Kind::unreachable,
            "No connection to " + host_ + " within " + core::exact_text(waited) + "."};
  }
  switch (kind) {
    case FetchEnd::Kind::timed_out:
      return {kind, host_ + " did not complete its answer within " +
                        core::exact_text(request_.total_timeout) + "."};
    case FetchEnd::Kind::unreachable:
      // The message names a host, an address or a fault of a certificate; nothing of the request.
      return {kind, host_ + " cannot be reached: " +
                        (error_[0] != '\0' ? error_.data() : curl_easy_strerror(result)) + "."};
    case FetchEnd::Kind::invalid:
      if (result == CURLE_TOO_MANY_REDIRECTS) {
        return invalid(host_ + " redirects more than " + std::to_string(request_.max_redirects) +
                       " times.");
      }
      if (result == CURLE_SSL_CACERT_BADFILE) {
        return invalid("The file with the CA certificates cannot be read.");
      }
      return invalid("The URL, or one that it redirects to, is not valid.");
    default:
      return {kind, "The answer of " + host_ + " ended before it was complete."};
  }
}

}  // namespace parley::http_client

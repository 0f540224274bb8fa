// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/response_reader.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <utility>

#include "base/net/http/http_text.h"

namespace parley::link {
namespace {

namespace http = boost::beast::http;
using boost::beast::string_view;

// The fields of one connection (RFC 9110 section 7.6.1), and those that depend on the node that the
// client has reached: its Origin and its scheme were seen there.
bool is_left_out(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {"Connection",
                                                              "Keep-Alive",
                                                              "Proxy-Connection",
                                                              "Trailer",
                                                              "Transfer-Encoding",
                                                              "Upgrade",
                                                              "Content-Length",
                                                              "Access-Control-Allow-Origin",
                                                              "Access-Control-Expose-Headers",
                                                              "Strict-Transport-Security"};
  return std::any_of(kNames.begin(), kNames.end(), [name](std::string_view each) {
    return net::equals_ignoring_case(each, name);
  });
}

core::Error malformed(const boost::system::error_code& error) {
  return {core::Code::data_loss, "It is no HTTP answer: " + error.message() + ".", ""};
}

}  // namespace

// Beast's parser, whose calls fill the reader.
class ResponseReader::Parser final : public http::basic_parser<false> {
 public:
  explicit Parser(ResponseReader& reader) : reader_(reader) {
    eager(true);
    header_limit(kMaxAnswerHeadBytes);
    body_limit(boost::none);
  }

 private:
  using Error = boost::system::error_code;

  void on_request_impl(http::verb /*method*/, string_view /*name*/, string_view /*target*/,
                       int /*version*/, Error& /*error*/) override {}
  void on_response_impl(int status, string_view /*reason*/, int /*version*/,
                        Error& /*error*/) override {
    reader_.head_.status = status;
  }
  void on_field_impl(http::field /*known*/, string_view name, string_view value,
                     Error& /*error*/) override {
    const std::string_view of{name.data(), name.size()};
    if (!is_left_out(of)) {
      reader_.head_.headers.add(std::string(of), std::string(value.data(), value.size()));
    }
  }
  void on_header_impl(Error& /*error*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         Error& /*error*/) override {}
  std::size_t on_body_impl(string_view bytes, Error& /*error*/) override {
    reader_.body_.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t /*size*/, string_view /*extensions*/,
                            Error& /*error*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*left*/, string_view bytes,
                                 Error& /*error*/) override {
    reader_.body_.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(Error& /*error*/) override {}

  ResponseReader& reader_;
};

ResponseReader::ResponseReader() : parser_(std::make_unique<Parser>(*this)) {}
ResponseReader::~ResponseReader() = default;

core::Result<void> ResponseReader::feed(std::string_view bytes) {
  has_begun_ = has_begun_ || !bytes.empty();
  unparsed_.append(bytes);
  std::string_view rest = unparsed_;
  while (!rest.empty() && !parser_->is_done()) {
    boost::system::error_code error;
    const std::size_t used =
        parser_->put(boost::asio::const_buffer(rest.data(), rest.size()), error);
    if (error && error != http::error::need_more) return core::fail(malformed(error));
    rest.remove_prefix(used);
    if (used == 0) break;
  }
  if (parser_->is_done() && !rest.empty()) {
    return core::fail(core::Code::data_loss, "Bytes follow behind the end of the answer.");
  }
  unparsed_.erase(0, unparsed_.size() - rest.size());
  return {};
}

core::Result<void> ResponseReader::finish() {
  if (parser_->is_done()) return {};
  if (!parser_->got_some()) return core::fail(core::Code::data_loss, "There is no answer.");
  boost::system::error_code error;
  parser_->put_eof(error);
  if (error) return core::fail(malformed(error));
  return {};
}

bool ResponseReader::has_head() const { return parser_->is_header_done(); }
bool ResponseReader::is_complete() const { return parser_->is_done(); }
bool ResponseReader::keeps_alive() const { return parser_->keep_alive(); }

std::optional<std::uint64_t> ResponseReader::length() const {
  const boost::optional<std::uint64_t> length = parser_->content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

}  // namespace parley::link

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/tls_stream.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <new>
#include <utility>

#include "base/core/assert.h"

namespace parley::net {
namespace {

// Most bytes in one record.
constexpr std::size_t kRecordBytes = 16U << 10U;
// Capacity that a buffer of records keeps while it is empty.
constexpr std::size_t kKeptBytes = 1U << 10U;
// Type, version and length in front of a record (RFC 8446 section 5.1).
constexpr std::size_t kRecordHeader = 5;
// Type of the record with which a handshake begins (RFC 8446 section 5.1).
constexpr char kHandshakeRecord = 0x16;
constexpr std::string_view kPlainHeadEnd = "\r\n\r\n";

bool is_address(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// Empties a memory BIO. A large buffer is freed: the BIO would keep it as long as the session
// lives.
void clear_bio(BIO* bio) {
  BUF_MEM* held = nullptr;
  BIO_get_mem_ptr(bio, &held);
  BUF_MEM* const fresh = held != nullptr && held->max > kKeptBytes ? BUF_MEM_new() : nullptr;
  if (fresh != nullptr) {
    BIO_set_mem_buf(bio, fresh, BIO_CLOSE);
  } else {
    BIO_reset(bio);
  }
}

void expect_host(SSL* ssl, const std::string& host) {
  if (is_address(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
    return;
  }
  SSL_set_tlsext_host_name(ssl, host.c_str());
  SSL_set1_host(ssl, host.c_str());
}

}  // namespace

TlsStream::TlsStream(std::unique_ptr<Stream> inner, TlsContext::Handle context, Side side,
                     const std::string& host, std::shared_ptr<const PlainAnswer> plain)
    : inner_(std::move(inner)),
      context_(std::move(context)),
      plain_answer_(std::move(plain)),
      self_(std::make_shared<TlsStream*>(this)) {
  inner_->set_handler(this);
  set_timer();
  if (side == Side::server) return;
  begin(side, host);
  ERR_clear_error();
  SSL_do_handshake(ssl_.get());
  send_records();
}

// Throws std::bad_alloc; then no session has begun.
void TlsStream::begin(Side side, const std::string& host) {
  PARLEY_ASSERT(!ssl_ && context_, "TLS to " + peer() + ": a session begins twice");
  ssl_.reset(SSL_new(context_.get()));
  in_ = BIO_new(BIO_s_mem());
  out_ = BIO_new(BIO_s_mem());
  if (!ssl_ || in_ == nullptr || out_ == nullptr) {
    BIO_free(in_);
    BIO_free(out_);
    ssl_.reset();
    throw std::bad_alloc();
  }
  SSL_set_bio(ssl_.get(), in_, out_);
  context_.reset();
  if (side == Side::server) {
    SSL_set_accept_state(ssl_.get());
  } else {
    SSL_set_connect_state(ssl_.get());
    expect_host(ssl_.get(), host);
  }
}

TlsStream::~TlsStream() {
  *self_ = nullptr;
  cancel_timer();
}

void TlsStream::on_data(Stream& /*stream*/, char* data, std::size_t size) {
  if (state_ >= State::failing || size == 0) return;
  if (state_ == State::handshake) {
    if (is_plain(*data)) return take_plain({data, size});
    if (!take_handshake({data, size})) return;
  } else {
    BIO_write(in_, data, static_cast<int>(size));
  }
  deliver_all();
}

// True once the handshake is done.
bool TlsStream::take_handshake(std::string_view bytes) {
  handshake_bytes_ += bytes.size();
  if (ssl_) {
    BIO_write(in_, bytes.data(), static_cast<int>(bytes.size()));
  } else if (!take_first_record(bytes)) {
    return false;
  }
  if (count_memory()) return continue_handshake();
  fail();
  return false;
}

// Keeps the peer's bytes until the first record is complete, then begins the session with them: a
// peer that sends less costs no session. True if it has begun.
bool TlsStream::take_first_record(std::string_view bytes) {
  first_record_.append(bytes);
  const auto at = [this](std::size_t index) {
    return static_cast<std::size_t>(static_cast<unsigned char>(first_record_[index]));
  };
  const bool incomplete = first_record_[0] == kHandshakeRecord &&
                          first_record_.size() < kRecordHeader + kRecordBytes &&
                          (first_record_.size() < kRecordHeader ||
                           first_record_.size() < kRecordHeader + ((at(3) << 8U) | at(4)));
  if (incomplete) {
    if (!count_memory()) fail();
    return false;
  }
  begin(Side::server, {});
  BIO_write(in_, first_record_.data(), static_cast<int>(first_record_.size()));
  std::string().swap(first_record_);
  return true;
}

bool TlsStream::hold(std::size_t bytes) {
  held_above_ = bytes;
  return count_memory();
}

// Counts the memory of the session and of what waits for it. False: a limit is reached.
bool TlsStream::count_memory() {
  std::size_t bytes = held_above_ + waiting_.size() + first_record_.size();
  if (plain_) bytes += plain_->size();
  if (ssl_ && state_ == State::handshake) {
    bytes += kHandshakeBytes + handshake_bytes_;
  } else if (ssl_) {
    bytes += kSessionBytes + BIO_ctrl_pending(in_);
    if (SSL_has_pending(ssl_.get()) == 1) bytes += kRecordBytes;
  }
  return inner_->hold(bytes);
}

// True if the peer began without TLS and gets an answer. `first`: the first of the arrived bytes.
bool TlsStream::is_plain(char first) {
  if (plain_) return true;
  if (!plain_answer_ || first == kHandshakeRecord) {
    plain_answer_.reset();
    return false;
  }
  plain_ = std::make_unique<std::string>();
  return true;
}

// Answers in clear text once the head of the request is complete, and ends the stream.
void TlsStream::take_plain(std::string_view bytes) {
  const std::size_t known = plain_->size();
  plain_->append(bytes.substr(0, TlsNetwork::kMaxPlainBytes - known));
  const std::size_t from = known < kPlainHeadEnd.size() ? 0 : known - kPlainHeadEnd.size() + 1;
  const std::size_t end = plain_->find(kPlainHeadEnd, from);
  const bool complete = end != std::string::npos;
  if (!count_memory()) return fail();
  if (!complete && plain_->size() < TlsNetwork::kMaxPlainBytes) return;
  const std::size_t size = complete ? end + kPlainHeadEnd.size() : plain_->size();
  inner_->write((*plain_answer_)(std::string_view(*plain_).substr(0, size)));
  plain_.reset();
  fail();
}

// True once the handshake is done. A failure ends the stream.
bool TlsStream::continue_handshake() {
  ERR_clear_error();
  const int done = SSL_do_handshake(ssl_.get());
  send_records();
  if (done == 1) {
    cancel_timer();
    PARLEY_ASSERT(state_ == State::handshake && !ended_,
                  "TLS to " + peer() + ": a handshake is completed twice, or behind the end");
    state_ = State::open;
    const std::string waiting = std::exchange(waiting_, {});
    count_memory();  // less than before
    encrypt(waiting);
    if (finishing_) {
      finishing_ = false;
      finish();
    }
    return true;
  }
  const int error = SSL_get_error(ssl_.get(), done);
  if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
    note_fault();
    fail();
  } else if (BIO_ctrl_pending(in_) == 0) {
    clear_bio(in_);
  }
  return false;
}

// Delivers decrypted bytes. Each call of the handler may destroy or move this stream.
void TlsStream::deliver_all() {
  const std::shared_ptr<TlsStream*> self = self_;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kRecordBytes + kReadPadding);
  while (*self != nullptr && state_ == State::open && !paused_) {
    ERR_clear_error();
    std::size_t size = 0;
    const int got = SSL_read_ex(ssl_.get(), buffer.get(), kRecordBytes, &size);
    if (got == 1) {
      if (handler_ != nullptr) handler_->on_data(*this, buffer.get(), size);
      continue;
    }
    // Reading may have produced records to send (key update).
    send_records();
    const int error = SSL_get_error(ssl_.get(), got);
    const bool empty = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
    if (empty && !inner_ended_) return count_unread();
    if (empty || error == SSL_ERROR_ZERO_RETURN) {
      peer_ended();
    } else {
      note_fault();
      fail();
    }
    return;
  }
  if (*self != nullptr && state_ == State::open) count_unread();
}

// Counts the records that were not delivered, after those before them were.
void TlsStream::count_unread() {
  if (BIO_ctrl_pending(in_) == 0) clear_bio(in_);
  if (!count_memory()) fail();
}

void TlsStream::write(std::string_view bytes) {
  if (bytes.empty() || finishing_ || state_ >= State::failing) return;
  if (state_ == State::handshake) {
    waiting_.append(bytes);
    return;
  }
  encrypt(bytes);
}

void TlsStream::encrypt(std::string_view bytes) {
  PARLEY_ASSERT(state_ == State::open, "TLS to " + peer() + ": " + std::to_string(bytes.size()) +
                                           " bytes are encrypted before the handshake is done");
  while (!bytes.empty()) {
    ERR_clear_error();
    std::size_t taken = 0;
    const std::string_view piece = bytes.substr(0, kRecordBytes);
    // Writing to memory fails only in a broken session, which the next read reports.
    if (SSL_write_ex(ssl_.get(), piece.data(), piece.size(), &taken) != 1) break;
    bytes.remove_prefix(taken);
    send_records();
  }
}

void TlsStream::send_records() {
  char* data = nullptr;
  const long size = BIO_get_mem_data(out_, &data);
  PARLEY_ASSERT(size >= 0 && (size == 0 || data != nullptr),
                "TLS to " + peer() + ": " + std::to_string(size) + " bytes of records wait");
  if (size == 0) return;
  inner_->write({data, static_cast<std::size_t>(size)});
  clear_bio(out_);
}

void TlsStream::finish() {
  if (finishing_ || state_ >= State::failing) return;
  finishing_ = true;
  if (state_ == State::handshake) {
    // The handshake continues if bytes wait to be sent.
    if (waiting_.empty()) inner_->finish();
    return;
  }
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  send_records();
  inner_->finish();
}

void TlsStream::pause_reading(bool pause) {
  if (paused_ == pause) return;
  paused_ = pause;
  inner_->pause_reading(pause);
  if (pause || state_ != State::open) return;
  // Already decrypted bytes are delivered later, not inside this call.
  inner_->scheduler().post([self = self_] {
    if (*self != nullptr) (*self)->deliver_all();
  });
}

void TlsStream::move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) {
  cancel_timer();
  PARLEY_ASSERT(self_ != nullptr && *self_ == this,
                "TLS to " + peer() + ": moved after it was destroyed");
  *self_ = nullptr;
  self_ = std::make_shared<TlsStream*>(this);
  inner_->move_to(target, [self = self_, arrived = std::move(arrived)]() mutable {
    if (*self == nullptr) return;
    if ((*self)->state_ == State::handshake) (*self)->set_timer();
    if (arrived) arrived();
    if (*self != nullptr) (*self)->deliver_all();
  });
}

void TlsStream::on_end(Stream& /*stream*/) {
  // An end without close_notify is accepted: HTTP and WebSocket detect truncation themselves.
  // Decrypted bytes that were held back by a pause are delivered before the end.
  inner_ended_ = true;
  if (state_ == State::handshake) return peer_ended();
  deliver_all();
}

void TlsStream::peer_ended() {
  if (ended_ || state_ >= State::failing) return;
  ended_ = true;
  if (state_ == State::handshake) {
    fault_ = "the peer ended during the handshake";
    lost();
    return;
  }
  if (handler_ != nullptr) handler_->on_end(*this);
}

void TlsStream::on_drained(Stream& /*stream*/) {
  if (handler_ != nullptr) handler_->on_drained(*this);
}

void TlsStream::on_closed(Stream& /*stream*/) { lost(); }

// Keeps the first error of the last call of OpenSSL: later ones are its consequences.
void TlsStream::note_fault() {
  const bool verifies = (SSL_get_verify_mode(ssl_.get()) & SSL_VERIFY_PEER) != 0;
  const long verified = verifies ? SSL_get_verify_result(ssl_.get()) : X509_V_OK;
  const char* const text = verified != X509_V_OK ? X509_verify_cert_error_string(verified)
                                                 : ERR_reason_error_string(ERR_peek_error());
  fault_ = text != nullptr ? text : "unknown error";
}

bool TlsStream::peer_is(const std::string& host) const {
  if (state_ != State::open || SSL_get_verify_result(ssl_.get()) != X509_V_OK) return false;
  X509* const certificate = SSL_get0_peer_certificate(ssl_.get());
  return certificate != nullptr &&
         X509_check_host(certificate, host.data(), host.size(),
                         X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_WILDCARDS,
                         nullptr) == 1;
}

// Ends a broken session, or one that exceeds the budget: frees it, sends its alert or the answer
// without TLS, then ends the inner stream and with it this one.
void TlsStream::fail() {
  PARLEY_ASSERT(state_ < State::failing, "TLS to " + peer() + ": the session breaks twice");
  state_ = State::failing;
  cancel_timer();
  ssl_.reset();
  std::string().swap(first_record_);
  std::string().swap(waiting_);
  plain_.reset();
  count_memory();
  inner_->finish();
}

void TlsStream::lost() {
  if (state_ == State::lost) return;
  state_ = State::lost;
  cancel_timer();
  if (handler_ != nullptr) handler_->on_closed(*this);
}

void TlsStream::set_timer() {
  PARLEY_ASSERT(timer_ == 0 && state_ == State::handshake,
                "TLS to " + peer() + ": a second timer would wait for the handshake");
  timer_ = inner_->scheduler().after(TlsNetwork::kHandshakeTimeout, [this] {
    timer_ = 0;
    fault_ = "the handshake took too long";
    lost();
  });
}

void TlsStream::cancel_timer() {
  if (timer_ != 0) inner_->scheduler().cancel(std::exchange(timer_, 0));
}

}  // namespace parley::net

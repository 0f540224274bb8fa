// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/net/loop/stream.h"
#include "base/net/loop/tls.h"

namespace parley::net {

// TLS over any stream. OpenSSL works on memory buffers; the inner stream carries the records. A
// server's session begins with the first complete record of the peer; the memory of records,
// handshake and session counts to the budget of the connection (Stream::count_to).
class TlsStream final : public Stream, private StreamHandler {
 public:
  enum class Side : std::uint8_t { server, client };

  // `host`: a client's server name, for SNI and for the check of the certificate. `plain`: a
  // server's answer to a peer without TLS; null: it is cut.
  TlsStream(std::unique_ptr<Stream> inner, TlsContext::Handle context, Side side,
            const std::string& host, std::shared_ptr<const PlainAnswer> plain = nullptr);
  ~TlsStream() override;

  void set_handler(StreamHandler* handler) override { handler_ = handler; }
  void write(std::string_view bytes) override;
  void write_shared(const SharedBytes& bytes) override { write(bytes.view()); }
  std::size_t queued() const override { return waiting_.size() + inner_->queued(); }
  void finish() override;
  void pause_reading(bool pause) override;
  void move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) override;
  core::Scheduler& scheduler() override { return inner_->scheduler(); }
  const std::string& peer() const override { return inner_->peer(); }
  void set_peer(std::string address) override { inner_->set_peer(std::move(address)); }
  bool secure() const override { return true; }
  void count_to(AssemblyBudget& budget, std::string_view account) override {
    inner_->count_to(budget, account);
  }
  bool hold(std::size_t bytes) override;

  // The reason why the handshake or the session failed, in the words of OpenSSL, without any text
  // of the peer; empty: it did not fail. For logs.
  std::string_view fault() const { return fault_; }
  // True if the peer has a verified certificate that covers this DNS name. False before the end of
  // the handshake.
  bool peer_is(const std::string& host) const;

  // Memory of a session that counts to the budget, besides the bytes that are not delivered: during
  // the handshake, and afterwards.
  // Limit (HTTP): bytes counted for a TLS handshake, besides those received. Reached: counted in
  // `limits.unfinished_bytes`.
  static constexpr std::size_t kHandshakeBytes = 48U << 10U;
  // Limit (HTTP): bytes counted for TLS afterwards. Reached: counted in `limits.unfinished_bytes`.
  static constexpr std::size_t kSessionBytes = 16U << 10U;

 private:
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  enum class State : std::uint8_t {
    handshake,
    open,
    failing,  // the alert is being sent to the peer
    lost,
  };

  void on_data(Stream& stream, char* data, std::size_t size) override;
  void on_end(Stream& stream) override;
  void on_drained(Stream& stream) override;
  void on_closed(Stream& stream) override;

  void begin(Side side, const std::string& host);
  bool take_handshake(std::string_view bytes);
  bool take_first_record(std::string_view bytes);
  bool count_memory();
  bool continue_handshake();
  bool is_plain(char first);
  void take_plain(std::string_view bytes);
  void deliver_all();
  void count_unread();
  void encrypt(std::string_view bytes);
  void send_records();
  void peer_ended();
  void note_fault();
  void fail();
  void lost();
  void set_timer();
  void cancel_timer();

  std::unique_ptr<Stream> inner_;
  TlsContext::Handle context_;         // null once the session has begun
  std::unique_ptr<SSL, FreeSsl> ssl_;  // null before the session begins and after it has failed
  std::string first_record_;           // received before the session begins
  std::size_t handshake_bytes_ = 0;    // received in the handshake
  std::size_t held_above_ = 0;         // by hold()
  BIO* in_ = nullptr;                  // owned by ssl_: records from the peer
  BIO* out_ = nullptr;                 // owned by ssl_: records to the peer
  StreamHandler* handler_ = nullptr;
  std::string waiting_;                              // written before the handshake was done
  std::shared_ptr<const PlainAnswer> plain_answer_;  // null once the peer has begun with TLS
  std::unique_ptr<std::string> plain_;               // received from a peer without TLS
  // Held by tasks of this thread; null once the stream is destroyed or has moved to another thread.
  std::shared_ptr<TlsStream*> self_;
  core::TimerId timer_ = 0;
  const char* fault_ = "";  // a text of OpenSSL or of the program
  State state_ = State::handshake;
  bool finishing_ = false;
  bool paused_ = false;
  bool inner_ended_ = false;  // no further records will arrive
  bool ended_ = false;        // on_end() was called
};

}  // namespace parley::net

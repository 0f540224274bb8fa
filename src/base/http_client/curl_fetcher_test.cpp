// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/curl_fetcher.h"

#include <gmock/gmock.h>
#include <netdb.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/http_client/curl_loop.h"
#include "tests/support/http_client/scripted_server.h"

namespace parley::http_client {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using End = ScriptedAnswer::End;
using Kind = FetchEnd::Kind;

constexpr core::Millis kFetchPatience = seconds(30);
constexpr const char* kSecret = "sk-very-secret";

ScriptedAnswer text_answer(std::string text) {
  ScriptedAnswer answer;
  answer.pieces = {{core::Millis(0), std::move(text)}};
  return answer;
}

// An exchange as its caller observes it.
struct Seen {
  std::optional<FetchHead> head;
  std::string body;
  std::size_t largest = 0;  // largest number of bytes delivered at once
  std::optional<FetchEnd> end;
};

class CurlFetcherTest : public ::testing::Test {
 protected:
  FetchRequest get(const std::string& path) const {
    FetchRequest request;
    request.url = server_.url() + path;
    request.headers = {std::string("Authorization: Bearer ") + kSecret};
    return request;
  }
  std::shared_ptr<Seen> begin(FetchRequest request, const core::CancelToken& cancel = {}) {
    auto seen = std::make_shared<Seen>();
    FetchEvents events;
    events.on_head = [seen](const FetchHead& head) {
      EXPECT_FALSE(seen->head.has_value());
      seen->head = head;
    };
    events.on_body = [this, seen](std::string_view bytes) {
      EXPECT_TRUE(seen->head.has_value());
      EXPECT_FALSE(seen->end.has_value());
      seen->body += bytes;
      seen->largest = std::max(seen->largest, bytes.size());
      if (on_body_) on_body_();
    };
    fetcher_->fetch(std::move(request), std::move(events), loop_, cancel, [seen](FetchEnd end) {
      EXPECT_FALSE(seen->end.has_value());
      seen->end = std::move(end);
    });
    EXPECT_FALSE(seen->end.has_value()) << "told inside the call";
    return seen;
  }
  template <typename Condition>
  [[nodiscard]] bool wait_for(Condition condition) {
    const core::MonoTime until = clock_.mono() + kFetchPatience;
    while (!condition()) {
      if (clock_.mono() > until) return false;
      loop_.run_once(seconds(1));
    }
    return true;
  }
  Seen fetch(FetchRequest request) {
    const auto seen = begin(std::move(request));
    EXPECT_TRUE(wait_for([&] { return seen->end.has_value(); }));
    EXPECT_THAT(seen->end.value_or(FetchEnd{}).failure, Not(HasSubstr(kSecret)));
    return *seen;
  }

  core::SystemClock clock_;
  CurlLoop loop_{clock_};
  std::function<ScriptedAnswer(const ServedRequest&)> answer_ = [](const ServedRequest&) {
    return text_answer("hello");
  };
  ScriptedServer server_{[this](const ServedRequest& request) { return answer_(request); }};
  std::unique_ptr<CurlFetcher> fetcher_ = std::make_unique<CurlFetcher>(clock_);
  std::function<void()> on_body_;
};

TEST_F(CurlFetcherTest, Callbacks_AreHeadBodyEnd) {
  answer_ = [](const ServedRequest&) {
    ScriptedAnswer answer = text_answer("hello");
    answer.status = 418;
    answer.headers = {{"X-Kind", "teapot"}, {"Empty", ""}};
    answer.pieces.push_back({core::Millis(0), " world"});
    return answer;
  };
  const Seen seen = fetch(get("/a?b=c"));
  EXPECT_EQ(seen.head->status, 418);
  EXPECT_EQ(seen.head->header("x-kind"), "teapot");
  EXPECT_EQ(seen.head->header("x-other"), std::nullopt);
  EXPECT_EQ(seen.head->url, server_.url() + "/a?b=c");
  EXPECT_EQ(seen.body, "hello world");
  EXPECT_EQ(seen.end->kind, Kind::complete);
  EXPECT_EQ(seen.end->failure, "");
}

TEST_F(CurlFetcherTest, Request_HasMethodHeadersAndBody) {
  FetchRequest request = get("/x");
  request.method = "POST";
  request.body = "{\"a\":1}";
  request.headers.emplace_back("Content-Type: application/json");
  request.headers.emplace_back("X-Empty:");
  EXPECT_EQ(fetch(request).end->kind, Kind::complete);
  request = get("/x");
  request.method = "DELETE";
  EXPECT_EQ(fetch(request).end->kind, Kind::complete);
  const std::vector<ServedRequest> served = server_.requests();
  ASSERT_EQ(served.size(), 2U);
  EXPECT_EQ(served[0].method, "POST");
  EXPECT_EQ(served[0].body, "{\"a\":1}");
  EXPECT_EQ(served[0].header("content-type"), "application/json");
  EXPECT_EQ(served[0].header("authorization"), std::string("Bearer ") + kSecret);
  EXPECT_EQ(served[1].method, "DELETE");
  EXPECT_EQ(served[1].body, "");
}

TEST_F(CurlFetcherTest, EachPiece_IsShownBeforeNext) {
  answer_ = [](const ServedRequest&) {
    ScriptedAnswer answer = text_answer("first");
    answer.end = End::hang;
    return answer;
  };
  const auto seen = begin(get("/"));
  EXPECT_TRUE(wait_for([&] { return seen->body == "first"; }));
  EXPECT_FALSE(seen->end.has_value());
}

TEST_F(CurlFetcherTest, AnswerWithoutBody_HasHead) {
  answer_ = [](const ServedRequest&) {
    ScriptedAnswer answer;
    answer.status = 204;
    answer.framing = ScriptedAnswer::Framing::length;
    return answer;
  };
  const Seen seen = fetch(get("/"));
  EXPECT_EQ(seen.head->status, 204);
  EXPECT_EQ(seen.end->kind, Kind::complete);
}

TEST_F(CurlFetcherTest, MegabyteForBusyScheduler_IsHeldWithoutLoss) {
  constexpr std::size_t kPieces = 160;
  const std::string piece(50'000, 'x');
  answer_ = [&](const ServedRequest&) {
    ScriptedAnswer answer;
    answer.pieces.assign(kPieces, {core::Millis(0), piece});
    return answer;
  };
  // While the first piece is handled, another exchange completes on the same libcurl thread:
  // meanwhile the first one has filled its buffer and waits.
  on_body_ = [this, once = false]() mutable {
    if (std::exchange(once, true)) return;
    CurlLoop other(clock_);
    bool ended = false;
    fetcher_->fetch(get("/other"), {}, other, {}, [&ended](const FetchEnd&) { ended = true; });
    while (!ended) other.run_once(seconds(1));
  };
  FetchRequest request = get("/");
  request.idle_timeout = kFetchPatience;
  const Seen seen = fetch(request);
  EXPECT_EQ(seen.end->kind, Kind::complete);
  EXPECT_EQ(seen.body.size(), kPieces * piece.size());
  EXPECT_LE(seen.largest, CurlFetcher::kHeldBytes);
}

TEST_F(CurlFetcherTest, OversizedAnswer_IsEnded) {
  answer_ = [](const ServedRequest&) {
    ScriptedAnswer answer = text_answer(std::string(10'000, 'x'));
    answer.end = End::endless;
    return answer;
  };
  FetchRequest request = get("/");
  request.max_bytes = 100'000;
  const Seen seen = fetch(request);
  EXPECT_EQ(seen.end->kind, Kind::too_large);
  EXPECT_LE(seen.body.size(), 100'000U);
  EXPECT_THAT(seen.end->failure, HasSubstr("100000 bytes"));
}

TEST_F(CurlFetcherTest, Silence_EndsExchangeAfterIdleTime) {
  answer_ = [](const ServedRequest&) {
    ScriptedAnswer answer = text_answer("a");
    answer.end = End::hang;
    return answer;
  };
  FetchRequest request = get("/");
  request.idle_timeout = core::Millis(50);
  const Seen seen = fetch(request);
  EXPECT_EQ(seen.end->kind, Kind::timed_out);
  EXPECT_THAT(seen.end->failure, HasSubstr("sent nothing for 50 ms"));
}

TEST_F(CurlFetcherTest, BusyExchange_EndsAfterTotalTime) {
  answer_ = [](const ServedRequest&) {
    ScriptedAnswer answer = text_answer("a");
    answer.end = End::endless;
    return answer;
  };
  FetchRequest request = get("/");
  request.max_bytes = SIZE_MAX / 2;
  request.total_timeout = core::Millis(100);
  const Seen seen = fetch(request);
  EXPECT_EQ(seen.end->kind, Kind::timed_out);
  EXPECT_THAT(seen.end->failure, HasSubstr("within 100 ms"));
}

TEST_F(CurlFetcherTest, UnreachableServer_IsReported) {
  FetchRequest request = get("/");
  request.url = "http://127.0.0.1:1/?key=" + std::string(kSecret);
  const Seen seen = fetch(request);
  EXPECT_EQ(seen.end->kind, Kind::unreachable);
  EXPECT_THAT(seen.end->failure, HasSubstr("127.0.0.1:1 cannot be reached"));
  EXPECT_FALSE(seen.head.has_value());
}

TEST_F(CurlFetcherTest, AnswerEndingEarly_IsCut) {
  for (const End end : {End::cut, End::reset}) {
    for (const auto framing : {ScriptedAnswer::Framing::chunked, ScriptedAnswer::Framing::length}) {
      answer_ = [=](const ServedRequest&) {
        ScriptedAnswer answer = text_answer("half");
        answer.end = end;
        answer.framing = framing;
        return answer;
      };
      EXPECT_EQ(fetch(get("/")).end->kind, Kind::cut);
    }
  }
  answer_ = [](const ServedRequest&) {
    ScriptedAnswer answer;
    answer.end = End::cut;
    answer.no_head = true;
    return answer;
  };
  const Seen seen = fetch(get("/"));
  EXPECT_EQ(seen.end->kind, Kind::cut);
  EXPECT_FALSE(seen.head.has_value());
}

TEST_F(CurlFetcherTest, Cancel_IsToldAtOnce_EndsConnection) {
  answer_ = [](const ServedRequest&) {
    ScriptedAnswer answer = text_answer("a");
    answer.end = End::hang;
    return answer;
  };
  core::CancelSource source;
  const auto seen = begin(get("/"), source.token());
  ASSERT_TRUE(wait_for([&] { return !seen->body.empty(); }));
  source.cancel("enough");
  EXPECT_FALSE(seen->end.has_value());
  loop_.run_once(core::Millis(0));
  ASSERT_TRUE(seen->end.has_value());
  EXPECT_EQ(seen->end->kind, Kind::cancelled);
  EXPECT_TRUE(wait_for([&] {
    loop_.after(core::Millis(5), [] {});
    return server_.abandoned() == 1;
  }));
}

TEST_F(CurlFetcherTest, CancelInsideEvent_IsLastCallback) {
  answer_ = [](const ServedRequest&) {
    ScriptedAnswer answer = text_answer(std::string(1'000, 'x'));
    answer.end = End::endless;
    return answer;
  };
  core::CancelSource source;
  FetchRequest request = get("/");
  request.max_bytes = SIZE_MAX / 2;
  int pieces = 0;
  on_body_ = [&] {
    ++pieces;
    source.cancel("enough");
  };
  const auto seen = begin(request, source.token());
  ASSERT_TRUE(wait_for([&] { return seen->end.has_value(); }));
  EXPECT_EQ(seen->end->kind, Kind::cancelled);
  EXPECT_EQ(pieces, 1);
}

TEST_F(CurlFetcherTest, RequestCancelledBeforeStart_IsNotSent) {
  core::CancelSource source;
  source.cancel("never mind");
  const auto seen = begin(get("/"), source.token());
  loop_.run_once(core::Millis(0));
  ASSERT_TRUE(seen->end.has_value());
  EXPECT_EQ(seen->end->kind, Kind::cancelled);
  EXPECT_EQ(fetch(get("/later")).end->kind, Kind::complete);
  EXPECT_EQ(server_.requests().size(), 1U);
}

TEST_F(CurlFetcherTest, Redirects_AreFollowedUpToLimit) {
  answer_ = [](const ServedRequest& request) {
    ScriptedAnswer answer = text_answer(request.target);
    if (request.target == "/end") return answer;
    answer.status = 302;
    answer.headers = {{"Location", request.target == "/1" ? "/2" : "/end"}};
    return answer;
  };
  EXPECT_EQ(fetch(get("/1")).head->status, 302);
  FetchRequest request = get("/1");
  request.max_redirects = 1;
  Seen seen = fetch(request);
  EXPECT_EQ(seen.end->kind, Kind::invalid);
  EXPECT_THAT(seen.end->failure, HasSubstr("redirects more than 1 times"));
  request.max_redirects = 2;
  seen = fetch(request);
  EXPECT_EQ(seen.end->kind, Kind::complete);
  EXPECT_EQ(seen.head->url, server_.url() + "/end");
  EXPECT_EQ(seen.body, "/end");
}

TEST_F(CurlFetcherTest, Redirect_KeepsKeyFromOtherHost) {
  ScriptedServer other([](const ServedRequest&) { return text_answer("other"); });
  answer_ = [&](const ServedRequest&) {
    ScriptedAnswer answer;
    answer.status = 307;
    answer.headers = {{"Location", other.url() + "/"}};
    return answer;
  };
  FetchRequest request = get("/");
  request.max_redirects = 3;
  EXPECT_EQ(fetch(request).body, "other");
  EXPECT_EQ(server_.requests().at(0).header("authorization"), std::string("Bearer ") + kSecret);
  EXPECT_EQ(other.requests().at(0).header("authorization"), "");
}

TEST_F(CurlFetcherTest, UnsendableRequest_IsInvalid_SecretsAreMasked) {
  for (const char* url : {"file:///etc/hostname", "no url at all", "http://", "ftp://127.0.0.1/"}) {
    FetchRequest request = get("/");
    request.url = url;
    EXPECT_EQ(fetch(request).end->kind, Kind::invalid) << url;
  }
  FetchRequest request = get("/");
  request.headers = {std::string("Authorization: ") + kSecret + "\r\nX-More: 1"};
  EXPECT_EQ(fetch(request).end->kind, Kind::invalid);
  request.headers = {kSecret};
  EXPECT_EQ(fetch(request).end->kind, Kind::invalid);
  request = get("/");
  request.method = "GET / HTTP/1.1\r\nX: y";
  EXPECT_EQ(fetch(request).end->kind, Kind::invalid);
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(CurlFetcherTest, MissingCertificateFile_IsReported) {
  FetchRequest request = get("/");
  request.url = "https://127.0.0.1:" + std::to_string(server_.port()) + "/";
  request.ca_file = "/no/such/file.pem";
  const Seen seen = fetch(request);
  EXPECT_THAT(seen.end->kind, ::testing::AnyOf(Kind::invalid, Kind::unreachable));
}

TEST_F(CurlFetcherTest, Proxy_IsUsedExceptForLoopback) {
  ScriptedServer proxy([](const ServedRequest&) { return text_answer("through the proxy"); });
  FetchRequest request = get("/direct");
  request.proxy = proxy.url();
  EXPECT_EQ(fetch(request).body, "hello");
  request.url = "http://models.invalid/v1";
  EXPECT_EQ(fetch(request).body, "through the proxy");
  EXPECT_EQ(proxy.requests().at(0).target, "http://models.invalid/v1");
  request.url = "http://localhost.example.org/v1";
  EXPECT_EQ(fetch(request).body, "through the proxy");
}

TEST_F(CurlFetcherTest, Destruction_EndsExchangesSilently) {
  answer_ = [](const ServedRequest&) {
    ScriptedAnswer answer = text_answer("a");
    answer.end = End::hang;
    return answer;
  };
  core::CancelSource source;
  const auto seen = begin(get("/"), source.token());
  ASSERT_TRUE(wait_for([&] { return !seen->body.empty(); }));
  fetcher_.reset();
  source.cancel("too late");
  loop_.run_once(core::Millis(0));
  EXPECT_FALSE(seen->end.has_value());
}

TEST_F(CurlFetcherTest, ManyExchanges_RunConcurrently) {
  answer_ = [](const ServedRequest& request) {
    ScriptedAnswer answer = text_answer(request.target);
    answer.pieces.push_back({core::Millis(20), "!"});
    return answer;
  };
  std::vector<std::shared_ptr<Seen>> all;
  for (int i = 0; i < 300; ++i) all.push_back(begin(get("/" + std::to_string(i))));
  ASSERT_TRUE(wait_for([&] {
    return std::all_of(all.begin(), all.end(), [](const auto& seen) { return seen->end; });
  }));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->end->kind, Kind::complete);
    EXPECT_EQ(all[i]->body, "/" + std::to_string(i) + "!");
  }
}

TEST_F(CurlFetcherTest, PublicOnly_RefusesLocalAddressesInAnyForm) {
  const std::string port = server_.url().substr(server_.url().rfind(':'));
  // The name of this computer resolves to a local address without looking like one.
  std::array<char, 256> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  const std::vector<std::string> hosts = {"127.0.0.1", "[::1]", "localhost", "0x7f.1", name.data()};
  for (const std::string& host : hosts) {
    FetchRequest request = get("/x");
    request.url = "http://" + host + port + "/x";
    request.public_only = true;
    const Seen seen = fetch(std::move(request));
    ASSERT_TRUE(seen.end) << host;
    EXPECT_THAT(seen.end->kind, testing::AnyOf(Kind::refused, Kind::unreachable)) << host;
    EXPECT_FALSE(seen.head) << host;
  }
}

// Sets an environment variable as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

// The name of this computer, and the expected end of a connection to it.
std::pair<std::string, Kind> own_name() {
  std::array<char, 256> name{};
  EXPECT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  addrinfo* found = nullptr;
  if (::getaddrinfo(name.data(), nullptr, nullptr, &found) != 0) {
    return {name.data(), Kind::unreachable};
  }
  ::freeaddrinfo(found);
  return {name.data(), Kind::refused};
}

TEST_F(CurlFetcherTest, PublicOnly_ProxyOfOtherScheme_IsChecked) {
  const auto [name, expected] = own_name();
  const Variable proxy("HTTPS_PROXY", server_.url());
  FetchRequest request = get("/x");
  request.url = "http://" + name + ":" + std::to_string(server_.port()) + "/x";
  request.public_only = true;
  EXPECT_EQ(fetch(request).end->kind, expected);
  request.url = "https://" + name + ":" + std::to_string(server_.port()) + "/x";
  const Variable none("NO_PROXY", name);
  EXPECT_EQ(fetch(request).end->kind, expected);
}

TEST_F(CurlFetcherTest, PublicOnly_ProxyOfScheme_ResolvesName) {
  ScriptedServer proxy([](const ServedRequest&) { return text_answer("through the proxy"); });
  const Variable variable("http_proxy", proxy.url());
  FetchRequest request = get("/x");
  request.url = "http://models.invalid/x";
  request.public_only = true;
  EXPECT_EQ(fetch(request).body, "through the proxy");
  const Variable none("no_proxy", "*");
  EXPECT_EQ(fetch(request).end->kind, Kind::unreachable) << "no such name, and nobody to ask";
}

}  // namespace
}  // namespace parley::http_client

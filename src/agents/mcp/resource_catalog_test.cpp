// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/resource_catalog.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <set>

#include "agents/mcp/json_rpc.h"
#include "agents/mcp/mcp_revision.h"
#include "agents/mcp/mcp_server.h"
#include "base/core/base64.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/mcp/fake_resource_provider.h"

namespace parley::mcp {
namespace {

using boost::json::value;

// The envelope of a request that belongs to no session.
const std::string kStatelessMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

// An offer of resources alone.
class ResourceOffer final : public Offer {
 public:
  ResourceOffer(core::Scheduler& scheduler, ResourceProvider& provider)
      : catalog_(scheduler, provider) {}
  void write_capabilities(core::JsonWriter& json, std::string_view /*revision*/) const override {
    ResourceCatalog::write_capabilities(json);
  }
  std::string_view instructions() const override { return {}; }
  bool handle(const ExchangePtr& exchange) override { return catalog_.handle(exchange); }
  void watch(const Interests& interests, std::function<void(const Change&)> changed) override {
    catalog_.watch(interests, std::move(changed));
  }

 private:
  ResourceCatalog catalog_;
};

class ResourceCatalogTest : public ::testing::Test {
 protected:
  // Sends a request with these members of its params; the result or the error.
  value ask(const std::string& method, const std::string& params = {}) {
    lines_.clear();
    server_.on_line(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params +
                    "}}");
    EXPECT_EQ(lines_.size(), 1U) << method;
    if (lines_.empty()) return {};
    const value answer = boost::json::parse(lines_.front());
    const auto& members = answer.as_object();
    return members.contains("error") ? members.at("error") : members.at("result");
  }
  value ask_modern(const std::string& method, const std::string& params = {}) {
    return ask(method, kStatelessMeta + (params.empty() ? "" : ",") + params);
  }
  void initialize() { ask("initialize", R"("protocolVersion":"2025-11-25","capabilities":{})"); }
  value complete(const std::string& uri, const std::string& name, const std::string& begin,
                 const std::string& more = {}) {
    return ask("completion/complete", R"("ref":{"type":"ref/resource","uri":")" + uri +
                                          R"("},"argument":{"name":")" + name + R"(","value":")" +
                                          begin + R"("})" + more);
  }
  void add(ResourceKind kind, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      provider_.rows[kind].push_back(
          {std::string(template_of(kind).name) + "-" + std::to_string(i), "title"});
    }
  }
  // The methods of the notifications since the last call.
  std::vector<std::string> notified() {
    std::vector<std::string> methods;
    for (const std::string& line : std::exchange(lines_, {})) {
      const value message = boost::json::parse(line);
      if (const value* method = message.as_object().if_contains("method")) {
        methods.emplace_back(method->as_string());
      }
    }
    return methods;
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  FakeResourceProvider provider_;
  std::vector<std::string> lines_;
  ResourceOffer offer_{scheduler_, provider_};
  McpServer server_{offer_, {"n", "t", "1"}, [this](Outgoing message) {
                      lines_.push_back(std::move(message.text));
                    }};
};

TEST_F(ResourceCatalogTest, Capabilities_NameResources) {
  const value result = ask_modern("server/discover");
  const auto& capabilities = result.at("capabilities").as_object();
  EXPECT_EQ(boost::json::serialize(capabilities.at("resources")),
            R"({"subscribe":true,"listChanged":true})");
  EXPECT_TRUE(capabilities.at("completions").as_object().empty());
}

TEST_F(ResourceCatalogTest, List_AllPages_HaveEachOnce) {
  add(ResourceKind::question, 70);
  add(ResourceKind::run, 20);
  add(ResourceKind::session, 15);
  std::vector<std::string> uris;
  std::vector<std::size_t> sizes;
  std::string cursor;
  do {
    const value page = ask("resources/list", cursor);
    const auto& resources = page.at("resources").as_array();
    sizes.push_back(resources.size());
    for (const value& each : resources) uris.emplace_back(each.at("uri").as_string());
    const value* next = page.as_object().if_contains("nextCursor");
    cursor = next == nullptr ? std::string() : R"("cursor":)" + boost::json::serialize(*next);
  } while (!cursor.empty() && sizes.size() < 9);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{50, 50, 5}));
  EXPECT_EQ(uris.front(), "parley://question/question-0");
  EXPECT_EQ(uris.at(70), "parley://run/run-0");
  EXPECT_EQ(uris.back(), "parley://session/session-14");
  EXPECT_EQ(std::set<std::string>(uris.begin(), uris.end()).size(), 105U);
}

TEST_F(ResourceCatalogTest, List_Nothing_IsOneEmptyPage) {
  const value page = ask_modern("resources/list");
  EXPECT_TRUE(page.at("resources").as_array().empty());
  EXPECT_FALSE(page.as_object().contains("nextCursor"));
  EXPECT_EQ(page.at("cacheScope").as_string(), "private");
  EXPECT_EQ(page.at("ttlMs").as_int64(), 0);
}

TEST_F(ResourceCatalogTest, List_UnknownCursor_IsInvalid) {
  for (const std::string text : {"", "x", "attachment:", "other:", "question:x"}) {
    const std::string cursor = core::base64url_encode(text);
    const value error = ask("resources/list", R"("cursor":")" + cursor + "\"");
    EXPECT_EQ(error.at("code").as_int64(), kInvalidParams) << text;
  }
  EXPECT_EQ(ask("resources/list", R"("cursor":7)").at("code").as_int64(), kInvalidParams);
}

TEST_F(ResourceCatalogTest, Templates_NameEachKind) {
  const value result = ask_modern("resources/templates/list");
  EXPECT_EQ(result.at("resourceTemplates").as_array().size(), kResourceTemplates.size());
  EXPECT_EQ(result.at("resourceTemplates").at(0).at("uriTemplate").as_string(),
            "parley://question/{key}");
  EXPECT_EQ(result.at("cacheScope").as_string(), "private");
}

TEST_F(ResourceCatalogTest, Read_Text_IsSent) {
  provider_.contents.emplace("parley://run/r", ResourceContent{"application/json", "{}"});
  const value result = ask_modern("resources/read", R"("uri":"parley://run/r")");
  EXPECT_EQ(boost::json::serialize(result.at("contents")),
            R"([{"uri":"parley://run/r","mimeType":"application/json","text":"{}"}])");
  EXPECT_EQ(result.at("cacheScope").as_string(), "private");
}

TEST_F(ResourceCatalogTest, Read_Binary_IsBase64) {
  provider_.contents.emplace("parley://attachment/k/1",
                             ResourceContent{"image/png", "\x89PNG", true});
  const value result = ask("resources/read", R"("uri":"parley://attachment/k/1")");
  EXPECT_EQ(result.at("contents").at(0).at("blob").as_string(), core::base64_encode("\x89PNG"));
  EXPECT_FALSE(result.as_object().contains("ttlMs"));
}

TEST_F(ResourceCatalogTest, Read_Unknown_CodeFollowsRevision) {
  for (const std::string uri : {"parley://run/none", "file:///etc/passwd"}) {
    const std::string params = R"("uri":")" + uri + "\"";
    const value modern = ask_modern("resources/read", params);
    EXPECT_EQ(modern.at("code").as_int64(), kInvalidParams);
    EXPECT_EQ(modern.at("data").at("uri").as_string(), uri);
    EXPECT_EQ(ask("resources/read", params).at("code").as_int64(), kLegacyResourceNotFound);
  }
}

TEST_F(ResourceCatalogTest, Read_WithoutUri_IsInvalid) {
  EXPECT_EQ(ask("resources/read").at("code").as_int64(), kInvalidParams);
}

TEST_F(ResourceCatalogTest, Read_TooLarge_IsAnError) {
  const ResourceContent fits{"text/plain", std::string(kMaxResourceBytes, 'x')};
  const ResourceContent large{"text/plain", std::string(kMaxResourceBytes + 1, 'x')};
  provider_.contents.emplace("parley://run/fits", fits);
  provider_.contents.emplace("parley://run/large", large);
  EXPECT_TRUE(
      ask("resources/read", R"("uri":"parley://run/fits")").as_object().contains("contents"));
  const value error = ask("resources/read", R"("uri":"parley://run/large")");
  EXPECT_EQ(error.at("code").as_int64(), kInternalError);
  EXPECT_NE(error.at("message").as_string().find("16 MiB"), std::string::npos);
}

TEST_F(ResourceCatalogTest, Complete_Prefix_SelectsIds) {
  add(ResourceKind::run, 12);
  const value some = complete("parley://run/{id}", "id", "run-1").at("completion");
  EXPECT_EQ(boost::json::serialize(some.at("values")), R"(["run-1","run-10","run-11"])");
  EXPECT_EQ(some.at("total").as_int64(), 3);
  EXPECT_FALSE(some.at("hasMore").as_bool());
}

TEST_F(ResourceCatalogTest, Complete_ManyIds_AreCutAt100) {
  add(ResourceKind::question, 130);
  const value many = complete("parley://attachment/{key}/{n}", "key", "").at("completion");
  EXPECT_EQ(many.at("values").as_array().size(), ResourceCatalog::kMaxValues);
  EXPECT_EQ(many.at("total").as_int64(), 130);
  EXPECT_TRUE(many.at("hasMore").as_bool());
}

TEST_F(ResourceCatalogTest, Complete_Number_NeedsTheKey) {
  provider_.attachments["k"] = 2;
  const std::string uri = "parley://attachment/{key}/{n}";
  const auto numbers = [&](const std::string& more) {
    return boost::json::serialize(complete(uri, "n", "", more).at("completion").at("values"));
  };
  EXPECT_EQ(numbers(R"(,"context":{"arguments":{"key":"k"}})"), R"(["1","2"])");
  EXPECT_EQ(numbers(R"(,"context":{"arguments":{"key":"other"}})"), "[]");
  EXPECT_EQ(numbers(""), "[]");
}

TEST_F(ResourceCatalogTest, Complete_PromptArgument_IsEmpty) {
  const value result = ask(
      "completion/complete",
      R"("ref":{"type":"ref/prompt","name":"review-plan"},"argument":{"name":"plan","value":""})");
  EXPECT_TRUE(result.at("completion").at("values").as_array().empty());
}

TEST_F(ResourceCatalogTest, Complete_UnknownRef_IsInvalid) {
  for (const std::string params :
       {R"("ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"plan","value":""})",
        R"("ref":{"type":"ref/prompt","name":"review-plan"},"argument":{"name":"x","value":""})",
        R"("ref":{"type":"ref/resource","uri":"x://{id}"},"argument":{"name":"id","value":""})",
        R"("ref":{"type":"ref/other"},"argument":{"name":"id","value":""})", R"("ref":{})"}) {
    EXPECT_EQ(ask("completion/complete", params).at("code").as_int64(), kInvalidParams) << params;
  }
  EXPECT_EQ(complete("parley://run/{id}", "n", "").at("code").as_int64(), kInvalidParams);
}

TEST_F(ResourceCatalogTest, Subscribed_Change_IsReported) {
  initialize();
  EXPECT_EQ(provider_.watches, 0U);
  ask("resources/subscribe", R"("uri":"parley://question/a%2Fb")");
  ask("resources/subscribe", R"("uri":"parley://question/c")");
  EXPECT_EQ(provider_.watches, 1U);
  notified();
  provider_.on_change({.updated = {{ResourceKind::question, "a/b"}, {ResourceKind::run, "r"}}});
  EXPECT_EQ(notified(), std::vector<std::string>{"notifications/resources/updated"});
}

TEST_F(ResourceCatalogTest, ForeignUri_Subscribed_WatchesNothing) {
  initialize();
  ask("resources/subscribe", R"("uri":"file:///a")");
  EXPECT_EQ(provider_.watches, 0U);
}

TEST_F(ResourceCatalogTest, ListChanged_AtMostOncePerSecond) {
  initialize();
  ask("resources/list");
  notified();
  const std::vector<std::string> once{"notifications/resources/list_changed"};
  for (int i = 0; i < 5; ++i) provider_.on_change({.listed = true});
  EXPECT_EQ(notified(), once);
  scheduler_.advance(ResourceCatalog::kListChangedEvery - core::Millis(1));
  EXPECT_TRUE(notified().empty());
  scheduler_.advance(core::Millis(1));
  EXPECT_EQ(notified(), once);
  scheduler_.advance(ResourceCatalog::kListChangedEvery * 3);
  EXPECT_TRUE(notified().empty());
  provider_.on_change({.listed = true});
  EXPECT_EQ(notified(), once);
}

TEST_F(ResourceCatalogTest, Listener_OfTheList_IsTold) {
  const auto listen = [this](const std::string& id, const std::string& kind) {
    server_.on_line(R"({"jsonrpc":"2.0","id":)" + id +
                    R"(,"method":"subscriptions/listen","params":{)" + kStatelessMeta +
                    R"(,"notifications":{")" + kind + R"(":true}}})");
  };
  listen("1", "toolsListChanged");
  EXPECT_EQ(provider_.watches, 0U);
  listen("2", "resourcesListChanged");
  ASSERT_EQ(provider_.watches, 1U);
  notified();
  provider_.on_change({.updated = {{ResourceKind::question, "k"}}, .listed = true});
  EXPECT_EQ(notified(), std::vector<std::string>{"notifications/resources/list_changed"});
}

}  // namespace
}  // namespace parley::mcp

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Real programs as the nodes of a cluster: three servers on one PostgreSQL.
#include <gmock/gmock.h>

#include <array>
#include <charconv>
#include <optional>

#include "base/core/temp_folder.h"
#include "figures.h"
#include "program.h"
#include "tests/support/sql/private_postgres.h"

namespace parley::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kAsk = R"({"key":"k","prompt":{"text":"Deploy?"}})";
constexpr const char* kYes = R"({"text":"Yes"})";
// With three nodes one of so many owners has each home, but for one in 10^11.
constexpr int kMostOwners = 64;

class ClusterTest : public ::testing::Test {
 protected:
  explicit ClusterTest(sql::PrivatePostgres& postgres = sql::PrivatePostgres::shared())
      : url_(postgres.new_database()) {}

  std::vector<std::string> flags_of(const std::string& name) const {
    return {"--listen",    "127.0.0.1:0", "--data",         dir_.file(name),
            "--store-url", url_,          "--cluster-node", name};
  }
  std::unique_ptr<Server> serve(const std::string& name) const {
    return std::make_unique<Server>(dir_, flags_of(name));
  }
  void start_nodes() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i] = serve(name_of(i));
    ASSERT_TRUE(wait_for([&] { return is_settled(); }));
  }
  // True if all slots have a home that serves them, and all nodes know it.
  bool is_settled() const {
    double served = 0;
    const double newest = gauge(*nodes_[0], "parley_cluster_newest_node");
    for (const auto& node : nodes_) {
      const bool agrees = gauge(*node, "parley_cluster_nodes") == 3 &&
                          gauge(*node, "parley_cluster_newest_node") == newest &&
                          gauge(*node, "parley_cluster_slots_moving") == 0;
      if (!agrees) return false;
      served += gauge(*node, "parley_cluster_slots");
    }
    return served == 1'024;
  }
  static std::string name_of(std::size_t node) { return "node-" + std::to_string(node); }

  // The text of a new token with a workspace of its own. All nodes know it at once.
  std::string new_token() {
    std::string admin = read_file(dir_.file(name_of(0) + "/token"));
    while (admin.ends_with('\n')) admin.pop_back();
    const boost::json::value wanted = {{"name", "t" + std::to_string(++tokens_)},
                                       {"rights", {"ask", "answer", "read", "run"}}};
    const auto made = nodes_[0]->call("POST", "/v1/tokens", admin, boost::json::serialize(wanted));
    EXPECT_EQ(made.status, 201) << made.body;
    return made.status == 201 ? std::string(made.json().at("token").as_string()) : "";
  }
  // The node that serves the owner of a token; std::nullopt: none was found.
  std::optional<std::size_t> home_of(const std::string& token) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i]) continue;
      EXPECT_TRUE(wait_for([&] { return list(i, token).status == 200; }));
      const double before = gauge(*nodes_[i], "parley_cluster_requests_forwarded");
      EXPECT_EQ(list(i, token).status, 200);
      if (gauge(*nodes_[i], "parley_cluster_requests_forwarded") == before) return i;
    }
    return std::nullopt;
  }
  // A token whose owner's home is this node.
  std::string token_of(std::size_t node) {
    for (int i = 0; i < kMostOwners; ++i) {
      std::string token = new_token();
      if (home_of(token) == node) return token;
    }
    ADD_FAILURE() << "no owner has its home on node " << node;
    return {};
  }
  Server::Answer list(std::size_t node, const std::string& token) const {
    return nodes_[node]->call("GET", "/v1/interactions?state=pending", token);
  }
  bool is_asked(std::size_t node, const std::string& token) const {
    return list(node, token).body.find("Deploy?") != std::string::npos;
  }

  static double gauge(const Server& server, const std::string& name) {
    const std::string text = "\n" + server.call("GET", "/metrics", "").body;
    const std::size_t at = text.find("\n" + name + " ");
    if (at == std::string::npos) return -1;
    double value = -1;
    const std::size_t begin = at + name.size() + 2;
    std::from_chars(text.data() + begin, text.data() + text.size(), value);
    return value;
  }

  core::TempFolder dir_;
  std::string url_;
  std::array<std::unique_ptr<Server>, 3> nodes_;
  int tokens_ = 0;
};

TEST_F(ClusterTest, AnyNode_ServesEveryOwner) {
  ASSERT_NO_FATAL_FAILURE(start_nodes());
  for (std::size_t home = 0; home < nodes_.size(); ++home) {
    const std::string token = token_of(home);
    const std::size_t second = (home + 1) % nodes_.size();
    const std::size_t third = (home + 2) % nodes_.size();
    const auto asking = nodes_[second]->start("POST", "/v1/interactions?wait=1", token, kAsk);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      EXPECT_TRUE(wait_for([&] { return is_asked(i, token); })) << i;
    }
    const auto answered = nodes_[third]->call("POST", "/v1/interactions/k/answer", token, kYes);
    EXPECT_EQ(answered.status, 200) << answered.body;
    EXPECT_EQ(asking->head(in_ms(kPatience))->status, 201);
    EXPECT_THAT(nodes_[home]->call("GET", "/v1/interactions/k", token).body, HasSubstr("Yes"));
    EXPECT_FALSE(is_asked(second, token));
  }
  EXPECT_EQ(nodes_[0]->call("POST", "/link/changes", "").status, 404) << "for nodes alone";
}

TEST_F(ClusterTest, DeadNode_ItsQuestionsAndRunsGoOnElsewhere) {
  ASSERT_NO_FATAL_FAILURE(start_nodes());
  const std::string token = token_of(1);
  const auto asking = nodes_[0]->start("POST", "/v1/interactions", token, kAsk);
  ASSERT_TRUE(wait_for([&] { return is_asked(2, token); }));
  const auto waits =
      nodes_[2]->call("POST", "/v1/runs", token,
                      R"({"message":"read the file a.txt","approve":"ask","working_folder":")" +
                          dir_.path() + "\"}");
  ASSERT_EQ(waits.status, 201) << waits.body;
  const auto run_is = [&](const std::string& state) {
    return wait_for([&] {
      return nodes_[0]->call("GET", "/v1/runs?state=" + state, token).body.find("a.txt") !=
             std::string::npos;
    });
  };
  ASSERT_TRUE(run_is("waiting"));
  nodes_[1]->signal(SIGKILL);
  nodes_[1]->wait();
  nodes_[1].reset();
  ASSERT_TRUE(wait_for([&] {
    return gauge(*nodes_[0], "parley_cluster_slots") + gauge(*nodes_[2], "parley_cluster_slots") ==
           1'024;
  }));
  ASSERT_TRUE(wait_for([&] { return is_asked(0, token) && is_asked(2, token); }));
  EXPECT_TRUE(run_is("interrupted"));
  const auto answered = nodes_[2]->call("POST", "/v1/interactions/k/answer", token, kYes);
  EXPECT_EQ(answered.status, 200) << answered.body;
  // A node learns of the new home by its next renewal.
  EXPECT_TRUE(wait_for([&] {
    return nodes_[0]->call("POST", "/v1/interactions", token, kAsk).body.find("Yes") !=
           std::string::npos;
  }));
}

TEST_F(ClusterTest, NodeThatEnds_GivesItsOwnersToOthers_AndTakesThemBack) {
  ASSERT_NO_FATAL_FAILURE(start_nodes());
  const std::string token = token_of(2);
  const auto asking = nodes_[0]->start("POST", "/v1/interactions", token, kAsk);
  ASSERT_TRUE(wait_for([&] { return is_asked(1, token); }));
  nodes_[2]->signal(SIGTERM);
  EXPECT_EQ(nodes_[2]->wait(), 0) << nodes_[2]->errors();
  nodes_[2].reset();
  ASSERT_TRUE(wait_for([&] { return is_asked(0, token) && is_asked(1, token); }));
  EXPECT_NE(home_of(token), std::nullopt);
  nodes_[2] = serve(name_of(2));
  ASSERT_TRUE(wait_for([&] { return is_settled(); }));
  ASSERT_TRUE(wait_for([&] { return home_of(token) == 2; })) << "the former home";
  EXPECT_TRUE(is_asked(2, token));
  const auto answered = nodes_[1]->call("POST", "/v1/interactions/k/answer", token, kYes);
  EXPECT_EQ(answered.status, 200) << answered.body;
}

TEST_F(ClusterTest, DrainedNode_HasNoSlots_UntilItTakesThemAgain) {
  ASSERT_NO_FATAL_FAILURE(start_nodes());
  const std::string token = token_of(1);
  const auto asking = nodes_[0]->start("POST", "/v1/interactions", token, kAsk);
  ASSERT_TRUE(wait_for([&] { return is_asked(1, token); }));
  const auto cluster = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "cluster");
    words.insert(words.end(), {"--store-url", url_});
    return run(dir_, std::move(words));
  };
  EXPECT_EQ(cluster({"drain", "nobody"}).status, 1);
  const Ran drained = cluster({"drain", name_of(1)});
  EXPECT_EQ(drained.status, 0) << drained.errors;
  ASSERT_TRUE(wait_for([&] { return gauge(*nodes_[1], "parley_cluster_slots") == 0; }));
  ASSERT_TRUE(wait_for([&] { return is_settled(); }));
  EXPECT_TRUE(is_asked(1, token)) << "it still passes on";
  EXPECT_NE(home_of(token), 1);
  const boost::json::value shown = boost::json::parse(cluster({"status", "--json"}).out);
  EXPECT_EQ(shown.at("placed").to_number<int>(), 1'024);
  const boost::json::value& node = shown.at("nodes").at(1);
  EXPECT_EQ(node.at("name").as_string(), name_of(1));
  EXPECT_EQ(node.at("state").as_string(), "draining");
  EXPECT_EQ(node.at("slots").to_number<int>(), 0);
  EXPECT_THAT(cluster({"status"}).out,
              AllOf(HasSubstr("draining"), HasSubstr("3 nodes live, 1024 of 1024 slots"),
                    HasSubstr("No commit waits for a standby")));
  EXPECT_EQ(shown.at("synchronous_standbys").to_number<int>(), 0);
  EXPECT_EQ(cluster({"drain", name_of(1), "--undo"}).status, 0);
  ASSERT_TRUE(
      wait_for([&] { return gauge(*nodes_[1], "parley_cluster_slots") > 200 && is_settled(); }));
  EXPECT_EQ(nodes_[2]->call("POST", "/v1/interactions/k/answer", token, kYes).status, 200);
  EXPECT_EQ(run(dir_, {"cluster", "status"}).status, 2) << "no database";
}

// A node that is stopped for longer than its lease has lost its slots when it goes on.
TEST_F(ClusterTest, StoppedNode_IsReplaced_AndComesBackWithoutHarm) {
  ASSERT_NO_FATAL_FAILURE(start_nodes());
  const std::string token = token_of(1);
  const auto asking = nodes_[1]->start("POST", "/v1/interactions", token, kAsk);
  ASSERT_TRUE(wait_for([&] { return is_asked(0, token); }));
  nodes_[1]->signal(SIGSTOP);
  ASSERT_TRUE(wait_for([&] {
    return gauge(*nodes_[0], "parley_cluster_slots") + gauge(*nodes_[2], "parley_cluster_slots") ==
           1'024;
  }));
  ASSERT_TRUE(wait_for([&] {
    return nodes_[2]->call("POST", "/v1/interactions/k/answer", token, kYes).status == 200;
  }));
  nodes_[1]->signal(SIGCONT);
  ASSERT_TRUE(wait_for([&] { return is_settled(); }));
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    EXPECT_THAT(nodes_[i]->call("GET", "/v1/interactions/k", token).body, HasSubstr("Yes")) << i;
    EXPECT_FALSE(is_asked(i, token)) << i;
  }
}

class EndingDatabaseTest : public ClusterTest {
 protected:
  EndingDatabaseTest() : EndingDatabaseTest(std::make_unique<sql::PrivatePostgres>()) {}
  explicit EndingDatabaseTest(std::unique_ptr<sql::PrivatePostgres> postgres)
      : ClusterTest(*postgres), postgres_(std::move(postgres)) {}

  std::unique_ptr<sql::PrivatePostgres> postgres_;
};

TEST_F(EndingDatabaseTest, Cluster_ServesNothingWithoutLeases_AndGoesOn) {
  ASSERT_NO_FATAL_FAILURE(start_nodes());
  const std::string token = token_of(0);
  const auto asking = nodes_[1]->start("POST", "/v1/interactions", token, kAsk);
  ASSERT_TRUE(wait_for([&] { return is_asked(2, token); }));
  postgres_->kill();
  for (const auto& node : nodes_) {
    ASSERT_TRUE(wait_for([&] { return gauge(*node, "parley_cluster_slots") == 0; }));
    EXPECT_EQ(node->call("GET", "/readyz", "").status, 503);
    EXPECT_EQ(node->call("GET", "/healthz", "").status, 200);
  }
  postgres_->start();
  ASSERT_TRUE(wait_for([&] { return is_settled(); }));
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    EXPECT_TRUE(wait_for([&] { return is_asked(i, token); })) << i;
    EXPECT_TRUE(wait_for([&] { return nodes_[i]->call("GET", "/readyz", "").status == 200; }));
  }
  EXPECT_EQ(nodes_[2]->call("POST", "/v1/interactions/k/answer", token, kYes).status, 200);
}

TEST_F(ClusterTest, EachFigureOfANode_IsDocumented) {
  nodes_[0] = serve(name_of(0));
  std::set<std::string> served = figures_served(nodes_[0]->call("GET", "/metrics", "").body);
  std::erase_if(served, [](const std::string& row) {
    return !row.starts_with("| `parley_cluster_") && !row.starts_with("| `parley_link_");
  });
  EXPECT_THAT(documented_figures(Figures::in_a_cluster), ::testing::ContainerEq(served));
}

TEST_F(ClusterTest, NodesThatDoNotFit_AreRefusedInWords) {
  nodes_[0] = serve(name_of(0));
  const auto start = [&](std::vector<std::string> flags, const std::string& data) {
    flags.insert(flags.begin(), {"serve", "--data", dir_.file(data), "--listen", "127.0.0.1:0"});
    return run(dir_, std::move(flags));
  };
  const Ran twin = start({"--store-url", url_, "--cluster-node", name_of(0)}, "twin");
  EXPECT_EQ(twin.status, 6) << twin.errors;
  EXPECT_THAT(twin.errors, AllOf(HasSubstr("has this name"), HasSubstr("cluster.node")));
  const Ran alone = start({"--store-url", url_}, "alone");
  EXPECT_NE(alone.status, 0);
  EXPECT_THAT(alone.errors, HasSubstr("cluster"));
  const Ran other = start({"--store-url", url_, "--cluster-node", "x", "--cluster-name", "b"}, "x");
  EXPECT_EQ(other.status, 2) << other.errors;
  EXPECT_THAT(other.errors, HasSubstr("belongs to the cluster parley"));
  const Ran file = start({"--cluster-node", "x"}, "file");
  EXPECT_EQ(file.status, 2) << file.errors;
  EXPECT_THAT(file.errors, HasSubstr("cluster.node needs store.url"));
  const Ran name = start({"--store-url", url_, "--cluster-node", "No Name"}, "name");
  EXPECT_EQ(name.status, 2) << name.errors;
  EXPECT_THAT(name.errors, HasSubstr("DNS name"));
  const Ran link =
      start({"--store-url", url_, "--cluster-node", "x", "--cluster-listen", "0.0.0.0:0"}, "x");
  EXPECT_EQ(link.status, 2) << link.errors;
  EXPECT_THAT(link.errors, HasSubstr("cluster.link"));
  EXPECT_EQ(nodes_[0]->call("GET", "/readyz", "").status, 200);
}

}  // namespace
}  // namespace parley::tests

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/front_end/workflow_store.h"

#include <gmock/gmock.h>

#include "services/front_end/digest.h"
#include "tests/support/front_end/front_end_world.h"
#include "tests/support/sql/store_test.h"

namespace parley::front_end {
namespace {

using core::Code;
using testing::HasSubstr;
using Tables = FrontEndStore::Tables;

std::string workflow_text(const std::string& title, std::size_t padding = 0) {
  return R"({"nodes":[],"links":[],"version":0.4,"extra":{"title":")" + title +
         std::string(padding, 'x') + "\"}}";
}
WorkflowContent content(const std::string& title, std::size_t padding = 0) {
  return check_workflow(workflow_text(title, padding)).value();
}

class WorkflowStoreTest : public sql::StoreTest {
 protected:
  std::int64_t add(const std::string& owner, const std::string& name,
                   const std::string& server = "1") {
    return world_
        .run([&](const Tables& t) {
          return t.workflows.add(owner, {name, std::nullopt, server});
        })
        .value()
        .id;
  }
  core::Result<SavedVersion> add_version(std::int64_t id, const NewVersion& change) {
    return world_.run(
        [&](const Tables& t) { return t.workflows.add_version("alice", id, change); });
  }

  FrontEndWorld world_{place_.url};
};
INSTANTIATE_TEST_SUITE_P(Engines, WorkflowStoreTest, sql::each_engine(), sql::engine_name);

TEST_P(WorkflowStoreTest, Workflow_SurvivesRestart) {
  const std::int64_t id = add("alice", "First");
  ASSERT_TRUE(world_.run(
      [&](const Tables& t) { return t.workflows.set_content("alice", id, content("a")); }));
  world_.restart();
  const auto found = world_.run([&](const Tables& t) { return t.workflows.find("alice", id); });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "First");
  EXPECT_EQ(found->content, workflow_text("a"));
  EXPECT_EQ(found->hash, sha256_hex(workflow_text("a")));
}

TEST_P(WorkflowStoreTest, List_IsOfSingleServer_LatestChangeFirst) {
  const std::int64_t first = add("alice", "First");
  add("alice", "Second", "2");
  add("alice", "Third");
  add("bob", "Fourth");
  world_.clock.advance(core::Millis(1'000));
  ASSERT_TRUE(world_.run([&](const Tables& t) {
    return t.workflows.change("alice", first, {std::nullopt, "changed", std::nullopt});
  }));
  const auto of_server =
      world_.run([&](const Tables& t) { return t.workflows.list("alice", "1"); });
  ASSERT_EQ(of_server->size(), 2U);
  EXPECT_EQ(of_server->front().name, "First");
  EXPECT_EQ(of_server->front().description, "changed");
  const auto all =
      world_.run([&](const Tables& t) { return t.workflows.list("alice", std::nullopt); });
  EXPECT_EQ(all->size(), 3U);
}

TEST_P(WorkflowStoreTest, BadNames_AreRefusedByField) {
  for (const std::string& name :
       {std::string(), std::string("x"), std::string(101, 'x'), std::string("\xff\xff")}) {
    const auto created = world_.run([&](const Tables& t) {
      return t.workflows.add("alice", {name, std::nullopt, "1"});
    });
    ASSERT_FALSE(created) << name;
    EXPECT_EQ(created.error().field, "workflowName");
  }
  std::string long_name;
  for (int i = 0; i < 100; ++i) long_name += "工";
  add("alice", long_name);
}

TEST_P(WorkflowStoreTest, ContentOtherThanWorkflow_IsRefused) {
  for (const char* text : {"", "no JSON", "[]", "7", R"({"nodes":7})"}) {
    const auto checked = check_workflow(text);
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().code, Code::invalid_argument);
    EXPECT_EQ(checked.error().field, "content");
  }
  EXPECT_FALSE(check_workflow(workflow_text("a", 9U << 20U)));
}

TEST_P(WorkflowStoreTest, Versions_CountFromOne_NameTheirSource) {
  const std::int64_t id = add("alice", "First");
  const auto one = add_version(id, {content("a"), std::nullopt, "begin", "session_1"});
  EXPECT_EQ(version_code(one->number), "v1");
  EXPECT_FALSE(one->from);
  EXPECT_EQ(add_version(id, {content("b"), std::nullopt, "", ""})->from, 1);
  EXPECT_EQ(add_version(id, {content("c"), 1, "", ""})->from, 1);
  const auto again = add_version(id, {content("c"), std::nullopt, "", ""});
  EXPECT_EQ(again->number, 3) << "the same content is the same version";
  EXPECT_EQ(add_version(id, {content("d"), 9, "", ""}).error().field, "fromVersionCode");
  const auto read =
      world_.run([&](const Tables& t) { return t.workflows.version("alice", id, 1); });
  EXPECT_EQ(read->content, workflow_text("a"));
  EXPECT_EQ(read->summary, "begin");
  const auto all = world_.run([&](const Tables& t) { return t.workflows.versions("alice", id); });
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ(all->front().number, 3);
  EXPECT_FALSE(all->front().content);
}

TEST_P(WorkflowStoreTest, OldestVersion_IsDroppedOverLimit) {
  const std::int64_t id = add("alice", "First");
  for (std::size_t i = 0; i <= kMaxVersions; ++i) {
    ASSERT_TRUE(add_version(id, {content(std::to_string(i)), std::nullopt, "", ""}));
  }
  const auto all = world_.run([&](const Tables& t) { return t.workflows.versions("alice", id); });
  EXPECT_EQ(all->size(), kMaxVersions);
  EXPECT_EQ(all->back().number, 2);
}

TEST_P(WorkflowStoreTest, BytesOfOwner_AreLimitedWithVersions) {
  const std::int64_t id = add("alice", "First");
  constexpr std::size_t kBig = 7U << 20U;
  std::size_t versions = 0;
  core::Result<SavedVersion> created = add_version(id, {content("0", kBig), std::nullopt, "", ""});
  while (created && versions < 60) {
    ++versions;
    created = add_version(id, {content(std::to_string(versions), kBig), std::nullopt, "", ""});
  }
  EXPECT_EQ(versions, kMaxWorkflowBytesOfOwner / kBig);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, Code::resource_exhausted);
  const auto saved = world_.run(
      [&](const Tables& t) { return t.workflows.set_content("alice", id, content("x", kBig)); });
  EXPECT_FALSE(saved);
  EXPECT_TRUE(world_.run([&](const Tables& t) { return t.workflows.remove("alice", id); }));
  const std::int64_t next = add("alice", "Second");
  EXPECT_TRUE(world_.run(
      [&](const Tables& t) { return t.workflows.set_content("alice", next, content("x", kBig)); }));
}

TEST_P(WorkflowStoreTest, ContentsOfList_AreLimitedTogether) {
  for (int i = 0; i < 3; ++i) {
    const std::int64_t id = add("alice", "Workflow " + std::to_string(i));
    ASSERT_TRUE(world_.run([&](const Tables& t) {
      return t.workflows.set_content("alice", id, content("x", 3U << 20U));
    }));
  }
  const auto all =
      world_.run([&](const Tables& t) { return t.workflows.list("alice", std::nullopt); });
  ASSERT_EQ(all->size(), 3U);
  EXPECT_TRUE((*all)[1].content);
  EXPECT_FALSE((*all)[2].content);
  EXPECT_NE((*all)[2].hash, "");
}

TEST_P(WorkflowStoreTest, WorkflowsOfOwner_AreLimited) {
  ASSERT_TRUE(world_.run([&](const Tables& t) -> core::Result<void> {
    for (std::size_t i = 0; i < kMaxWorkflows; ++i) {
      if (auto created = t.workflows.add("alice", {"Name", {}, {}}); !created) {
        return core::fail(created.error());
      }
    }
    return {};
  }));
  const auto more = world_.run([&](const Tables& t) {
    return t.workflows.add("alice", {"Name", {}, {}});
  });
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Code::resource_exhausted);
  add("bob", "His own");
}

TEST_P(WorkflowStoreTest, OtherOwner_FindsNothing) {
  const std::int64_t id = add("alice", "First");
  ASSERT_TRUE(add_version(id, {content("a"), std::nullopt, "", ""}));
  const auto code = [&](auto call) {
    const auto result = world_.run(call);
    return result ? Code::unknown : result.error().code;
  };
  EXPECT_EQ(code([&](const Tables& t) { return t.workflows.find("bob", id); }), Code::not_found);
  EXPECT_EQ(code([&](const Tables& t) {
              return t.workflows.change("bob", id, {"Mine", {}, {}});
            }),
            Code::not_found);
  EXPECT_EQ(code([&](const Tables& t) { return t.workflows.remove("bob", id); }), Code::not_found);
  EXPECT_EQ(code([&](const Tables& t) { return t.workflows.set_content("bob", id, content("b")); }),
            Code::not_found);
  EXPECT_EQ(code([&](const Tables& t) {
              return t.workflows.add_version("bob", id, {content("b"), std::nullopt, "", ""});
            }),
            Code::not_found);
  EXPECT_EQ(code([&](const Tables& t) { return t.workflows.versions("bob", id); }),
            Code::not_found);
  EXPECT_EQ(code([&](const Tables& t) { return t.workflows.version("bob", id, 1); }),
            Code::not_found);
  EXPECT_TRUE(world_.run([&](const Tables& t) { return t.workflows.find("alice", id); }));
}

TEST(VersionCode, Code_IsReadBack_OtherTextIsRefused) {
  EXPECT_EQ(version_number(version_code(12)), 12);
  for (const char* code : {"", "v", "1", "v0", "v-1", "v1x", "v99999999999999999999", "V1"}) {
    EXPECT_FALSE(version_number(code)) << code;
  }
}

}  // namespace
}  // namespace parley::front_end

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>

#include "base/core/temp_folder.h"
#include "program.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class AgentCommand : public ::testing::Test {
 protected:
  Ran parley(std::vector<std::string> words) {
    words.insert(words.end(), {"--data", dir_.file("data"), "--cwd", dir_.path()});
    return run(dir_, std::move(words));
  }
  void write_profile(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(dir_.file(".loom/agents"));
    std::ofstream(dir_.file(".loom/agents/" + name)) << text;
  }
  const core::TempFolder dir_;
};

TEST_F(AgentCommand, List_HasKindsAndProfiles_WarnsOfUnreadable) {
  write_profile("mine.toml", "description = \"Does my work\"\nkind = \"got\"\n");
  write_profile("broken.toml", "description = \n");
  const Ran text = parley({"agent", "list"});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("Does my work  [project]\n"));
  EXPECT_THAT(text.errors, HasSubstr("broken.toml"));
  const Ran json = parley({"agent", "list", "--json"});
  EXPECT_EQ(json.status, 0);
  const boost::json::value all = boost::json::parse(json.out);
  EXPECT_EQ(all.at(0).at("name"), "react");
  EXPECT_EQ(all.as_array().back().at("name"), "mine");
  EXPECT_EQ(all.as_array().back().at("kind"), "got");
}

TEST_F(AgentCommand, Graph_IsMermaidOrDot) {
  write_profile("mine.toml", "kind = \"tot\"\n");
  const Ran mermaid = parley({"agent", "graph", "mine"});
  EXPECT_EQ(mermaid.status, 0);
  EXPECT_THAT(mermaid.out, StartsWith("flowchart"));
  const Ran dot = parley({"agent", "graph", "react", "--format", "dot"});
  EXPECT_THAT(dot.out, StartsWith("digraph"));
  const Ran none = parley({"agent", "graph", "nobody"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.errors, HasSubstr("nobody"));
  EXPECT_THAT(none.errors, HasSubstr("parley agent list"));
}

}  // namespace
}  // namespace parley::tests

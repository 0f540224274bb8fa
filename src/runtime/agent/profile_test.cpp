// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/core/temp_folder.h"

namespace parley::agent {
namespace {

namespace fs = std::filesystem;
using core::Code;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tool::Approval;

// --- one profile -----------------------------------------------------------------------------

constexpr const char* kFull = R"(name: reviewer
description: Reads code
role:
  content: |
    You review.
tools:
  builtin:
    enabled: [read, "grep", todo*]
    disabled: [bash]
  mcp: [github]
model: local/qwen
behavior:
  approval-policy: always
  max-iterations: 12
  timeout: 15m
  max_sub_agent_depth: 2
)";

TEST(ReadProfile, ContractKeys_AreReadFromYaml) {
  const Profile profile = read_profile(kFull, "yaml", "file-name").value();
  EXPECT_EQ(profile.name, "reviewer");
  EXPECT_EQ(profile.description, "Reads code");
  EXPECT_EQ(profile.kind, "react");
  EXPECT_EQ(profile.role, "You review.\n");
  EXPECT_EQ(profile.model, "local/qwen");
  EXPECT_THAT(profile.tools_allowed, ElementsAre("read", "grep", "todo*"));
  EXPECT_THAT(profile.tools_denied, ElementsAre("bash"));
  EXPECT_THAT(profile.mcp_servers.value(), ElementsAre("github"));
  EXPECT_EQ(profile.approvals.at("write_file"), Approval::ask);
  EXPECT_FALSE(profile.approvals.contains("*"));
  EXPECT_EQ(profile.max_steps, 12U);
  EXPECT_EQ(profile.timeout_s, 900);
  EXPECT_EQ(profile.max_depth, 2U);
}

TEST(ReadProfile, FlatForm_IsReadFromToml) {
  const Profile profile = read_profile(R"(
description = "Thinks in trees"
kind = "tot"
role = "You weigh."
model = "offline/demo"
tools_allowed = ["read", "ls"]
tools_denied = ["bash"]
max_steps = 30
timeout = 60
max_depth = 0
[approvals]
write_file = "deny"
"*" = "ask"
)",
                                       "toml", "tree")
                              .value();
  EXPECT_EQ(profile.name, "tree");
  EXPECT_EQ(profile.kind, "tot");
  EXPECT_EQ(profile.role, "You weigh.");
  EXPECT_THAT(profile.tools_allowed, ElementsAre("read", "ls"));
  EXPECT_EQ(profile.approvals.at("write_file"), Approval::deny);
  EXPECT_EQ(profile.approvals.at("*"), Approval::ask);
  EXPECT_EQ(profile.max_steps, 30U);
  EXPECT_EQ(profile.timeout_s, 60);
  EXPECT_EQ(profile.max_depth, 0U);
}

TEST(ReadProfile, Role_IsReadBelowFrontMatter) {
  const Profile profile =
      read_profile("---\r\nname: poet\r\nmodel: a/b\r\n---\r\n\r\n# You rhyme.\r\n", "md", "x")
          .value();
  EXPECT_EQ(profile.name, "poet");
  EXPECT_EQ(profile.role, "# You rhyme.");
  EXPECT_EQ(read_profile("You rhyme.\n---\nso\n", "md", "poet")->role, "You rhyme.\n---\nso");
}

TEST(ReadProfile, Policies_HaveTheirMeanings) {
  const auto approvals = [](const char* policy) {
    return read_profile(std::string("approval_policy = \"") + policy + "\"", "toml", "x")
        .value()
        .approvals;
  };
  EXPECT_EQ(approvals("none").at("*"), Approval::automatic);
  EXPECT_EQ(approvals("destructive_only").at("delete_file"), Approval::ask);
  EXPECT_EQ(approvals("destructive_only").at("*"), Approval::automatic);
  EXPECT_EQ(approvals("ask").at("*"), Approval::ask);
  EXPECT_EQ(approvals("deny").at("*"), Approval::deny);
}

TEST(ReadProfile, EmptyToolList_MeansNoTools) {
  const Profile profile = read_profile("tools_allowed = []", "toml", "x").value();
  EXPECT_THAT(profile.tools_denied, ElementsAre("*"));
}

TEST(ReadProfile, BuiltinProfile_CanBeExtended) {
  const Profile profile = read_profile("extends: explore\nmodel: a/b\n", "yaml", "scout").value();
  EXPECT_EQ(profile.name, "scout");
  EXPECT_EQ(profile.model, "a/b");
  EXPECT_THAT(profile.role, HasSubstr("explore"));
  EXPECT_THAT(profile.tools_allowed, ::testing::Contains("read"));
  EXPECT_THAT(profile.tools_allowed, ::testing::Not(::testing::Contains("bash")));
}

struct Fault {
  const char* format;
  const char* text;
  const char* field;
};

TEST(ReadProfile, EveryFault_NamesKey) {
  const Fault faults[] = {
      {"yaml", "colour: red", "colour"},
      {"yaml", "role: {text: a}", "role.text"},
      {"yaml", "role: {content: a, file: b}", "role"},
      {"yaml", "tools: {builtin: {allow: [a]}}", "tools.builtin.allow"},
      {"yaml", "tools: {builtin: {enabled: {}}}", "tools.builtin.enabled"},
      {"yaml", "tools: [read, 7]", "tools[1]"},
      {"yaml", "tools_denied: ['*x']", "tools_denied[0]"},
      {"yaml", "behavior: {max-iterations: 0}", "behavior.max-iterations"},
      {"yaml", "behavior: {max-iterations: many}", "behavior.max-iterations"},
      {"yaml", "behavior: {timeout: 1 week}", "behavior.timeout"},
      {"yaml", "behavior: {timeout: 99999999999h}", "behavior.timeout"},
      {"yaml", "behavior: 7", "behavior"},
      {"yaml", "behavior: {approval-policy: sometimes}", "behavior.approval-policy"},
      {"yaml", "approvals: {bash: maybe}", "approvals.bash"},
      {"yaml", "kind: pregel", "kind"},
      {"yaml", "name: ../etc", "name"},
      {"yaml", "model: [a]", "model"},
      {"yaml", "extends: nobody", "extends"},
      {"yaml", "role: {file: role.md}", "role.file"},
      {"toml", "max_depth = 11", "max_depth"},
      {"md", "---\nrole: a\n---\nb", "role"},
  };
  for (const Fault& fault : faults) {
    const core::Result<Profile> profile = read_profile(fault.text, fault.format, "x");
    ASSERT_FALSE(profile.has_value()) << fault.text;
    EXPECT_EQ(profile.error().code, Code::invalid_argument) << fault.text;
    EXPECT_EQ(profile.error().field, fault.field) << profile.error().message;
    EXPECT_THAT(profile.error().message, HasSubstr(fault.field));
  }
}

TEST(ReadProfile, UnreadableText_IsReportedWithLine) {
  EXPECT_THAT(read_profile("a = ", "toml", "x").error().message, HasSubstr("line 1"));
  EXPECT_THAT(read_profile("\na: [1,\n", "yaml", "x").error().message, HasSubstr("line"));
  EXPECT_THAT(read_profile("- a\n", "yaml", "x").error().message, HasSubstr("keys and values"));
  EXPECT_THAT(read_profile("a: 1\n---\nb: 2\n", "yaml", "x").error().message,
              HasSubstr("more than one document"));
  EXPECT_THAT(read_profile("name: a\nname: b\n", "yaml", "x").error().message,
              HasSubstr("'name' is given twice (line 2)"));
  EXPECT_THAT(read_profile("role: !!python/object:os.system x\n", "yaml", "x").error().message,
              HasSubstr("tag"));
  EXPECT_THAT(read_profile("? [a]\n: b\n", "yaml", "x").error().message, HasSubstr("key"));
  EXPECT_THAT(read_profile("---\nname: a\n", "md", "x").error().message, HasSubstr("no end"));
  EXPECT_THAT(read_profile("name = 1979-05-27", "toml", "x").error().message, HasSubstr("date"));
  EXPECT_THAT(read_profile("name: \xff", "yaml", "x").error().message, HasSubstr("UTF-8"));
  EXPECT_THAT(read_profile("", "ini", "x").error().message, HasSubstr("format"));
}

TEST(ReadProfile, HostileFiles_AreRefused) {
  EXPECT_FALSE(read_profile("a: " + std::string(100'000, '['), "yaml", "x").has_value());
  EXPECT_FALSE(read_profile("a = " + std::string(100'000, '['), "toml", "x").has_value());
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int n = 0; n < 8; ++n) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_THAT(read_profile(bomb, "yaml", "x").error().message, HasSubstr("10000 values"));
}

// --- folders ---------------------------------------------------------------------------------

class ProfileFolders : public ::testing::Test {
 protected:
  void project(const std::string& file, const std::string& text) { put("work", file, text); }
  void user(const std::string& file, const std::string& text) { put("home", file, text); }
  Profiles load(FolderApprovals folder = FolderApprovals::tighten) {
    return Profiles::load((root_ / "work").string(), (root_ / "home").string(), folder);
  }
  fs::path agents(const std::string& base) { return root_ / base / ".loom" / "agents"; }

  void put(const std::string& base, const std::string& file, const std::string& text) {
    const fs::path path = agents(base) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  core::TempFolder place_{"parley-profiles"};
  fs::path root_ = place_.path();
};

TEST_F(ProfileFolders, Builtins_NeedNoFile) {
  const Profiles profiles = load();
  std::vector<std::string> names;
  for (const Profile& profile : profiles.all()) {
    names.push_back(profile.name);
    EXPECT_EQ(profile.source, "builtin");
    EXPECT_FALSE(profile.role.empty());
    EXPECT_FALSE(profile.description.empty());
  }
  EXPECT_THAT(names, ElementsAre("dev", "ask", "agent-builder", "explore", "orchestrator"));
  EXPECT_THAT(profiles.problems(), IsEmpty());
}

TEST_F(ProfileFolders, AskAndExplore_HaveOnlyReadingTools) {
  const Profiles profiles = load();
  for (const char* name : {"ask", "explore"}) {
    const Profile profile = profiles.find(name).value();
    for (const char* tool : {"write_file", "edit", "bash", "delete", "batch", "*"}) {
      EXPECT_THAT(profile.tools_allowed, ::testing::Not(::testing::Contains(tool))) << name;
    }
    EXPECT_THAT(profile.tools_allowed, ::testing::Contains("read"));
  }
}

TEST_F(ProfileFolders, FilesOfAllFormatsAndFolders_AreFound) {
  project("a.toml", "description = \"A\"");
  project("b.yaml", "description: B");
  project("c.yml", "description: C");
  project("d.md", "You are D.");
  project("e/config.yaml", "role: {file: prompts/role.md}");
  project("e/prompts/role.md", "You are E.");
  project("notes.txt", "not a profile");
  project(".hidden.toml", "nonsense");
  const Profiles profiles = load();
  EXPECT_THAT(profiles.problems(), IsEmpty());
  EXPECT_EQ(profiles.all().size(), 10U);
  EXPECT_EQ(profiles.find("a")->description, "A");
  EXPECT_EQ(profiles.find("d")->role, "You are D.");
  EXPECT_EQ(profiles.find("e")->role, "You are E.");
  EXPECT_EQ(profiles.find("e")->source, "project");
}

TEST_F(ProfileFolders, ProjectHidesUser_UserHidesBuiltin) {
  user("dev.toml", "description = \"mine\"");
  EXPECT_EQ(load().find("dev")->description, "mine");
  project("dev.toml", "description = \"ours\"");
  EXPECT_EQ(load().find("dev")->description, "ours");
  EXPECT_EQ(load().find("dev")->role, "");
}

TEST_F(ProfileFolders, ProfileOfSameName_ExtendsHiddenProfile) {
  user("dev.toml", "extends = \"dev\"\nmodel = \"a/b\"");
  project("dev.toml", "extends = \"dev\"\nmax_steps = 9");
  const Profile profile = load().find("dev").value();
  EXPECT_EQ(profile.max_steps, 9U);
  EXPECT_EQ(profile.model, "a/b");
  EXPECT_THAT(profile.role, HasSubstr("software engineer"));
}

TEST_F(ProfileFolders, CycleOfProfiles_IsRefusedByName) {
  project("a.toml", "extends = \"b\"");
  project("b.toml", "extends = \"a\"");
  project("c.toml", "extends = \"c\"");
  const Profiles profiles = load();
  EXPECT_EQ(profiles.all().size(), 5U);
  ASSERT_EQ(profiles.problems().size(), 3U);
  EXPECT_THAT(profiles.problems()[0], HasSubstr("a.toml: "));
  EXPECT_THAT(profiles.problems()[0], HasSubstr("a -> b -> a"));
  EXPECT_THAT(profiles.problems()[2], HasSubstr("there is no profile 'c'"));
}

TEST_F(ProfileFolders, ProjectProfile_NeverApprovesByItself) {
  project("dev.toml", "extends = \"dev\"\napprovals = {bash = \"auto\", read = \"deny\"}");
  user("free.toml", "approvals = {bash = \"auto\"}");
  project("freer.toml", "extends = \"free\"");
  const Profiles profiles = load();
  EXPECT_FALSE(profiles.find("dev")->approvals.contains("bash"));
  EXPECT_EQ(profiles.find("dev")->approvals.at("read"), Approval::deny);
  EXPECT_EQ(profiles.find("free")->approvals.at("bash"), Approval::automatic);
  EXPECT_FALSE(profiles.find("freer")->approvals.contains("bash"));
  ASSERT_EQ(profiles.problems().size(), 3U);
  EXPECT_THAT(profiles.problems()[0], HasSubstr("dev.toml"));
  EXPECT_THAT(profiles.notices("freer"), ElementsAre(HasSubstr("may not approve tools by itself")));
  EXPECT_THAT(profiles.notices("free"), IsEmpty());
}

TEST_F(ProfileFolders, TrustedFolder_MayApprove) {
  project("dev.toml", "extends = \"dev\"\napprovals = {bash = \"auto\"}");
  const Profiles profiles = load(FolderApprovals::trusted);
  EXPECT_EQ(profiles.find("dev")->approvals.at("bash"), Approval::automatic);
  EXPECT_THAT(profiles.notices("dev"), IsEmpty());
  EXPECT_THAT(profiles.problems(), IsEmpty());
}

TEST_F(ProfileFolders, ProjectProfile_IsNoLessStrictThanHiddenUser) {
  user("safe.toml", R"(approvals = {bash = "deny", edit = "ask", read = "auto", "*" = "ask"})");
  project("safe.toml", R"(approvals = {bash = "ask", edit = "deny"})");
  const Profile profile = load().find("safe").value();
  EXPECT_EQ(profile.approvals.at("bash"), Approval::deny);
  EXPECT_EQ(profile.approvals.at("edit"), Approval::deny);
  EXPECT_EQ(profile.approvals.at("*"), Approval::ask);
  EXPECT_EQ(load(FolderApprovals::trusted).find("safe")->approvals.at("bash"), Approval::ask);
}

TEST_F(ProfileFolders, ProjectChangingMeaningOfName_IsTold) {
  project("ask.toml", "description = \"does anything\"");
  project("react.md", "You are another.");
  project("ours.toml", "");
  user("mine.toml", "");
  user("dev.toml", "");
  project("mine.toml", "");
  const Profiles profiles = load();
  EXPECT_THAT(profiles.notices("ask"),
              ElementsAre("The agent 'ask' is that of the working folder (" +
                          (agents("work") / "ask.toml").string() + "), not the built-in one."));
  EXPECT_THAT(profiles.notices("react"), ElementsAre(HasSubstr("not the built-in one")));
  EXPECT_THAT(profiles.notices("mine"), ElementsAre(HasSubstr("not your own")));
  EXPECT_THAT(profiles.notices("ours"), IsEmpty());
  EXPECT_THAT(profiles.notices("dev"), IsEmpty()) << "a person's own may stand for it";
  EXPECT_EQ(profiles.problems().size(), 3U);
}

TEST_F(ProfileFolders, UnreadableProfile_IsErrorOnUse) {
  EXPECT_EQ(load().left_out(), "");
  project("dev.toml", "max_steps = \"many\"");
  project("lone.yaml", "a: [");
  const Profiles profiles = load();
  const auto dev = profiles.find("dev");
  ASSERT_FALSE(dev) << "the built-in one is not what was written here";
  EXPECT_EQ(dev.error().code, Code::invalid_argument);
  EXPECT_EQ(dev.error().field, "agent");
  EXPECT_EQ(dev.error().message, "The agent 'dev' cannot be read from " +
                                     (agents("work") / "dev.toml").string() +
                                     ": The profile's key 'max_steps': must be a whole number.");
  EXPECT_THAT(profiles.find("lone").error().message, HasSubstr("lone.yaml: "));
  EXPECT_TRUE(profiles.find("ask"));
  EXPECT_THAT(profiles.left_out(), HasSubstr("2 profiles cannot be read, the first of them "));
  EXPECT_THAT(profiles.left_out(), HasSubstr("dev.toml: The profile's key 'max_steps'"));
}

TEST_F(ProfileFolders, UnreadableProfile_DoesNotBlockHidingProfile) {
  user("dev.toml", "max_steps = \"many\"");
  EXPECT_FALSE(load().find("dev"));
  project("dev.toml", "max_steps = 3");
  EXPECT_EQ(load().find("dev")->max_steps, 3U);
  EXPECT_THAT(load().left_out(), HasSubstr("A profile cannot be read: "));
}

TEST_F(ProfileFolders, Home_IsNoProjectThroughLinks) {
  user("free.toml", "approvals = {bash = \"auto\"}");
  fs::create_directory_symlink(root_ / "home", root_ / "link");
  const Profiles profiles = Profiles::load((root_ / "link").string(), (root_ / "home").string());
  EXPECT_EQ(profiles.find("free")->source, "user");
  EXPECT_EQ(profiles.find("free")->approvals.at("bash"), Approval::automatic);
}

TEST_F(ProfileFolders, WildcardApproval_IsNotLoosenedByBase) {
  user("base.toml", "approvals = {bash = \"auto\", edit = \"deny\"}");
  user("strict.toml", "extends = \"base\"\napprovals = {\"*\" = \"ask\"}");
  const Profile profile = load().find("strict").value();
  EXPECT_FALSE(profile.approvals.contains("bash"));
  EXPECT_EQ(profile.approvals.at("edit"), Approval::deny);
}

TEST_F(ProfileFolders, RoleFiles_StayInsideProfileFolder) {
  std::ofstream(root_ / "secret.md") << "secret";
  project("a/config.toml", "role = {file = \"../../../../secret.md\"}");
  project("b/config.toml", "role = {file = \"link.md\"}");
  fs::create_symlink(root_ / "secret.md", agents("work") / "b" / "link.md");
  project("c/config.toml", "role = {file = \"" + (root_ / "secret.md").string() + "\"}");
  project("d/config.toml", "role = {file = \"missing.md\"}");
  const Profiles profiles = load();
  ASSERT_EQ(profiles.problems().size(), 4U);
  for (const std::string& problem : profiles.problems()) {
    EXPECT_THAT(problem, HasSubstr("config.toml: The profile's key 'role.file'"));
    EXPECT_THAT(problem, ::testing::Not(HasSubstr("secret\n")));
  }
  EXPECT_EQ(profiles.all().size(), 5U);
}

TEST_F(ProfileFolders, ProjectFiles_DoNotLeadOutOfFolder) {
  std::ofstream(root_ / "secret.md") << "secret";
  project("inside.md", "You are inside.");
  fs::create_symlink(root_ / "secret.md", agents("work") / "outside.md");
  fs::create_symlink(agents("work") / "inside.md", agents("work") / "other.md");
  user("mine.md", "You are mine.");
  fs::create_symlink(root_ / "secret.md", agents("home") / "linked.md");
  const Profiles profiles = load();
  EXPECT_THAT(profiles.find("outside").error().message, HasSubstr("outside the working folder"));
  EXPECT_EQ(profiles.find("other")->role, "You are inside.");
  EXPECT_EQ(profiles.find("linked")->role, "secret") << "a person links what they like";
}

TEST_F(ProfileFolders, BadFiles_AreTold) {
  project("big.toml", std::string(kMaxProfileBytes + 1, '#'));
  fs::create_directories(agents("work") / "pipe");
  ASSERT_EQ(::mkfifo((agents("work") / "pipe" / "config.toml").c_str(), 0600), 0);
  const Profiles few = load();
  ASSERT_EQ(few.problems().size(), 2U);
  EXPECT_THAT(few.problems()[0], HasSubstr("more than 262144 bytes"));
  for (std::size_t i = 0; i < kMaxProfiles; ++i) {
    project("p" + std::to_string(i) + ".toml", "");
  }
  const Profiles many = load();
  EXPECT_LE(many.all().size(), kMaxProfiles + 6);
  EXPECT_THAT(many.problems()[0], HasSubstr("more than 200 profiles"));
}

TEST_F(ProfileFolders, TwoFilesOfSameName_AreTold) {
  project("a.toml", "description = \"first\"");
  project("a.yaml", "description: second");
  const Profiles profiles = load();
  EXPECT_EQ(profiles.find("a")->description, "first");
  ASSERT_EQ(profiles.problems().size(), 1U);
  EXPECT_THAT(profiles.problems()[0], HasSubstr("a.yaml: there is another profile 'a'"));
}

TEST_F(ProfileFolders, KeysOfOtherPrograms_AreToldAndHarmless) {
  project("a.yaml", "skills: {enabled: [x]}\nenvironment: {A: b}\n");
  const Profiles profiles = load();
  EXPECT_TRUE(profiles.find("a").has_value());
  EXPECT_EQ(profiles.problems().size(), 2U);
}

TEST_F(ProfileFolders, Kind_IsAgent) {
  EXPECT_EQ(load().find("tot")->kind, "tot");
  const core::Result<Profile> missing = load().find("nobody");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_EQ(missing.error().message,
            "There is no agent 'nobody'. There are: react, dup, tot, got, agot, dev, ask, "
            "agent-builder, explore, orchestrator.");
}

// --- tools -----------------------------------------------------------------------------------

class NamedTool final : public tool::Tool {
 public:
  NamedTool(std::string name, std::string source) : source_(std::move(source)) {
    spec_.name = std::move(name);
  }
  const model::ToolSpec& spec() const override { return spec_; }
  std::string source() const override { return source_; }
  void run(tool::ToolContext /*context*/, boost::json::object /*arguments*/, Done done) override {
    done(tool::ToolResult::ok(""));
  }

 private:
  model::ToolSpec spec_;
  std::string source_;
};

std::vector<std::string> usable(const char* profile) {
  tool::Toolbox all;
  for (const char* name : {"read", "bash"}) all.add(std::make_shared<NamedTool>(name, "builtin"));
  for (const char* name : {"issues", "merge"}) {
    all.add(std::make_shared<NamedTool>(name, "mcp:github"));
  }
  std::vector<std::string> names;
  const tool::Toolbox allowed = allowed_tools(read_profile(profile, "yaml", "x").value(), all);
  for (const tool::ToolPtr& one : allowed.all()) names.push_back(one->spec().name);
  return names;
}

TEST(AllowedTools, AllowedTools_AreNamedByProfile) {
  EXPECT_THAT(usable(""), ElementsAre("read", "bash", "issues", "merge"));
  EXPECT_THAT(usable("tools: [read]"), ElementsAre("read"));
  EXPECT_THAT(usable("tools_denied: [bash, merge]"), ElementsAre("read", "issues"));
  EXPECT_THAT(usable("tools: []"), IsEmpty());
}

TEST(AllowedTools, ToolsOfNamedMcpServers_AreAdded) {
  EXPECT_THAT(usable("{tools: [read], mcp_servers: [github], tools_denied: [merge]}"),
              ElementsAre("read", "issues"));
  EXPECT_THAT(usable("mcp_servers: []"), ElementsAre("read", "bash"));
  EXPECT_THAT(usable("{tools: [issues], mcp_servers: []}"), ElementsAre("issues"));
}

}  // namespace
}  // namespace parley::agent

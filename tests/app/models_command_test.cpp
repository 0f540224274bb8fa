// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/core/temp_folder.h"
#include "program.h"
#include "tests/support/scripted_model/scripted_model.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKey = "sk-very-secret";

class ModelsCommand : public ::testing::Test {
 protected:
  ModelsCommand() {
    std::ofstream(dir_.file("key")) << kKey << "\n";
    std::ofstream(config_) << "[[models.providers]]\nname = \"local\"\nbase_url = \""
                           << model_.base_url() << "\"\napi_key_file = \"" << dir_.file("key")
                           << "\"\n[[models.providers]]\nname = \"gone\"\n"
                           << "base_url = \"http://127.0.0.1:1/v1\"\n";
  }
  Ran parley(std::vector<std::string> words) {
    words.insert(words.end(), {"--config", config_});
    const Ran ran = run(dir_, std::move(words));
    EXPECT_THAT(ran.out + ran.errors, Not(HasSubstr(kKey)));
    return ran;
  }

  const core::TempFolder dir_;
  const std::string config_ = dir_.file("parley.toml");
  model::ScriptedModel model_{model::Script{}};
};

TEST_F(ModelsCommand, List_HasModelsOfProviders_TellsFailures) {
  const Ran text = parley({"models", "list"});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("local/scripted\n"));
  EXPECT_THAT(text.out, HasSubstr("offline/demo  (default)"));
  EXPECT_THAT(text.errors, HasSubstr("gone"));
  const Ran json = parley({"models", "list", "--json"});
  EXPECT_EQ(json.status, 0);
  const boost::json::value all = boost::json::parse(json.out);
  ASSERT_EQ(all.as_array().size(), 3U);
  EXPECT_EQ(all.at(0).at("provider").as_string(), "local");
  EXPECT_EQ(all.at(0).at("models").at(0).at("id").as_string(), "scripted");
  EXPECT_EQ(all.at(0).at("models").at(0).at("owned_by").as_string(), "script");
  EXPECT_TRUE(all.at(0).at("error").is_null());
  EXPECT_TRUE(all.at(1).at("models").as_array().empty());
  EXPECT_THAT(std::string(all.at(1).at("error").as_string()), HasSubstr("cannot be reached"));
  EXPECT_EQ(all.at(2).at("models").at(0).at("id").as_string(), "demo");
  EXPECT_EQ(model_.requests().at(0).header("authorization"), std::string("Bearer ") + kKey);
}

TEST_F(ModelsCommand, Provider_IsShown) {
  const Ran shown = parley({"models", "show", "local"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, HasSubstr(model_.base_url()));
  EXPECT_THAT(shown.out, HasSubstr("set (file "));
  EXPECT_THAT(shown.out, HasSubstr("local/scripted\n"));
  EXPECT_EQ(parley({"models", "show", "gone"}).status, 1);
  EXPECT_EQ(parley({"models", "show", "offline"}).status, 0);
  const Ran none = parley({"models", "show", "none"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.errors, HasSubstr("offline, local, gone"));
}

}  // namespace
}  // namespace parley::tests

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/config.h"

#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>

#include "app/server/tls_assembly.h"

namespace parley::app {
namespace {

using ::testing::HasSubstr;

ConfigSources file(std::string text) {
  ConfigSources sources;
  sources.file_name = "parley.toml";
  sources.file_text = std::move(text);
  return sources;
}

Problem only_problem(const ConfigSources& sources) {
  const auto result = load_config(sources);
  if (result.has_value()) return {"", "no problem at all", ""};
  EXPECT_EQ(result.error().size(), 1U);
  return result.error().front();
}

TEST(SettingTable, EveryDefault_IsAllowedByItsRow) {
  for (const Setting& setting : setting_table()) {
    EXPECT_TRUE(parse_setting(setting, setting.fallback).has_value()) << setting.key;
  }
}

TEST(SettingTable, EveryKey_HasUniqueNameInEachForm) {
  std::set<std::string> keys;
  std::set<std::string> variables;
  std::set<std::string> flags;
  for (const Setting& setting : setting_table()) {
    EXPECT_TRUE(keys.insert(std::string(setting.key)).second) << setting.key;
    EXPECT_TRUE(variables.insert(environment_name(setting.key)).second) << setting.key;
    EXPECT_TRUE(flags.insert(flag_name(setting.key)).second) << setting.key;
    EXPECT_FALSE(setting.help.empty()) << setting.key;
  }
}

TEST(SettingTable, Defaults_MatchRooms) {
  const auto config = load_config({});
  ASSERT_TRUE(config.has_value());
  const Settings& settings = config->settings;
  const net::ServerOptions server;
  EXPECT_EQ(settings.server.max_header_bytes, server.max_header_bytes);
  EXPECT_EQ(settings.server.max_target_bytes, server.max_target_bytes);
  EXPECT_EQ(settings.server.max_body_bytes, server.max_body_bytes);
  EXPECT_EQ(settings.server.header_timeout, server.header_timeout);
  EXPECT_EQ(settings.server.body_timeout, server.body_timeout);
  EXPECT_EQ(settings.server.idle_timeout, server.idle_timeout);
  EXPECT_EQ(settings.server.max_pipelined, server.max_pipelined);
  EXPECT_EQ(settings.server.max_connections, server.max_connections);
  EXPECT_EQ(settings.server.max_queue_bytes, server.max_queue_bytes);
  EXPECT_EQ(settings.server.max_queue_messages, server.max_queue_messages);
  EXPECT_EQ(settings.server.ping_interval, server.ping_interval);
  EXPECT_EQ(settings.server.pong_timeout, server.pong_timeout);
  EXPECT_EQ(settings.server.close_timeout, server.close_timeout);
  const session::SessionLimits sessions;
  EXPECT_EQ(settings.sessions.max_pending, sessions.max_pending);
  EXPECT_EQ(settings.sessions.max_participants, sessions.max_participants);
  EXPECT_EQ(settings.sessions.max_waiters, sessions.max_waiters);
  EXPECT_EQ(settings.sessions.default_wait, sessions.default_wait);
  EXPECT_EQ(settings.sessions.max_wait, sessions.max_wait);
  EXPECT_EQ(settings.sessions.caller_grace, sessions.caller_grace);
  const event::GroupLimits group;
  EXPECT_EQ(settings.group.max_units, group.max_units);
  EXPECT_EQ(settings.group.max_bytes, group.max_bytes);
  EXPECT_EQ(settings.group.max_queue, group.max_queue);
  EXPECT_TRUE(settings.retention.keeps_everything());
}

TEST(SettingTable, Table_MatchesDocument) {
  std::ifstream in(std::string(PARLEY_SOURCE_DIR) + "/docs/configuration.md");
  std::ostringstream text;
  text << in.rdbuf();
  for (const Setting& setting : setting_table()) {
    const std::string fallback =
        setting.fallback.empty() ? "" : "`" + std::string(setting.fallback) + "`";
    const std::string row = "| `" + std::string(setting.key) + "` | `" +
                            environment_name(setting.key) + "` | `" + flag_name(setting.key) +
                            "` | " + fallback + " | " + allowed_values(setting) + " | " +
                            std::string(setting.help) + " |\n";
    EXPECT_THAT(text.str(), HasSubstr(row));
  }
}

TEST(SettingGroups, Groups_MatchDocument) {
  std::ifstream in(std::string(PARLEY_SOURCE_DIR) + "/docs/configuration.md");
  std::ostringstream text;
  text << in.rdbuf();
  for (const SettingGroup& group : setting_groups()) {
    EXPECT_THAT(text.str(), HasSubstr("### `[[" + std::string(group.key) + "]]`\n"));
    for (const Setting& field : group.fields) {
      EXPECT_TRUE(field.key.starts_with(group.key)) << field.key;
      EXPECT_TRUE(parse_setting(field, field.fallback).has_value()) << field.key;
      const std::string fallback =
          field.fallback.empty() ? "" : "`" + std::string(field.fallback) + "`";
      EXPECT_THAT(text.str(),
                  HasSubstr("| `" + std::string(field.key) + "` | " + fallback + " | " +
                            allowed_values(field) + " | " + std::string(field.help) + " |\n"));
    }
  }
}

TEST(Providers, Defaults_MatchRoom) {
  const auto config = load_config(
      file("[[models.providers]]\nname = \"acme\"\nbase_url = \"https://a.org/v1/\"\n"));
  ASSERT_TRUE(config.has_value());
  ASSERT_EQ(config->settings.models.providers.size(), 1U);
  const model::ProviderSettings& provider = config->settings.models.providers.front();
  const model::ProviderSettings usual;
  EXPECT_EQ(provider.name, "acme");
  EXPECT_EQ(provider.base_url, "https://a.org/v1");
  EXPECT_EQ(provider.context_tokens, usual.context_tokens);
  EXPECT_EQ(provider.connect_timeout, usual.connect_timeout);
  EXPECT_EQ(provider.idle_timeout, usual.idle_timeout);
  EXPECT_EQ(provider.total_timeout, usual.total_timeout);
  EXPECT_EQ(provider.temperature, std::nullopt);
}

TEST(Providers, Providers_KeepOrder_ShownFormReadsSame) {
  const auto config = load_config(
      file("[models]\ndefault = \"two/b\"\n"
           "[[models.providers]]\nname = \"one\"\nbase_url = \"http://127.0.0.1:1/v1\"\n"
           "temperature = 0.25\nidle_timeout = \"30s\"\n"
           "[[models.providers]]\nname = \"two\"\nbase_url = \"http://b.org\"\n"
           "media = [\"image\", \"audio\"]\ntext_models = [\"b\"]\n"
           "models = [\"a\", \"b\"]\napi_key_env = \"TWO_KEY\"\nproxy = \"http://me:pass@p:1\"\n"
           "temperature = 1\n"));
  ASSERT_TRUE(config.has_value());
  const std::string shown = show_config(*config);
  EXPECT_THAT(shown, ::testing::Not(HasSubstr("pass@")));
  EXPECT_THAT(shown, HasSubstr("[[models.providers]]  # parley.toml, line 3\n"));
  const auto again = load_config(file(shown));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->settings.models.default_model, "two/b");
  const auto& providers = again->settings.models.providers;
  ASSERT_EQ(providers.size(), 2U);
  EXPECT_EQ(providers[0].name, "one");
  EXPECT_EQ(providers[0].temperature, 0.25);
  EXPECT_EQ(providers[0].idle_timeout, core::Millis(30'000));
  EXPECT_EQ(providers[1].models, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(providers[1].api_key_env, "TWO_KEY");
  EXPECT_EQ(providers[1].media, (std::vector<std::string>{"image", "audio"}));
  EXPECT_EQ(providers[1].text_models, (std::vector<std::string>{"b"}));
  EXPECT_EQ(providers[1].temperature, 1.0);
}

TEST(Providers, EveryFault_IsNamedWithLine) {
  const auto result = load_config(
      file("[[models.providers]]\nname = \"a/b\"\nbase_url = \"ftp://x\"\n"
           "[[models.providers]]\nname = \"one\"\nbase_url = \"http://x\"\nmodel = \"m\"\n"
           "[[models.providers]]\nname = \"one\"\napi_key_env = \"A\"\napi_key_file = \"b\"\n"
           "temperature = 3.5\nmedia = [\"pictures\"]\n"));
  ASSERT_FALSE(result.has_value());
  std::string all;
  for (const Problem& problem : result.error()) all += problem.to_string() + "\n";
  EXPECT_THAT(all, HasSubstr("parley.toml, line 3: \"models.providers.base_url\" must be an http"));
  EXPECT_THAT(all, HasSubstr("line 7: The key \"models.providers.model\" is not a setting."));
  EXPECT_THAT(all, HasSubstr("line 1: A provider must have a name"));
  EXPECT_THAT(all, HasSubstr("line 8: There are two providers with the name \"one\""));
  EXPECT_THAT(all, HasSubstr("line 8: A provider must have a base_url"));
  EXPECT_THAT(all, HasSubstr("not both"));
  EXPECT_THAT(all,
              HasSubstr("line 8: The media of a provider must be image, audio, video and file"));
  EXPECT_THAT(all, HasSubstr("a number from 0 to 2"));
  EXPECT_THAT(only_problem(file("[models]\nproviders = \"openai\"\n")).hint,
              HasSubstr("[[models.providers]]"));
}

TEST(Providers, KeyInEnvironment_MakesProvider) {
  ConfigSources sources;
  sources.environment = {{"OPENAI_API_KEY", "sk-very-secret"}};
  const auto config = load_config(sources);
  ASSERT_TRUE(config.has_value());
  ASSERT_EQ(config->settings.models.providers.size(), 1U);
  EXPECT_EQ(config->settings.models.providers.front().name, "openai");
  EXPECT_THAT(show_config(*config), ::testing::Not(HasSubstr("very-secret")));
}

TEST(Config, LaterSources_Win) {
  ConfigSources sources = file("shards = 2\n[log]\nlevel = \"warn\"\n");
  sources.environment = {{"PARLEY_SHARDS", "3"}, {"PATH", "/bin"}};
  EXPECT_EQ(load_config(sources)->settings.shards, 3U);
  sources.flags = {{"shards", "4"}};
  const auto config = load_config(sources);
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->settings.shards, 4U);
  EXPECT_EQ(config->settings.log_level, "warn");
}

TEST(Config, UnknownKey_IsNamedWithLineAndNearestKey) {
  const Problem problem = only_problem(file("listen = \"127.0.0.1:0\"\n\n[tls]\ncrt = \"x\"\n"));
  EXPECT_EQ(problem.where, "parley.toml, line 4");
  EXPECT_THAT(problem.message, HasSubstr("\"tls.crt\""));
  EXPECT_THAT(problem.hint, HasSubstr("tls.cert"));
}

TEST(Config, ValueOutOfRange_IsAnsweredWithAllowedRange) {
  const Problem problem = only_problem(file("[timeouts]\nheader = \"2ms\"\n"));
  EXPECT_EQ(problem.where, "parley.toml, line 2");
  EXPECT_THAT(problem.message, HasSubstr("from 1s to 1h"));
}

TEST(Config, ValueOfWrongType_IsAnsweredWithAllowedType) {
  const Problem problem = only_problem(file("shards = true\n"));
  EXPECT_THAT(problem.message, HasSubstr("\"shards\" must be a whole number from 0 to 256"));
  EXPECT_THAT(only_problem(file("[log]\nlevel = \"loud\"\n")).message,
              HasSubstr("one of trace, debug, info, warn, error, off"));
}

TEST(Config, AllFaults_AreNamedAtOnce) {
  const auto result = load_config(file("shardz = 1\nshards = -1\n[limits]\nbody_bytes = \"x\"\n"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().size(), 3U);
}

TEST(Config, SyntaxError_IsNamedWithLine) {
  EXPECT_EQ(only_problem(file("shards = 1\nlisten = = 2\n")).where, "parley.toml, line 2");
}

TEST(Config, UnknownVariable_IsWarning) {
  ConfigSources sources;
  sources.environment = {{"PARLEY_LISTN", "x"}};
  const auto config = load_config(sources);
  ASSERT_TRUE(config.has_value());
  ASSERT_EQ(config->warnings.size(), 1U);
  EXPECT_THAT(config->warnings.front().to_string(), HasSubstr("Did you mean listen?"));
}

TEST(NearestSetting, Key_ResemblesAsNamesDoElsewhere) {
  EXPECT_EQ(nearest_setting("lsiten"), "listen");
  EXPECT_EQ(nearest_setting("LISTEN"), "listen");
  EXPECT_EQ(nearest_setting("number_of_shards"), "shards");
  EXPECT_EQ(nearest_setting("doit"), "") << "half of its letters differ from data";
  EXPECT_EQ(nearest_setting(""), "");
}

TEST(Config, TlsMode_HasNamesOfItsTable) {
  EXPECT_EQ(environment_name("tls.mode"), "PARLEY_TLS");
  EXPECT_EQ(flag_name("tls.mode"), "--tls");
  const auto from_file = load_config(file("listen = \"0.0.0.0:80\"\n[tls]\nmode = \"auto\"\n"));
  ASSERT_TRUE(from_file.has_value());
  EXPECT_EQ(tls_mode(from_file->settings), certificate::TlsMode::automatic);
  EXPECT_EQ(origin_scheme(from_file->settings), "https://");
}

TEST(Config, OwnCertificate_TakesPrecedenceOverAuto) {
  const auto config = load_config(file("[tls]\nmode = \"auto\"\ncert = \"c\"\nkey = \"k\"\n"));
  EXPECT_EQ(tls_mode(config->settings), certificate::TlsMode::own);
  EXPECT_EQ(tls_mode(load_config({})->settings), certificate::TlsMode::off);
}

TEST(Config, Certificate_CoversConfiguredHosts) {
  const auto config =
      load_config(file("public_url = \"https://parley.example.org\"\n"
                       "allowed_origins = [\"https://other.example.org:8443\", \"*\"]\n"));
  const auto names = certificate_subjects(config->settings).names;
  EXPECT_THAT(names, ::testing::IsSupersetOf({"parley.example.org", "other.example.org"}));
}

TEST(Config, ListeningBeyondLoopback_NeedsTlsOrAllowPlain) {
  EXPECT_THAT(only_problem(file("listen = \"0.0.0.0:80\"\n")).message, HasSubstr("in the clear"));
  EXPECT_TRUE(load_config(file("listen = \"0.0.0.0:80\"\nallow_plain = true\n")).has_value());
  EXPECT_TRUE(load_config(file("listen = \"0.0.0.0:80\"\n[tls]\ncert = \"c\"\nkey = \"k\"\n")));
}

TEST(Config, LoginOfAgents_NeedsSafeAddress) {
  EXPECT_TRUE(load_config(file("[mcp]\noauth = true\n")).has_value());
  EXPECT_TRUE(load_config(file("public_url = \"https://p.example\"\n[mcp]\noauth = true\n")));
  EXPECT_THAT(
      only_problem(file("listen = \"0.0.0.0:80\"\nallow_plain = true\n[mcp]\noauth = true\n"))
          .message,
      HasSubstr("mcp.oauth"));
  EXPECT_THAT(
      only_problem(file("public_url = \"http://p.example\"\n[mcp]\noauth = true\n")).message,
      HasSubstr("mcp.oauth"));
  EXPECT_THAT(only_problem(file("[mcp]\noauth = true\noauth_clients = [\"agent\"]\n")).message,
              HasSubstr("mcp.oauth_clients"));
}

TEST(Config, CertificateWithoutKey_IsRefused) {
  EXPECT_THAT(only_problem(file("[tls]\ncert = \"c.pem\"\n")).message, HasSubstr("tls.key is not"));
}

TEST(Config, TakenPrefixOfBookingBackend_IsNamed) {
  const Problem problem = only_problem(file("[booking]\nprefix = \"/\"\n"));
  EXPECT_THAT(problem.message, HasSubstr("GET /health"));
  EXPECT_THAT(problem.where, HasSubstr("line 2"));
  for (const char* prefix : {"", "/booking", "/v1/booking/", "movies"}) {
    EXPECT_TRUE(load_config(file("[booking]\nprefix = \"" + std::string(prefix) + "\"\n")))
        << prefix;
  }
}

TEST(Config, Problems_NeverRepeatSecret) {
  const Problem problem = only_problem(file("token = \"abc\\tdef\"\n"));
  EXPECT_THAT(problem.to_string(), ::testing::Not(HasSubstr("abc")));
}

TEST(Config, ShownConfiguration_HidesSecrets_ReadsSame) {
  ConfigSources sources = file(
      "token = \"very-secret\"\nallowed_origins = [\"https://a.org\", \"http://b.org:81\"]\n"
      "[limits]\nbody_bytes = \"1MiB\"\n");
  const auto config = load_config(sources);
  ASSERT_TRUE(config.has_value());
  const std::string shown = show_config(*config);
  EXPECT_THAT(shown, ::testing::Not(HasSubstr("very-secret")));
  EXPECT_THAT(shown, HasSubstr("body_bytes = \"1MiB\"  # parley.toml, line 4"));
  const auto again = load_config(file(shown));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->settings.server.max_body_bytes, 1U << 20U);
  EXPECT_EQ(again->settings.server.allowed_origins, config->settings.server.allowed_origins);
}

TEST(SettingValue, SizesAndTimes_MayHaveUnits) {
  const Setting& bytes = *find_setting("limits.body_bytes");
  EXPECT_EQ(std::get<std::int64_t>(*parse_setting(bytes, "64KiB")), 65'536);
  EXPECT_EQ(std::get<std::int64_t>(*parse_setting(bytes, "2048")), 2'048);
  EXPECT_FALSE(parse_setting(bytes, "64kb").has_value());
  EXPECT_FALSE(parse_setting(bytes, "9223372036854775807GiB").has_value());
  const Setting& time = *find_setting("timeouts.idle");
  EXPECT_EQ(std::get<std::int64_t>(*parse_setting(time, "2m")), 120'000);
  EXPECT_EQ(std::get<std::int64_t>(*parse_setting(time, "5")), 5'000);
  EXPECT_FALSE(parse_setting(time, "-5s").has_value());
}

}  // namespace
}  // namespace parley::app

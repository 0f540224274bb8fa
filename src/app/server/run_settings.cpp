// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Rows of the table for models, their providers and the runs of agents.
#include "app/server/settings_rows.h"

namespace parley::app {
namespace {

using Type = SettingType;
using Provider = model::ProviderSettings;
using Models = model::ModelSettings;
using Runs = run::RunOptions;
using Kept = tool::ResultLimits;

model::ProviderSettings& last(Settings& s) { return s.models.providers.back(); }

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

constexpr Setting kRunRows[] = {
    row<&Settings::models, &Models::default_model>(
        "models.default", {Type::text},
        "Default model of runs: PROVIDER/NAME. Empty: the first that a provider names, else the "
        "built-in demonstration, offline/demo."),
    row<&Settings::run_folder>("runs.working_folder", {Type::path},
                               "Default working folder of runs; their tools stay inside it. Empty: "
                               "the folder in which the server was started."),
    row<&Settings::runs, &Runs::folders>(
        "runs.folders", {Type::names},
        "Further folders in which runs may work, including their subfolders. A token with the "
        "right admin may name any folder."),
    row<&Settings::runs, &Runs::max_live>(
        "runs.live", {Type::integer, "10000", 1, 1'000'000},
        "Runs that are active at the same time; more are refused."),
    row<&Settings::runs, &Runs::max_live_of_owner>(
        "runs.live_per_token", {Type::integer, "4000", 1, 1'000'000},
        "Runs of one token that are active at the same time; more are refused."),
    row<&Settings::runs, &Runs::max_message_bytes>("runs.message_bytes",
                                                   {Type::bytes, "1MiB", kKiB, 16 * kMiB},
                                                   "The longest message that starts a run."),
    row<&Settings::result_limits, &Kept::all_bytes>(
        "runs.tool_output_bytes", {Type::bytes, "4GiB", 16 * kMiB, 1LL << 40},
        "Total size of the tool results that are kept in files because they are too long for a "
        "model. The oldest are deleted first."),
    row<&Settings::mcp_config>("runs.mcp_config", {Type::path},
                               "A file with the MCP servers whose tools runs may call. Empty: "
                               ".loom/mcp.json of the home directory, if it is there."),
    row<&Settings::folder_mcp>("runs.folder_mcp", {Type::boolean, "false"},
                               "Read .loom/mcp.json of a run's working folder too, before that of "
                               "the home directory. The programs that it names are started: enable "
                               "this only where every working folder is yours."),
    row("runs.folder_approvals", {Type::boolean, "false"},
        "Let profiles in .loom/agents of a run's working folder approve tools by themselves. "
        "Otherwise they can only make approvals stricter. Enable this only where every working "
        "folder is yours.",
        [](Settings& s, const SettingValue& v) {
          s.runs.folder_approvals =
              std::get<bool>(v) ? agent::FolderApprovals::trusted : agent::FolderApprovals::tighten;
        }),
    row<&Settings::fetch_private>("runs.fetch_private", {Type::boolean, "false"},
                                  "Let the tool web_fetcher reach private and loopback addresses."),
    row<&Settings::child_environment>(
        "runs.environment", {Type::names},
        "Names of variables of the server's environment that commands and MCP servers get beside "
        "the usual ones (PATH, HOME, LANG and the like). Everything else stays with the server."),
};

constexpr Setting kProviderFields[] = {
    row<last, &Provider::name>("models.providers.name", {Type::text},
                               "Name of the provider: a model is PROVIDER/NAME. Required."),
    row("models.providers.base_url", {Type::url},
        "URL of its API, without /chat/completions. Required.",
        [](Settings& s, const SettingValue& v) {
          last(s).base_url = without_slash(std::get<std::string>(v));
        }),
    row<last, &Provider::api_key_env>("models.providers.api_key_env", {Type::text},
                                      "The environment variable with the key. Without it and "
                                      "without api_key_file, no key is sent."),
    row<last, &Provider::api_key_file>("models.providers.api_key_file", {Type::path},
                                       "The file with the key."),
    row<last, &Provider::models>("models.providers.models", {Type::names},
                                 "Its models. Empty: the provider is asked for them."),
    row<last, &Provider::context_tokens>(
        "models.providers.context_tokens", {Type::integer, "128000", 1'000, 100'000'000},
        "Tokens that request and reply may have together; longer conversations are shortened."),
    row<last, &Provider::media>(
        "models.providers.media", {Type::names},
        "Media that its models accept besides text: image, audio, video, file (PDF documents), or "
        "none. Other attachments are described to the model in words. Empty: image; for OpenAI's "
        "own API also file."),
    row<last, &Provider::text_models>(
        "models.providers.text_models", {Type::names},
        "Models that accept only text, whatever media says. A name may end in *."),
    row<last, &Provider::temperature>(
        "models.providers.temperature", {Type::decimal, "", 0, 2},
        "Temperature that is sent with each request. Empty: the provider's default."),
    row<last, &Provider::proxy>(
        "models.providers.proxy", {Type::secret},
        "The proxy to use, for example http://proxy.example.org:3128. Empty: that of the "
        "environment. Loopback addresses are reached directly."),
    row<last, &Provider::ca_file>(
        "models.providers.ca_file", {Type::path},
        "PEM file with the certificates to trust instead of the system's."),
    row<last, &Provider::connect_timeout>("models.providers.connect_timeout",
                                          {Type::duration, "10s", 100, kHour},
                                          "Time limit for opening a connection."),
    row<last, &Provider::idle_timeout>("models.providers.idle_timeout",
                                       {Type::duration, "2m", kSecond, kHour},
                                       "A request fails if the model sends nothing for this long."),
    row<last, &Provider::total_timeout>("models.providers.total_timeout",
                                        {Type::duration, "10m", kSecond, kDay},
                                        "Time limit for a whole reply."),
};

}  // namespace

std::span<const Setting> run_settings() { return kRunRows; }

SettingGroup provider_group() {
  return {"models.providers", kProviderFields,
          [](Settings& s) { s.models.providers.emplace_back(); }};
}

}  // namespace parley::app

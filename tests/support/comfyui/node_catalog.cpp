// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comfyui/node_catalog.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

namespace parley::fake_comfyui {
namespace {

// [name, display name, category, output types, output names, is output node, description,
//  required inputs, optional inputs, tooltips of outputs or nothing]. "@x" as a type or as options:
// the files of folder x.
constexpr std::string_view kClasses = R"JSON([
["CheckpointLoaderSimple","Load Checkpoint","loaders",["MODEL","CLIP","VAE"],["MODEL","CLIP","VAE"],
 false,"Loads a diffusion model checkpoint.",
 {"ckpt_name":["@checkpoints",{"tooltip":"The name of the checkpoint (model) to load."}]},{},
 ["The model used for denoising latents.","The CLIP model used for encoding text prompts.",
  "The VAE model used for encoding and decoding images to and from latent space."]],
["CLIPTextEncode","CLIP Text Encode (Prompt)","conditioning",["CONDITIONING"],["CONDITIONING"],false,
 "Encodes a text prompt using a CLIP model into an embedding.",
 {"text":["STRING",{"multiline":true,"dynamicPrompts":true,"tooltip":"The text to be encoded."}],
  "clip":["CLIP",{"tooltip":"The CLIP model used for encoding the text."}]},{},
 ["A conditioning containing the embedded text used to guide the diffusion model."]],
["KSampler","KSampler","sampling",["LATENT"],["LATENT"],false,
 "Uses the provided model, positive and negative conditioning to denoise the latent image.",
 {"model":["MODEL",{"tooltip":"The model used for denoising the input latent."}],
  "seed":["INT",{"default":0,"min":0,"max":18446744073709551615,"control_after_generate":true}],
  "steps":["INT",{"default":20,"min":1,"max":10000}],
  "cfg":["FLOAT",{"default":8.0,"min":0.0,"max":100.0,"step":0.1,"round":0.01}],
  "sampler_name":[["euler","euler_ancestral","heun","dpmpp_2m","dpmpp_sde","ddim","uni_pc"],{}],
  "scheduler":[["normal","karras","exponential","sgm_uniform","simple","ddim_uniform"],{}],
  "positive":["CONDITIONING",{}],"negative":["CONDITIONING",{}],"latent_image":["LATENT",{}],
  "denoise":["FLOAT",{"default":1.0,"min":0.0,"max":1.0,"step":0.01}]},{},["The denoised latent."]],
["EmptyLatentImage","Empty Latent Image","latent",["LATENT"],["LATENT"],false,
 "Create a new batch of empty latent images to be denoised via sampling.",
 {"width":["INT",{"default":512,"min":16,"max":16384,"step":8}],
  "height":["INT",{"default":512,"min":16,"max":16384,"step":8}],
  "batch_size":["INT",{"default":1,"min":1,"max":4096}]},{}],
["VAEDecode","VAE Decode","latent",["IMAGE"],["IMAGE"],false,
 "Decodes latent images back into pixel space images.",
 {"samples":["LATENT",{}],"vae":["VAE",{}]},{}],
["SaveImage","Save Image","image",[],[],true,
 "Saves the input images to your ComfyUI output directory.",
 {"images":["IMAGE",{}],"filename_prefix":["STRING",{"default":"ComfyUI"}]},{}],
["PreviewImage","Preview Image","image",[],[],true,
 "Saves the input images to your ComfyUI output directory.",{"images":["IMAGE"]},{}],
["LoadImage","Load Image","image",["IMAGE","MASK"],["IMAGE","MASK"],false,"",
 {"image":["@input",{"image_upload":true}]},{}],
["LoraLoader","Load LoRA","loaders",["MODEL","CLIP"],["MODEL","CLIP"],false,
 "LoRAs are used to modify diffusion and CLIP models.",
 {"model":["MODEL",{}],"clip":["CLIP",{}],"lora_name":["@loras",{}],
  "strength_model":["FLOAT",{"default":1.0,"min":-100.0,"max":100.0,"step":0.01}],
  "strength_clip":["FLOAT",{"default":1.0,"min":-100.0,"max":100.0,"step":0.01}]},{}],
["UpscaleModelLoader","Load Upscale Model","loaders",["UPSCALE_MODEL"],["UPSCALE_MODEL"],false,"",
 {"model_name":["COMBO",{"multiselect":false,"options":"@upscale_models"}]},{}],
["ImageUpscaleWithModel","Upscale Image (using Model)","image/upscaling",["IMAGE"],["IMAGE"],false,
 "",{"upscale_model":["UPSCALE_MODEL",{}],"image":["IMAGE",{}]},{}],
["TestFail","Failing node","testing",["IMAGE"],["IMAGE"],false,"Fails when it runs.",
 {"message":["STRING",{"default":"This node always fails."}]},{"image":["IMAGE"]}],
["TestSlow","Slow node","testing",["IMAGE"],["IMAGE"],false,
 "Passes its picture on after that many ticks.",
 {"ticks":["INT",{"default":50,"min":1,"max":1000000}]},{"image":["IMAGE"]}]
])JSON";

boost::json::array names_of(const boost::json::object& inputs) {
  boost::json::array out;
  for (const auto& [name, spec] : inputs) out.push_back(boost::json::string(name));
  return out;
}

boost::json::object class_of(const boost::json::array& row) {
  const boost::json::object& required = row[7].get_object();
  const boost::json::object& optional = row[8].get_object();
  boost::json::object out;
  boost::json::object input{{"required", required}};
  boost::json::object order{{"required", names_of(required)}};
  if (!optional.empty()) {
    input["optional"] = optional;
    order["optional"] = names_of(optional);
  }
  if (row[5].get_bool()) {
    input["hidden"] = {{"prompt", "PROMPT"}, {"extra_pnginfo", "EXTRA_PNGINFO"}};
    order["hidden"] = {"prompt", "extra_pnginfo"};
  }
  out["input"] = std::move(input);
  out["input_order"] = std::move(order);
  out["output"] = row[3];
  out["output_is_list"] = boost::json::array(row[3].get_array().size(), false);
  out["output_name"] = row[4];
  out["name"] = row[0];
  out["display_name"] = row[1];
  out["description"] = row[6];
  out["python_module"] = "nodes";
  out["category"] = row[2];
  out["output_node"] = row[5];
  constexpr std::size_t kTooltipsAt = 9;
  if (row.size() > kTooltipsAt) out["output_tooltips"] = row[kTooltipsAt];
  return out;
}

}  // namespace

Models sample_models() {
  return {{"checkpoints", {"dreamshaper_8.safetensors", "sd_xl_base_1.0.safetensors"}},
          {"loras", {"add_detail.safetensors", "pixel_art.safetensors"}},
          {"vae", {"vae-ft-mse-840000.safetensors"}},
          {"upscale_models", {"RealESRGAN_x4plus.pth", "4x-UltraSharp.pth"}},
          {"controlnet", {}},
          {"embeddings", {}}};
}

NodeCatalog::NodeCatalog(const Models& models,
                         std::function<std::vector<std::string>()> input_files)
    : models_(models), input_files_(std::move(input_files)) {
  const boost::json::value rows =
      boost::json::parse(boost::json::string_view(kClasses.data(), kClasses.size()));
  for (const boost::json::value& row : rows.get_array()) {
    const boost::json::array& cells = row.get_array();
    classes_[cells[0].get_string()] = class_of(cells);
  }
}

const boost::json::object& NodeCatalog::plain(std::string_view class_name) const {
  return classes_.at(class_name).get_object();
}

boost::json::array NodeCatalog::choices(std::string_view folder) const {
  boost::json::array out;
  if (folder == "input") {
    for (const std::string& name : input_files_()) out.push_back(boost::json::string(name));
    return out;
  }
  const auto found = models_.find(folder);
  if (found == models_.end()) return out;
  for (const std::string& name : found->second) out.push_back(boost::json::string(name));
  return out;
}

boost::json::value NodeCatalog::describe(std::string_view class_name) const {
  const boost::json::value* found = classes_.if_contains(class_name);
  if (found == nullptr) return nullptr;
  boost::json::object out = found->get_object();
  for (auto& part : out.at("input").get_object()) {
    for (auto& input : part.value().get_object()) {
      if (!input.value().is_array()) continue;
      boost::json::array& spec = input.value().get_array();
      boost::json::object* config = spec.size() > 1 ? spec[1].if_object() : nullptr;
      boost::json::value* options = config == nullptr ? nullptr : config->if_contains("options");
      boost::json::value& listed = options == nullptr ? spec[0] : *options;
      if (!listed.is_string() || !listed.get_string().starts_with('@')) continue;
      listed = choices(std::string_view(listed.get_string()).substr(1));
    }
  }
  return out;
}

std::string NodeCatalog::describe_all(std::size_t min_bytes) const {
  boost::json::object all;
  for (const auto& known : classes_) all[known.key()] = describe(known.key());
  std::string out = boost::json::serialize(all);
  if (out.size() >= min_bytes) return out;
  boost::json::object filler = describe("KSampler").get_object();
  filler["category"] = "padding";
  filler["description"] = std::string(1'000, 'x');
  const std::string body = boost::json::serialize(filler);
  out.pop_back();
  for (std::size_t i = 0; out.size() < min_bytes; ++i) {
    out.append(",\"Padding").append(std::to_string(i)).append("\":").append(body);
  }
  return out + "}";
}

}  // namespace parley::fake_comfyui

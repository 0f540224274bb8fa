// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into the desktop program, for computers without a microphone: makes WebKit offer its
// own pretended one.
#include <dlfcn.h>
#include <webkit2/webkit2.h>

extern "C" void webkit_settings_set_enable_media_stream(WebKitSettings* settings,
                                                        gboolean enabled) {
  using Set = void (*)(WebKitSettings*, gboolean);
  const auto set =
      reinterpret_cast<Set>(dlsym(RTLD_NEXT, "webkit_settings_set_enable_media_stream"));
  set(settings, enabled);
  webkit_settings_set_enable_mock_capture_devices(settings, TRUE);
}

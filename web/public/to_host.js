// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The host page shares the address of the console and differs in the part after "#", which a server does not see.
// Loads its document before the console's script runs; src/main.ts then starts nothing.
if (/^#\/(host|study)(?![^/?])/.test(window.location.hash)) {
  document.documentElement.dataset.leaving = '';
  window.location.replace(`host/index.html${window.location.search}${window.location.hash}`);
}

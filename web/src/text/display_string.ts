// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { toDisplayString } from 'vue';
import { visibleText } from './visible_text';

// The text of {{ value }} in a template: that of Vue, with hidden characters written out. The build
// (vite.config.ts) puts this function in the place of Vue's own, so that no template can forget it.
export function displayString(value: unknown): string {
  return visibleText(toDisplayString(value));
}

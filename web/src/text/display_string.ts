// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { toDisplayString } from 'vue';
import { visibleText } from './visible_text';

// The text of {{ value }} in a template, as Vue's, with hidden characters escaped. The build (vite.config.ts)
// replaces Vue's function by this one, so that it applies to all templates.
export function displayString(value: unknown): string {
  return visibleText(toDisplayString(value));
}

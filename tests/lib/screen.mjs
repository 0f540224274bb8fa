// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// An X server without a screen, for programs with windows.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

// Starts it; resolves with its process, which the caller ends, and the value of DISPLAY.
export async function startScreen(size, env) {
  const child = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', size, '-nolisten', 'tcp'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, display: `:${line}` };
}

// Settings of GTK and WebKit on it: no graphics card, no bus for screen readers.
export const kWindowEnv = {
  WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  LIBGL_ALWAYS_SOFTWARE: '1',
  NO_AT_BRIDGE: '1',
  GTK_USE_PORTAL: '0',
};

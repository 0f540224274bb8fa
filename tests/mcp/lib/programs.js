// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Paths of the programs under test, and how to start them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A program of PARLEY_BIN_DIR, unless a variable names another one.
function program(variable, name) {
  const { PARLEY_BIN_DIR: folder, [variable]: named } = process.env;
  if (!named && !folder) throw new Error(`PARLEY_BIN_DIR or ${variable} must say where ${name} is`);
  return named || join(folder, name);
}

export const mcpProgram = () => program('AGENTASSISTANT_MCP_BIN', 'agentassistant-mcp');
export const parleyProgram = () => program('PARLEY_SERVER_BIN', 'parley');
export const probeProgram = () => program('MCP_PROBE_BIN', 'mcp_probe');

// An empty home directory, without settings; the only server is one that a test starts in it.
export class Home {
  children = [];
  path = mkdtempSync(join(tmpdir(), 'parley-mcp-'));

  get env() {
    return { PATH: process.env.PATH, HOME: this.path, LC_ALL: 'C.UTF-8' };
  }

  // Kills programs that a failed test left running, and removes the files.
  remove() {
    for (const child of this.children) child.kill('SIGKILL');
    rmSync(this.path, { recursive: true, force: true });
  }
}

// Starts a program whose three standard streams are pipes to the test.
export function run(command, args, home, env = {}) {
  const child = spawn(command, args, { env: { ...home.env, ...env }, cwd: home.path });
  home.children.push(child);
  const state = { child, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (state.out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (state.err += text));
  child.stdin.on('error', () => {}); // the program may end before it reads all
  state.exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return state;
}

// Resolves when the program's stdout contains `text`.
export function untilOut(state, text) {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!state.out.includes(text)) return;
      state.child.stdout.off('data', look);
      resolve();
    };
    state.child.stdout.on('data', look);
    state.exited.then(() => reject(new Error(`ended without ${text}:\n${state.out}\n${state.err}`)));
    look();
  });
}

// The messages on a program's stdout, one JSON value per line; throws on other output.
export const messages = (state) =>
  state.out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

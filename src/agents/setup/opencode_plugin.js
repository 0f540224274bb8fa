// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Written by `parley setup`: permission requests and questions of OpenCode also appear in Parley's
// inbox, and the first answer counts. `parley setup opencode --remove` takes this file away.
import { spawn } from 'node:child_process';

const kCommand = ['parley', 'hook', 'opencode'];

const kMaxOutput = 1 << 20;

// The programs that wait for an answer, by the id of the request.
const waiting = new Map();

// Starts `parley hook opencode` with one event. Resolves to its answer; null: none, so that OpenCode
// asks by itself.
function ask(id, event) {
  return new Promise((resolve) => {
    let output = '';
    let child;
    const done = (answer) => {
      if (id !== undefined && waiting.get(id) === child) waiting.delete(id);
      resolve(answer);
    };
    try {
      child = spawn(kCommand[0], kCommand.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
    } catch {
      done(null);
      return;
    }
    if (id !== undefined) waiting.set(id, child);
    child.on('error', () => done(null));
    child.stdin.on('error', () => {});
    child.stdout.on('data', (piece) => {
      if (output.length < kMaxOutput) output += piece;
    });
    child.on('close', () => {
      try {
        done(output === '' ? null : JSON.parse(output));
      } catch {
        done(null);
      }
    });
    child.stdin.end(JSON.stringify(event));
  });
}

// Ends the program whose request was answered elsewhere; its question leaves the inbox.
function withdraw(id) {
  const child = waiting.get(id);
  if (child === undefined) return;
  waiting.delete(id);
  child.kill('SIGTERM');
}

// The request's own route of OpenCode's server, through the client that it gave to this plugin: that
// one reaches the right instance.
async function post(client, url, body) {
  await client.post({ url, body, headers: { 'content-type': 'application/json' } });
}

async function answerPermission(client, properties, directory) {
  const id = properties.id;
  const answer = await ask(id, { event: 'permission.asked', properties, directory });
  if (answer === null || !['once', 'always', 'reject'].includes(answer.reply)) return;
  const body = { reply: answer.reply };
  if (typeof answer.message === 'string' && answer.message !== '') body.message = answer.message;
  await post(client, `/permission/${encodeURIComponent(id)}/reply`, body);
}

async function answerQuestion(client, properties, directory) {
  const id = properties.id;
  const answer = await ask(id, { event: 'question.asked', properties, directory });
  if (answer === null || !Array.isArray(answer.answers)) return;
  await post(client, `/question/${encodeURIComponent(id)}/reply`, { answers: answer.answers });
}

export const ParleyPlugin = async ({ client, directory }) => {
  // The client of OpenCode wraps the one that can post to any route.
  const raw = client?._client ?? client;
  return {
    // Returns at once: OpenCode waits for its plugins.
    event: async ({ event }) => {
      const properties = event?.properties ?? {};
      switch (event?.type) {
        case 'permission.asked':
          answerPermission(raw, properties, directory).catch(() => {});
          break;
        case 'question.asked':
          answerQuestion(raw, properties, directory).catch(() => {});
          break;
        case 'permission.replied':
        case 'question.replied':
        case 'question.rejected':
          withdraw(properties.requestID);
          break;
        case 'session.idle':
        case 'session.error':
          ask(undefined, { event: event.type, properties, directory });
          break;
      }
    },
  };
};

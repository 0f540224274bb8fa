// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Agents that ask, in three dialects, and people who answer by the API. Each question is repeated with its key
// until its outcome is known, whatever happens to the connection.
import { setTimeout as pause } from 'node:timers/promises';

const kWaitS = 20;
const kHoldMs = 60_000; // for an answer that waits for a person
const kLookMs = 500;
const kShareAnswered = 0.08; // of the open questions, at each look
const kInternalError = -32_603; // of JSON-RPC
const kTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { form: {} } };

// Asks by the Connect call of Agent Assistant.
export async function assistantAsker(world, space) {
  while (!world.isOver) {
    const key = world.name('connect');
    const asked = world.history.asked(space, key);
    const body = {
      ID: key,
      UserToken: space.token,
      Request: { ProjectDirectory: '/p', Question: `${key}?`, Timeout: 80_000 },
    };
    for (;;) {
      const path = '/agentassistproto.SrvAgentAssist/AskQuestion';
      const answer = await world.call('POST', path, { token: space.token, body, patienceMs: kHoldMs });
      if (answer === undefined) continue;
      if (answer.status !== 200) throw new Error(`${key}: ${answer.status} ${answer.text}`);
      const result = answer.json();
      const error = (result.Meta ?? {}).error;
      if (error === 'shutting_down') continue;
      asked.isAcknowledged = true;
      asked.outcomes.push(error === undefined ? result.contents[0].text.text : error);
      break;
    }
  }
}

// Asks by /v1, and waits there.
export async function apiAsker(world, space) {
  while (!world.isOver) {
    const key = world.name('api');
    const asked = world.history.asked(space, key);
    const body = { key, prompt: { text: `${key}?`, timeout_s: 80_000 }, wait: kWaitS };
    for (;;) {
      const answer = await world.call('POST', '/v1/interactions', { token: space.token, body, patienceMs: kHoldMs });
      if (answer === undefined) continue;
      if (answer.status !== 200 && answer.status !== 201) throw new Error(`${key}: ${answer.status} ${answer.text}`);
      asked.isAcknowledged = true;
      const { state, outcome } = answer.json();
      if (state === 'pending') continue;
      asked.outcomes.push(state === 'answered' ? outcome.answer.contents[0].text : state);
      break;
    }
  }
}

// The response in an answer of MCP, which is JSON or a stream of events; undefined: it has none.
function responseOf(text) {
  if (text.startsWith('{')) return JSON.parse(text);
  const data = text.split('\n').filter((line) => line.startsWith('data: {'));
  return data.map((line) => JSON.parse(line.slice('data: '.length))).find(({ id }) => id === 1);
}

// Asks by a task of MCP, and looks after it.
export async function taskAsker(world, space) {
  const mcp = async (method, params) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': kTasks,
    };
    const headers = {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      'Mcp-Name': params.name ?? params.taskId ?? '',
    };
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
    const answer = await world.call('POST', '/mcp', { token: space.token, headers, body });
    if (answer === undefined) return undefined;
    const said = responseOf(answer.text);
    // The stream was cut off, or the database is away.
    if (said === undefined || said.error?.code === kInternalError) return undefined;
    if (said.error !== undefined) throw new Error(`${method}: ${answer.text}`);
    return said.result;
  };
  while (!world.isOver) {
    const question = world.name('mcp');
    const words = { name: 'ask_question', arguments: { project_directory: '/p', question, timeout: 80_000 } };
    const made = await mcp('tools/call', words);
    if (made?.taskId === undefined) continue; // it may be open; whoever answers it has the last word
    const asked = world.history.asked(space, made.taskId);
    asked.isAcknowledged = true;
    for (;;) {
      const task = await mcp('tasks/get', { taskId: made.taskId });
      if (task !== undefined && ['completed', 'failed', 'cancelled'].includes(task.status)) {
        asked.outcomes.push(task.status === 'completed' ? task.result.content[0].text : task.status);
        break;
      }
      await pause(kLookMs * (1 + Math.random()));
    }
  }
}

// A person without a page: answers some of what is open. After isOver everything, until nothing is.
export async function answerer(world, space) {
  for (;;) {
    const wasOver = world.isOver;
    const listed = await world.insist('GET', '/v1/interactions?state=pending', { token: space.token });
    if (listed.status !== 200) throw new Error(`list: ${listed.status} ${listed.text}`);
    const open = listed.json().interactions;
    if (wasOver && space.ended.signal.aborted && open.length === 0) return;
    for (const { key, kind } of open) {
      if (!world.isOver && Math.random() > kShareAnswered) continue;
      const text = kind === 'tool_approval' ? 'Allow' : world.name(`answer to ${key}`);
      const attempt = world.history.attempted(space, key, text);
      const path = `/v1/interactions/${encodeURIComponent(key)}/answer`;
      const receipt = await world.call('POST', path, { token: space.token, body: { text } });
      if (receipt === undefined) continue;
      if (receipt.status !== 200 && receipt.status !== 409)
        throw new Error(`${key}: ${receipt.status} ${receipt.text}`);
      attempt.won = receipt.json().won;
    }
    await pause(kLookMs * (0.5 + Math.random()));
  }
}

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// One maker for each kind of interaction. A made one is {kind, key, secret, asker, ...}: `secret` is a text
// that only readers may see, `asker` the actor that asked (null: the server itself), `window` that it was asked
// as a task of MCP.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { called, prompt, Tab } from './chat.js';
import { dataOf, send } from './routes.js';

const kPatienceMs = 60_000;
const kPauseMs = 10;
export const kForms = { elicitation: { form: {} } };
export const kTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

// A request of revision 2026-07-28; resolves with {status, text}.
export function mcp(server, actor, method, params) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { ...kForms, ...kTasks },
  };
  return send(server, {
    method: 'POST',
    path: '/mcp',
    token: actor.token,
    wrong: !actor.valid,
    headers: {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      'Mcp-Name': params.name ?? params.taskId ?? '',
    },
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
  });
}

export class Questions {
  #server;
  #owner;
  #model;
  #made = 0;
  #children = [];
  #tabs = [];

  // `model`: the default model of the server's runs.
  constructor(server, owner, model) {
    this.#server = server;
    this.#owner = owner;
    this.#model = model;
  }

  // Makes the next run ask for a call whose arguments have the secret.
  #callWith(secret) {
    this.#model.call = { name: 'write_file', arguments: { path: 'a.txt', content: secret } };
  }

  #secret() {
    return `secret-${++this.#made}-of-this-test`;
  }

  async #post(actor, path, body) {
    const answer = await this.#server.call('POST', path, body, actor.token);
    assert.ok(answer.ok, `${path}: ${await answer.clone().text()}`);
    return answer.json();
  }

  // The interaction as the owner sees it.
  async read(thing) {
    const answer = await this.#server.call(
      'GET',
      `/v1/interactions/${encodeURIComponent(thing.key)}`,
      undefined,
      this.#owner.token,
    );
    assert.equal(answer.status, 200, thing.key);
    return answer.json();
  }

  async state(thing) {
    return (await this.read(thing)).state;
  }

  async untilState(thing, state) {
    for (const end = Date.now() + kPatienceMs; (await this.state(thing)) !== state; await pause(kPauseMs)) {
      assert.ok(Date.now() < end, `${thing.kind} ${thing.key} is ${state}`);
    }
  }

  async #untilPending(fits) {
    for (const end = Date.now() + kPatienceMs; ; await pause(kPauseMs)) {
      const answer = await this.#server.call('GET', '/v1/interactions', undefined, this.#owner.token);
      const found = (await answer.json()).interactions.find(fits);
      if (found) return found;
      assert.ok(Date.now() < end, 'the question is in the inbox');
    }
  }

  async #ask(kind, asker) {
    const secret = this.#secret();
    const { key } = await this.#post(asker, '/v1/interactions', { kind, prompt: { text: secret, timeout_s: 3_600 } });
    return { key, secret, asker };
  }

  question = async (asker) => ({ ...(await this.#ask('question', asker)), shape: 'question' });
  report = async (asker) => ({ ...(await this.#ask('task_finish', asker)), shape: 'report' });

  notice = async (asker) => {
    const secret = this.#secret();
    const { key } = await this.#post(asker, '/v1/notices', { title: secret, replace: 'the same' });
    return { key, secret, asker, shape: 'report', notice: true };
  };

  task = async (asker) => {
    const secret = this.#secret();
    const { text } = await mcp(this.#server, asker, 'tools/call', {
      name: 'ask_question',
      arguments: { project_directory: '/p', question: secret },
    });
    return { key: JSON.parse(text).result.taskId, secret, asker, shape: 'question', window: true };
  };

  // The approval of a run that the owner has started.
  approval = async () => {
    const secret = this.#secret();
    this.#callWith(secret);
    const run = await this.#post(this.#owner, '/v1/runs', { message: 'Go on.', approve: 'ask' });
    const { key } = await this.#untilPending((one) => one.key.startsWith(`${run.id}/approval/`));
    return {
      key,
      secret,
      asker: null,
      shape: 'question',
      run: run.id,
      session: run.session_id,
      call: key.split('/').slice(2).join('/'),
    };
  };

  // A question of the agent in a chat.
  asked = async () => {
    const secret = this.#secret();
    this.#model.call = { name: 'ask_question', arguments: { question: secret } };
    const { session, tab } = await this.#chatOf();
    await tab.frame(prompt('AGENT_MESSAGE_BLOCK', 'r'), 'the question');
    const { key } = await this.#untilPending((one) => JSON.stringify(one).includes(secret));
    return { key, secret, asker: null, shape: 'question', session, asks: true };
  };

  // A chat whose first message has begun a run.
  async #chatOf() {
    const session = await dataOf(
      send(this.#server, {
        method: 'POST',
        path: '/api/v1/sessions',
        token: this.#owner.token,
        body: { title: 'chat' },
      }),
    );
    const tab = await Tab.open(this.#server, session, `/api/ws/chat/${session}?token=${this.#owner.token}`);
    this.#tabs.push(tab);
    await tab.send('USER_MESSAGE', 'r', { content: 'Go on.', data: { type: 'USER_MESSAGE' } });
    return { session, tab };
  }

  // The approval of a run in a chat.
  chat = async () => {
    const secret = this.#secret();
    this.#callWith(secret);
    const { session, tab } = await this.#chatOf();
    const { toolCallId } = (await tab.frame(called('r'), 'the call')).data;
    const { key } = await this.#untilPending(
      (one) => one.key.endsWith(`/approval/${toolCallId}`) && JSON.stringify(one).includes(secret),
    );
    return {
      key,
      secret,
      asker: null,
      shape: 'question',
      run: key.split('/')[0],
      session,
      call: toolCallId,
      chat: true,
    };
  };

  // The prompt of `parley hook claude`, which asks with the token of `asker`. `printed` resolves with its output.
  hook = async (asker) => {
    const secret = this.#secret();
    const config = join(this.#server.home, 'hook.toml');
    writeFileSync(
      config,
      `agentassistant_server_base_url = "${this.#server.url}"\nagentassistant_server_token = "${asker.token}"\n`,
    );
    const child = spawn(join(process.env.PARLEY_BIN_DIR, 'parley'), ['hook', 'claude', '--config', config], {
      env: { PATH: process.env.PATH, HOME: this.#server.home },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#children.push(child);
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    child.stdin.end(
      JSON.stringify({
        session_id: secret,
        transcript_path: '/t',
        cwd: '/p',
        permission_mode: 'default',
        hook_event_name: 'PermissionRequest',
        tool_name: 'Bash',
        tool_input: { command: `echo ${secret}` },
      }),
    );
    const { key } = await this.#untilPending((one) => JSON.stringify(one.prompt).includes(secret));
    return { key, secret, asker, shape: 'question', hook: { child, printed: once(child, 'close').then(() => out) } };
  };

  end() {
    for (const child of this.#children) child.kill('SIGKILL');
    for (const tab of this.#tabs) tab.end();
  }
}

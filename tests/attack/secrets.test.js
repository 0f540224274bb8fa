// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Tokens, passwords and keys must not appear in answers, logs or files, also after chats with errors.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { called, prompt, Tab } from './lib/chat.js';
import { dataOf, send } from './lib/routes.js';
import { Server } from './lib/server.js';

const kKey = 'sk-key-of-the-model-0123456789';
const kPassword = 'password of alice 1';
const kGuess = 'password of a guess 2';
const kNew = 'password of tomorrow 3';
const kOfComfy = 'user-of-comfyui:password-of-comfyui';
const kHeaderOfComfy = Buffer.from(kOfComfy).toString('base64');
const kWrong = 'prl_token-that-nobody-has-00000000000000000';

// An HTTP server of which `answer` repeats the credentials of the request, as some servers do in errors.
async function parrot(answer) {
  const seen = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const given = request.headers.authorization ?? '';
    seen.push(given);
    answer(response, given, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    seen,
    url: `http://127.0.0.1:${server.address().port}`,
    end: () => (server.closeAllConnections(), server.close()),
  };
}

// Calls the tool that the last message names, or fails with the caller's key in the message.
function answerAsModel(response, given, body) {
  const last = JSON.parse(body).messages?.at(-1) ?? {};
  const call = /^call (\w+) (\{.*\})/.exec(last.content);
  if (last.role === 'user' && !call) {
    response.writeHead(401, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify({ error: { message: `Incorrect API key provided: ${given}`, code: 'invalid_api_key' } }),
    );
    return;
  }
  const delta =
    call && last.role === 'user'
      ? { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: call[1], arguments: call[2] } }] }
      : { content: 'Done.' };
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: delta.content ? 'stop' : 'tool_calls' }] })}\n\n`,
  );
  response.end('data: [DONE]\n\n');
}

function answerAsComfy(response, given) {
  response.writeHead(401, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ error: { type: 'auth', message: `No such user: ${given} ${kOfComfy}` } }));
}

describe('secrets', () => {
  let server;
  let model;
  let comfy;
  const secrets = new Map([
    ['the key of the model', kKey],
    ['a password', kPassword],
    ['a wrong password', kGuess],
    ['a new password', kNew],
    ['credentials of a ComfyUI server', kOfComfy],
    ['their form in a header', kHeaderOfComfy],
    ['a wrong token', kWrong],
  ]);
  const shown = []; // {where, text}: all output of the server
  const holdsNone = (where, text, except = []) => {
    for (const [what, secret] of secrets) {
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
        assert.ok(
          except.includes(what) || !text.includes(form),
          `${where} holds ${what}: …${text.slice(Math.max(0, text.indexOf(form) - 200), text.indexOf(form) + 200)}…`,
        );
      }
    }
  };
  const ask = async (token, method, path, body, headers) => {
    const answer = await send(server, { method, path, token, body, headers });
    shown.push({ where: `the answer to ${method} ${path.split('?')[0]}`, text: answer.text });
    return answer;
  };
  // A request whose answer legitimately has a secret for its caller.
  const given = (token, method, path, body) => dataOf(send(server, { method, path, token, body }));
  const allowAnd =
    (tab, id) =>
    async ({ data }) => {
      await tab.send('AGENT_TOOL_CALL_RESPONSE', id, {
        data: { toolCallId: data.toolCallId, toolName: data.toolName, isClientTool: false, isAllow: true },
      });
    };

  // Executes one run and allows its tool call.
  const say = async (tab, id, content, more) => {
    await tab.send('USER_MESSAGE', id, { content, data: { type: 'USER_MESSAGE', ...more } });
    const ended = (frame) =>
      prompt('COMPLETE', id)(frame) ||
      (frame.requestId === id && frame.type === 'AGENT_COMPLETE' && frame.data?.type === undefined);
    const first = await tab.frame((frame) => called(id)(frame) || ended(frame), `the end of ${content}`);
    if (called(id)(first)) {
      await allowAnd(tab, id)(first);
      await tab.frame(ended, `the end of ${content}`);
    }
  };

  before(async () => {
    model = await parrot(answerAsModel);
    comfy = await parrot(answerAsComfy);
    server = await Server.start({
      flags: ['--log-level', 'trace'],
      variables: { KEY_OF_MODEL: kKey },
      settings: `[[models.providers]]\nname = "parrot"\nbase_url = "${model.url}/v1"\napi_key_env = "KEY_OF_MODEL"\nmodels = ["words"]\n`,
    });
  });
  after(async () => {
    await server?.end();
    model?.end();
    comfy?.end();
  });

  it('Chats_RunThroughAllFailures', async () => {
    await ask(server.token, 'POST', '/api/v1/users', {
      email: 'alice@example.org',
      username: 'alice',
      password: kPassword,
      roles: ['ADMIN', 'USER'],
    });
    const login = await given('', 'POST', '/api/v1/auth/login', { email: 'alice', password: kPassword });
    await ask('', 'POST', '/api/v1/auth/login', { email: 'alice', password: kGuess });
    const { accessToken } = await given('', 'POST', '/api/v1/auth/refresh', { refreshToken: login.refreshToken });
    const made = JSON.parse(
      (
        await send(server, {
          method: 'POST',
          path: '/v1/tokens',
          token: server.token,
          body: { name: 'made', rights: ['all'] },
        })
      ).text,
    ).token;
    for (const [what, token] of [
      ['the token of the command line', server.token],
      ['a token', made],
      ['an access token', accessToken],
      ['an ended access token', login.accessToken],
      ['a refresh token', login.refreshToken],
    ]) {
      assert.ok(typeof token === 'string' && token.length > 20, what);
      secrets.set(what, token);
    }
    // Tokens in the query, in the header, expired, wrong, and where none is expected.
    for (const token of [login.accessToken, login.refreshToken, kWrong]) {
      await ask('', 'GET', `/api/v1/users/me?token=${token}`);
      await ask(token, 'GET', '/api/v1/users/me', undefined, {});
      await ask('', 'WS', `/ws/chat/session_0?token=${token}`);
      await ask('', 'WS', `/api/ws/chat?sessionCode=session_0&token=${token}`);
      await ask('', 'POST', '/api/v1/auth/refresh', {
        refreshToken: token === login.refreshToken ? `${token}x` : token,
      });
    }
    await ask('', 'GET', `/nowhere?token=${accessToken}`);
    await ask(made, 'PUT', '/api/v1/users/me', { oldPassword: kGuess, newPassword: kNew });
    await ask(
      accessToken,
      'POST',
      '/api/v1/users',
      { email: kPassword, username: accessToken, password: 'x', roles: [kNew] },
      {},
    );
    shown.pop(); // this answer may repeat the request to its sender
    const id = (
      await given(accessToken, 'POST', '/api/v1/comfyui-servers', {
        serverName: 'Pictures',
        baseUrl: comfy.url,
        authMode: 'basic_auth',
        apiKey: kOfComfy,
      })
    ).id;
    await ask(accessToken, 'POST', `/api/v1/comfyui-servers/${id}/health-check`);
    await ask(accessToken, 'GET', `/api/v1/comfyui-servers/${id}/view?filename=a.png&token=${accessToken}`);
    await ask(accessToken, 'GET', `/api/v1/comfyui-servers/${id}`);
    await ask(accessToken, 'PUT', `/api/v1/comfyui-servers/${id}`, {
      baseUrl: `http://${kOfComfy}@127.0.0.1:1`,
      apiKey: kOfComfy,
    });
    await ask(accessToken, 'PUT', `/api/v1/comfyui-servers/${id}`, { apiKey: `${kOfComfy}\nX-More: 1` });
    for (const [token, path, fields] of [
      [accessToken, (code) => `/ws/chat/${code}?token=${accessToken}`],
      [made, (code) => `/api/ws/chat?sessionCode=${code}&token=${made}&detail=tools&after=0`],
      [server.token, (code) => `/api/ws/chat/${code}`, `Authorization: Bearer ${server.token}\r\n`],
    ]) {
      const code = await given(token, 'POST', '/api/v1/sessions', { title: 'A chat', comfyuiServerId: id });
      const tab = await Tab.open(server, code, path(code), fields);
      await say(tab, '1', 'Hello.');
      await say(tab, '2', 'call comfyui_status {}');
      await say(tab, '3', 'call comfyui_models {"folder": "checkpoints"}');
      await say(tab, '4', 'call bash {"command": "env; set"}');
      await tab.send('USER_MESSAGE', '5', { content: 5, data: token });
      const frames = await tab.settled('last');
      assert.ok(frames.some(prompt('ERROR', '1')), JSON.stringify(frames).slice(0, 3000));
      shown.push({ where: `a chat at ${path('S').split('?')[0]}`, text: JSON.stringify(frames) });
      await ask(token, 'GET', `/api/v1/sessions/${code}/messages`);
      for (const run of JSON.parse((await ask(token, 'GET', '/v1/runs')).text).runs) {
        for (const part of ['', '/events', '/checkpoints']) await ask(token, 'GET', `/v1/runs/${run.id}${part}`);
      }
      tab.end();
    }
    assert.ok(
      shown.some(({ text }) => text.includes('PATH=')),
      'a command has told its environment',
    );
    assert.ok(model.seen.includes(`Bearer ${kKey}`), 'the model has been asked with the key');
    assert.ok(comfy.seen.includes(`Basic ${kHeaderOfComfy}`), 'the ComfyUI server has been asked with the credentials');
    for (const path of [
      '/metrics',
      '/healthz',
      '/readyz',
      '/v1/openapi.json',
      '/v1/models',
      '/v1/tokens',
      '/api/v1/models',
      '/api/v1/model-providers',
      '/api/v1/users',
      '/api/v1/comfyui-servers',
    ]) {
      await ask(server.token, 'GET', path);
    }
    await ask(accessToken, 'POST', '/api/v1/auth/logout');
  });

  it('AnswersAndFrames_HoldNoSecret', () => {
    assert.ok(shown.length > 60);
    for (const { where, text } of shown) holdsNone(where, text);
  });

  it('Commands_PrintNoSecret', () => {
    for (const words of [
      ['export'],
      ['session', 'list', '--json'],
      ['token', 'list'],
      ['user', 'list', '--json'],
      ['doctor'],
    ]) {
      let text;
      try {
        text = server.command(...words);
      } catch (error) {
        text = `${error.stdout}${error.stderr}`;
      }
      assert.notEqual(text, '', words.join(' '));
      holdsNone(`parley ${words.join(' ')}`, text);
    }
  });

  it('LogAndFiles_HoldNoSecret', async () => {
    const { log } = server;
    for (const path of ['/ws/chat/session_0', '/api/v1/users/me', '/nowhere', '/api/v1/auth/refresh'])
      assert.ok(log.includes(path), `the log tells of ${path}`);
    await server.stop();
    holdsNone('the log', server.log);
    let files = 0;
    const look = (folder) => {
      for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        if (statSync(path).isDirectory()) look(path);
        else if (name !== 'token' && name !== 'endpoint.json') {
          files += 1;
          const kept = /^comfyui\.db/.test(name) ? ['credentials of a ComfyUI server', 'their form in a header'] : [];
          holdsNone(path, readFileSync(path, 'latin1'), kept);
        }
      }
    };
    look(server.data);
    assert.ok(files > 4, `${files} files`);
  });
});

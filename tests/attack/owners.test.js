// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Access to the data of one user by others, over every route, socket and message that can name it. The
// routes are those of the server's table; a new route that is not classified here fails.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { called, prompt, Tab } from './lib/chat.js';
import { changesState, dataOf, formOf, isMessage, isSocket, pathOf, rows, send } from './lib/routes.js';
import { Server } from './lib/server.js';

const kPassword = 'correct horse 1';
const kSecret = 'of-alice-alone';
const kOfServers = 'user-of-comfyui:password-of-comfyui';

// Prefixes of routes of data with an owner, with the kind of each name in their paths.
const kOwned = {
  '/api/v1/sessions': { sessionCode: 'session' },
  '/api/v1/allowed-tools': { toolName: 'tool' },
  '/api/v1/workflows': { id: 'workflow', versionCode: 'version' },
  '/api/v1/files': { storedName: 'file' },
  '/v1/sessions': { id: 'session' },
  '/v1/interactions': { key: 'question' },
  '/v1/runs': { id: 'run', checkpoint: 'checkpoint' },
  '/v1/run-sessions': { id: 'session' },
};
// Routes without a name in the path that answer each caller with the caller's own data.
const kOfTheCaller = [
  '/v1/me',
  '/api/v1/users/me',
  '/api/v1/permissions',
  '/api/v1/agents/runtime/getUserAgentConfigs',
  '/api/v1/agents/runtime/updateUserAgentConfig',
  '/api/v1/auth/logout',
];
// Routes without an owner: rights alone decide (tests/app/access_test.cpp tests the table of rights).
// ComfyUI servers belong to all users.
const kShared = [
  '/healthz',
  '/health',
  '/readyz',
  '/metrics',
  '/link/changes', // of nodes of a cluster alone: tests/app/cluster_test.cpp
  '/v1/openapi.json',
  '/v1/tls',
  '/ca.crt',
  '/ca.mobileconfig',
  '/v1/models',
  '/v1/agents',
  '/v1/tools',
  '/.well-known',
  '/authorize',
  '/token',
  '/revoke',
  '/register', // tests/mcp/oauth.test.js
  '/api/v1/agents',
  '/api/v1/models',
  '/api/v1/model-providers',
  '/api/v1/comfyui-servers',
  '/api/v1/auth',
];
// Routes of administrators, who may change the data of every user.
const kAdministered = ['/v1/setup', '/v1/rules', '/v1/tailnet', '/v1/tokens', '/v1/notifiers', '/api/v1/users'];
// Routes and sockets whose owners have tests of their own: Agent Assistant, MCP (tests/mcp/http.test.js), notices (src/dialects/api/session), studies, bookings, push
// subscriptions and answer links (tests/e2e/notifications.test.js), the search, whose index follows a moment
// later (src/dialects/api/search/search_test.cpp).
const kElsewhere = [
  '/agentassistproto.',
  '/mcp',
  '/v1/notices',
  '/ws',
  '/agent/ws',
  '/v1/stud',
  '/v1/booking',
  '/loom/ws',
  '/v1/push',
  '/a',
  '/v1/search',
  '/v1/decisions',
  '/v1/statistics',
  '/v1/*',
];
const kChatSockets = ['/ws/chat', '/api/ws/chat', '/api/api/ws/chat'];

const begins = (where, one) =>
  where === one || where.startsWith(one.endsWith('.') || one === '/v1/stud' ? one : `${one}/`);
const isOf = (where, list) => list.some((one) => begins(where, one));

function treatmentOf(row) {
  const [where] = row.where.split(' '); // the socket of a message
  if (isOf(where, kChatSockets)) return 'chat';
  if (isOf(where, kOfTheCaller)) return 'caller';
  if (isOf(where, Object.keys(kOwned))) return 'owned';
  if (isOf(where, kShared)) return 'shared';
  if (isOf(where, kAdministered)) return 'administered';
  return isOf(where, kElsewhere) ? 'elsewhere' : 'unknown';
}

const namesOf = ({ where }) => kOwned[Object.keys(kOwned).find((one) => begins(where, one))] ?? {};
const namesIn = ({ where }) => [...where.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
// The path of a row with the names of `things`.
const pathTo = (row, things) =>
  pathOf(row, Object.fromEntries(namesIn(row).map((name) => [name, things[namesOf(row)[name]]])));

// Bodies that have an effect if the caller is the owner. A function returns the body for given names.
const kContent = { content: '{"nodes":[],"links":[],"taken":1}' };
const kBodies = {
  'PUT /api/v1/sessions/{sessionCode}': { title: 'taken', rules: 'taken' },
  'PUT /api/v1/workflows/{id}': { workflowName: 'taken' },
  'POST /api/v1/workflows/{id}/content': kContent,
  'POST /api/v1/workflows/{id}/versions': kContent,
  'POST /v1/interactions/{key}/answer': { text: 'taken' },
  'POST /v1/interactions/{key}/cancel': {},
  'POST /v1/interactions/{key}/seen': {},
  'POST /v1/interactions/*': {},
  'POST /v1/runs/{id}/cancel': {},
  'POST /v1/runs/{id}/resume': {},
  'POST /v1/runs/{id}/fork': ({ checkpoint }) => ({ checkpoint_id: checkpoint, message: 'taken' }),
  'POST /v1/runs/{id}/approvals': ({ call }) => ({ call_id: call ?? 'no-such-call', allow: true }),
};
const bodyOf = (row, things) => {
  const body = kBodies[`${row.method} ${row.where}`];
  return typeof body === 'function' ? body(things) : body;
};
const kQueries = {
  'GET /api/v1/files/business': '?businessType=chat&businessId=7',
  'GET /api/v1/sessions/active': '?comfyuiServerId=',
};

// An answer as text, without its time stamps and the given names, so that answers can be compared.
function plain({ status, text }, names) {
  let out = text.replace(/"timestamp":"?\d+"?/g, '"timestamp":0');
  for (const name of names) out = out.replaceAll(name, '<name>');
  return `${status} ${out}`;
}

describe('owners', () => {
  let server;
  let others; // name -> token
  let alice; // her token
  let hers; // the names of her data, by kind
  let tab; // her chat, in which a call of her tool waits
  const absent = {
    session: 'session_00000000000000000000000000000000',
    tool: 'no_such_tool',
    workflow: '999999',
    version: 'v9',
    file: '0'.repeat(32),
    question: 'no-such-question',
    run: 'run-00000000-0000-7000-8000-000000000000',
    checkpoint: '00000000-0000-7000-8000-000000000000',
  };
  const ask = (token, method, path, more = {}) => send(server, { method, path, token, ...more });
  const data = (...args) => dataOf(ask(...args));
  const json = async (...args) => JSON.parse((await ask(...args)).text);

  const makeUser = async (name, roles = ['USER']) => {
    await data(server.token, 'POST', '/api/v1/users', {
      body: { email: `${name}@example.org`, username: name, password: kPassword, roles },
    });
    return (await data('', 'POST', '/api/v1/auth/login', { body: { email: name, password: kPassword } })).accessToken;
  };
  const say = (content, requestId, more = {}) =>
    tab.send('USER_MESSAGE', requestId, { content, data: { type: 'USER_MESSAGE', ...more } });

  // Starts three runs in her chat: the first says her secret, the tool of the second is allowed for ever,
  // that of the third waits for her. Returns the id of the waiting call.
  const chat = async (code) => {
    tab = await Tab.open(server, code, `/api/ws/chat/${code}?token=${alice}`);
    await say(`say ${kSecret}`, 'r1');
    await tab.frame(prompt('COMPLETE', 'r1'), 'the end of the first run');
    await say(`write_file {"path": "a.txt", "content": "${kSecret}"}`, 'r2');
    const { toolCallId } = (await tab.frame(called('r2'), 'a question')).data;
    await tab.send('AGENT_TOOL_CALL_RESPONSE', 'r2', {
      data: {
        type: 'AGENT_TOOL_CALL_RESPONSE',
        toolCallId,
        toolName: 'write_file',
        isClientTool: false,
        isAllow: true,
        scope: 'always',
      },
    });
    await tab.frame(prompt('COMPLETE', 'r2'), 'the end of the second run');
    await say('readFile {"path": "b.txt"}', 'r3', {
      toolSchemas: [{ name: 'readFile', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }],
    });
    return (await tab.frame(called('r3'), 'a call of her tool')).data.toolCallId;
  };

  before(async () => {
    server = await Server.start({ flags: ['--log-requests=false'] });
    alice = await makeUser('alice');
    const tokenOf = async (name) =>
      (await json(server.token, 'POST', '/v1/tokens', { body: { name, rights: ['all'] } })).token;
    others = {
      'another user': await makeUser('bob'),
      'an administrator': await makeUser('boss', ['ADMIN', 'USER']),
      'a token of another workspace': await tokenOf('elsewhere'),
    };
    await data(server.token, 'POST', '/api/v1/comfyui-servers', {
      body: { serverName: 'Pictures', baseUrl: 'http://127.0.0.1:9', authMode: 'basic_auth', apiKey: kOfServers },
    });
    const session = await data(alice, 'POST', '/api/v1/sessions', { body: { title: kSecret, rules: kSecret } });
    const call = await chat(session);
    const workflow = (await data(alice, 'POST', '/api/v1/workflows', { body: { workflowName: kSecret } })).id;
    for (const what of ['content', 'versions']) {
      await data(alice, 'POST', `/api/v1/workflows/${workflow}/${what}`, {
        body: { content: `{"nodes":[],"links":[],"note":"${kSecret}"}` },
      });
    }
    const file = (
      await data(
        alice,
        'POST',
        '/api/v1/files/upload?businessType=chat&businessId=7',
        formOf('file', `${kSecret}.txt`, 'text/plain', kSecret),
      )
    ).storedName;
    const config = encodeURIComponent(JSON.stringify({ note: kSecret }));
    await data(
      alice,
      'POST',
      `/api/v1/agents/runtime/updateUserAgentConfig?agentCode=WORKFLOW_CHAT&agentConfig=${config}`,
    );
    const { key } = await json(alice, 'POST', '/v1/interactions', {
      body: { key: 'question-of-alice', prompt: { text: kSecret } },
    });
    const runs = (await json(alice, 'GET', '/v1/runs')).runs.filter((run) => run.session_id === session);
    const said = runs.find(({ message }) => message.includes(`say ${kSecret}`));
    const { checkpoints } = await json(alice, 'GET', `/v1/runs/${said.id}/checkpoints`);
    hers = {
      session,
      tool: 'write_file',
      workflow,
      version: 'v1',
      file,
      question: key,
      run: said.id,
      checkpoint: checkpoints[0].id,
      call,
      waiting: runs.find(({ state }) => state === 'waiting' || state === 'running').id,
    };
    assert.ok(
      Object.values(hers).every((name) => typeof name === 'string' && name !== ''),
      JSON.stringify(hers),
    );
  });

  after(async () => {
    tab?.end();
    await server?.end();
  });

  // All answers about her own data, without counts and times of reading.
  const snapshot = async () => {
    const seen = {};
    for (const row of rows().filter((one) => one.method === 'GET' && ['owned', 'caller'].includes(treatmentOf(one)))) {
      if (/download|\*$|\/v1\/me$|events$/.test(row.where)) continue;
      const { status, text } = await ask(alice, 'GET', pathTo(row, hers) + (kQueries[`GET ${row.where}`] ?? ''));
      seen[row.where] = `${status} ${text.replace(/"timestamp":"\d+"/, '')}`;
    }
    return seen;
  };

  it('EachRoute_HasMatrixRow', () => {
    for (const row of rows()) {
      assert.notEqual(treatmentOf(row), 'unknown', `${row.method} ${row.where}: say in this file whose its things are`);
      if (treatmentOf(row) !== 'owned') continue;
      for (const name of namesIn(row)) assert.ok(namesOf(row)[name], `${row.where}: what does {${name}} name?`);
    }
  });

  it('EachRoute_WithForeignData_AnswersNotFound', async () => {
    const before = await snapshot();
    const list = rows().filter((row) => treatmentOf(row) === 'owned' && namesIn(row).length > 0);
    assert.ok(list.length >= 25, `${list.length} routes`);
    for (const row of list) {
      const route = `${row.method} ${row.where}`;
      assert.equal(
        kBodies[route] !== undefined,
        changesState(row) && row.method !== 'DELETE',
        `${route}: give it a body in kBodies`,
      );
      for (const [who, token] of Object.entries(others)) {
        const answers = [];
        for (const run of [hers.run, hers.waiting]) {
          const things = { ...hers, run };
          const query = row.where.startsWith('/api/v1/allowed-tools')
            ? [`?sessionCode=${hers.session}`, `?sessionCode=${absent.session}`]
            : ['', ''];
          const answer = await ask(token, row.method, pathTo(row, things) + query[0], { body: bodyOf(row, things) });
          const none = await ask(token, row.method, pathTo(row, absent) + query[1], { body: bodyOf(row, absent) });
          assert.equal(plain(answer, Object.values(things)), plain(none, Object.values(absent)), `${route} by ${who}`);
          answers.push(answer);
        }
        for (const { text } of answers) assert.ok(!text.includes(kSecret), `${route} by ${who}: ${text}`);
      }
      const open = await ask('', row.method, pathTo(row, hers), { body: bodyOf(row, hers) });
      assert.equal(open.status, 401, `${route} without a token`);
    }
    assert.deepEqual(await snapshot(), before, 'nothing of hers has changed');
  });

  it('EachList_HidesForeignEntries', async () => {
    const names = [kSecret, hers.session, hers.file, hers.run, hers.waiting, hers.question, 'alice@example.org'];
    const seen = new Set();
    for (const row of rows().filter(
      (one) =>
        one.method === 'GET' && namesIn(one).length === 0 && ['owned', 'caller', 'shared'].includes(treatmentOf(one)),
    )) {
      const path = pathOf(row) + (kQueries[`GET ${row.where}`] ?? '');
      for (const [who, token] of Object.entries(others)) {
        const { text } = await ask(token, 'GET', path);
        for (const name of [...names, ...kOfServers.split(':')])
          assert.ok(!text.includes(name), `${row.where} by ${who} shows ${name}: ${text}`);
      }
      const { text } = await ask(alice, 'GET', path);
      for (const name of kOfServers.split(':')) assert.ok(!text.includes(name), `${row.where} shows ${name}`);
      if (names.some((name) => text.includes(name))) seen.add(row.where);
    }
    for (const where of [
      '/api/v1/sessions',
      '/api/v1/sessions/active',
      '/api/v1/workflows',
      '/api/v1/files/user',
      '/api/v1/files/business',
      '/api/v1/users/me',
      '/api/v1/agents/runtime/getUserAgentConfigs',
      '/v1/sessions',
      '/v1/interactions',
      '/v1/runs',
      '/v1/run-sessions',
    ]) {
      assert.ok(seen.has(where), `${where} shows her what is hers`);
    }
    assert.deepEqual(await data(alice, 'GET', '/api/v1/allowed-tools'), [
      { toolName: 'write_file', source: 'builtin', sessionCode: null },
    ]);
    for (const token of Object.values(others)) assert.deepEqual(await data(token, 'GET', '/api/v1/allowed-tools'), []);
  });

  it('EachSocket_ToForeignChat_IsRefused', async () => {
    const sockets = rows().filter((row) => isSocket(row) && treatmentOf(row) === 'chat');
    assert.ok(sockets.length >= 5);
    for (const row of sockets) {
      const open = (token, code) => {
        const path = row.where.includes('{') ? pathOf(row, { sessionCode: code }) : `${row.where}?sessionCode=${code}`;
        return send(server, { method: 'WS', path, token });
      };
      for (const [who, token] of Object.entries(others)) {
        const answer = await open(token, hers.session);
        assert.equal(answer.status, 403, `${row.where} by ${who}`);
        assert.equal(plain(answer, []), plain(await open(token, absent.session), []), `${row.where} by ${who}`);
      }
      assert.equal((await open('', hers.session)).status, 401, row.where);
      assert.equal((await open(alice, hers.session)).status, 101, row.where);
    }
  });

  // The others use their own chat with her session in the message, or her request id and call id.
  it('EachMessage_OfOtherChat_StaysThere', async () => {
    const messages = rows()
      .filter((row) => isMessage(row) && treatmentOf(row) === 'chat')
      .map(({ where }) => where.split(' ')[1]);
    const answer = {
      type: 'AGENT_TOOL_CALL_RESPONSE',
      toolCallId: hers.call,
      toolName: 'readFile',
      isClientTool: true,
      isMcpTool: false,
      isAllow: true,
      success: true,
      result: 'taken',
    };
    const more = {
      USER_MESSAGE: { content: 'say taken', data: { type: 'USER_MESSAGE', replaces: 'r1' } },
      USER_ORDER: { content: '/clear', data: { type: 'USER_ORDER' } },
      AGENT_TOOL_CALL_RESPONSE: { data: answer },
      INTERRUPT: {},
      PING: {},
    };
    assert.deepEqual(messages.toSorted(), Object.keys(more).toSorted(), 'each message has a place here');
    const before = (await tab.settled('p1')).length;
    for (const [who, token] of Object.entries(others)) {
      const code = await data(token, 'POST', '/api/v1/sessions', { body: { title: 'own' } });
      const own = await Tab.open(server, code, `/api/ws/chat/${code}?token=${token}`);
      for (const type of messages) {
        await own.send(type, 'r3', { ...more[type], sessionCode: hers.session });
        const refused = (await own.settled(`after ${type}`)).filter(prompt('ERROR', 'r3')).at(-1);
        assert.match(refused?.data.message ?? '', /sessionCode/, `${type} with her session by ${who}`);
      }
      for (const type of ['AGENT_TOOL_CALL_RESPONSE', 'INTERRUPT']) await own.send(type, 'r3', more[type]);
      await own.send('USER_MESSAGE', 'r4', more.USER_MESSAGE);
      const frames = await own.frames(prompt('ERROR', 'r4'), 'no message of hers is replaced');
      assert.equal(
        frames.filter(prompt('ERROR', 'r3')).length,
        messages.length + 1,
        `${who}: no call of hers is answered`,
      );
      assert.ok(
        frames.some(({ type, requestId }) => type === 'AGENT_COMPLETE' && requestId === 'r3'),
        `${who}: INTERRUPT of no run of theirs`,
      );
      assert.ok(!JSON.stringify(frames).includes(kSecret));
      own.end();
    }
    assert.equal((await tab.settled('p2')).length, before + 1, 'she was told of nothing');
  });

  // Her session and her runs in requests of other dialects.
  it('EachDialect_HidesForeignSession', async () => {
    for (const [who, token] of Object.entries(others)) {
      const loom = await Tab.open(server, '', `/loom/ws?token=${token}`);
      const requests = (names) => [
        { type: 'attach', run_id: names.run, after: 0 },
        { type: 'cancel_run', run_id: names.waiting ?? names.run },
        { type: 'approve', run_id: names.waiting ?? names.run, call_id: hers.call, allow: true },
      ];
      const answers = [];
      for (const [at, one] of [...requests(hers), ...requests(absent)].entries()) {
        await loom.send(one.type, undefined, { ...one, id: `q${at}` });
        const said = await loom.frame((frame) => frame.id === `q${at}`, one.type);
        answers.push(
          JSON.stringify(said)
            .replaceAll(`q${at}`, 'q')
            .replaceAll(one.run_id, '<run>')
            .replace(/"timestamp":\d+/, ''),
        );
      }
      assert.deepEqual(answers.slice(0, 3), answers.slice(3), `/loom/ws by ${who}`);
      loom.end();
      const begun = await ask(token, 'POST', '/v1/runs', { body: { message: 'say taken', session_id: hers.session } });
      assert.ok(begun.status >= 400, `a run in her session by ${who}: ${begun.text}`);
      assert.ok(!begun.text.includes(kSecret));
    }
  });

  // All requests succeed for the owner, which proves that the names were right.
  it('Owner_MayDoEverything', async () => {
    await tab.send('AGENT_TOOL_CALL_RESPONSE', 'r3', {
      data: {
        type: 'AGENT_TOOL_CALL_RESPONSE',
        toolCallId: hers.call,
        toolName: 'readFile',
        isClientTool: true,
        isAllow: true,
        success: true,
        result: kSecret,
      },
    });
    const frames = await tab.frames(prompt('COMPLETE', 'r3'), 'the end of her run');
    const mine = frames.filter(({ requestId }) => requestId === 'r3');
    assert.ok(mine.some((frame) => frame.type === 'AGENT_STREAM'));
    assert.ok(!JSON.stringify(mine).includes('taken'), 'the answer was hers');
    assert.deepEqual(
      mine.filter((frame) => ['ERROR', 'INTERRUPTED'].includes(frame.data?.promptType)),
      [],
    );
    const list = rows().filter(
      (row) => treatmentOf(row) === 'owned' && namesIn(row).length > 0 && !row.where.endsWith('/*'),
    );
    const rank = (row) =>
      (row.where.startsWith('/v1/') ? 0 : 10) + (row.method === 'GET' ? 0 : row.method === 'DELETE' ? 2 : 1);
    for (const row of list.toSorted((a, b) => rank(a) - rank(b))) {
      if (row.where === '/v1/run-sessions/{id}' && row.method === 'DELETE') continue; // deleted with the chat session below
      const route = `${row.method} ${row.where}`;
      const answer = await ask(alice, row.method, pathTo(row, hers), { body: bodyOf(row, hers) });
      if (row.where.startsWith('/api/v1/') && !row.where.includes('download'))
        assert.equal(JSON.parse(answer.text).code, 200, `${route}: ${answer.text}`);
      if (row.where.startsWith('/api/v1/allowed-tools')) continue;
      const none = await ask(alice, row.method, pathTo(row, absent), { body: bodyOf(row, absent) });
      assert.notEqual(plain(answer, Object.values(hers)), plain(none, Object.values(absent)), route);
    }
    assert.deepEqual(await data(alice, 'GET', '/api/v1/allowed-tools'), []);
  });
});

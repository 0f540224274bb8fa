// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Who may answer, cancel and read: every way to do it, by every kind of token, to every kind of interaction. The
// expectations are computed from the table of docs/security.md. The ways are those of the server's table of
// rights; a new row that is in none of the lists here fails.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { Caller, events } from '../mcp/lib/http.js';
import { encode, frame as schema, textContent } from '../mcp/lib/wire.js';
import { kLoginFlags, makeActors, renewed } from './lib/actors.js';
import { called, prompt, Tab } from './lib/chat.js';
import { kForms, mcp, Questions } from './lib/questions.js';
import { Model } from './lib/model.js';
import { guessAddress, isSocket, rows, send } from './lib/routes.js';
import { Server } from './lib/server.js';
import { Socket } from './lib/wire.js';

const kWords = 'Allow';
const kAccept = { action: 'accept', content: { answer: kWords } };

// --- the ways ------------------------------------------------------------------------------------

const at = (thing, what = '') => `/v1/interactions/${encodeURIComponent(thing.key)}${what}`;
const http = async (server, actor, method, path, body, headers) =>
  (await send(server, { method, path, token: actor.token, wrong: actor.isWrongAt(path), body, headers })).text;
const from = (actor) => (actor.isWrongAt('a socket') ? guessAddress() : undefined);

// A reply of a user interface on /ws; `GetOnlineUsers` marks its end.
async function reply(server, actor, thing, cmd) {
  const socket = await Socket.open(server.port, '/ws', '', from(actor));
  const say = (message) => socket.sendBytes(encode(schema, message));
  const [request, response] =
    cmd === 'AskQuestionReply'
      ? ['AskQuestionRequest', 'AskQuestionResponse']
      : ['TaskFinishRequest', 'TaskFinishResponse'];
  await say({ Cmd: 'UserLogin', StrParam: actor.token, Nickname: 'n' });
  await say({ Cmd: cmd, [request]: { ID: thing.key }, [response]: { ID: thing.key, contents: [textContent(kWords)] } });
  await say({ Cmd: 'GetOnlineUsers' });
  const frames = await socket.frames(
    (all) => all.some(({ opcode, payload }) => opcode === 8 || payload.includes('GetOnlineUsers')),
    'an end',
  );
  socket.end();
  return frames.map(({ payload }) => payload.toString('latin1')).join();
}

async function onSocket(server, actor, path, use) {
  const tab = await Tab.open(server, path.code ?? '', path.where, undefined, from(actor)).catch((error) => error);
  if (tab instanceof Error) return tab.message;
  try {
    return JSON.stringify(await use(tab));
  } finally {
    tab.end();
  }
}

const loom = (message) => (server, actor, thing) =>
  onSocket(server, actor, { where: `/loom/ws?token=${actor.token}` }, async (tab) => {
    await tab.send(undefined, undefined, { id: 'q', ...message(thing) });
    return tab.frame((frame) => frame.id === 'q', 'an answer');
  });

const chat =
  (type, data, shown = called('r')) =>
  (server, actor, thing) =>
    onSocket(
      server,
      actor,
      { code: thing.session, where: `/api/ws/chat/${thing.session}?token=${actor.token}&after=0` },
      async (tab) => {
        await tab.frame(shown, 'the call or the question');
        await tab.send(type, 'r', data(thing));
        return tab.settled('marker');
      },
    );

const askedInChat = prompt('AGENT_MESSAGE_BLOCK', 'r');

// tasks/result of revision 2025-11-25; a form is accepted in the name of the person.
async function awaitResult(server, actor, thing) {
  if (!actor.valid)
    return http(server, actor, 'POST', '/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tasks/result',
      params: { taskId: thing.key },
    });
  const caller = new Caller(server.url, actor.token);
  const begun = await caller.fetch(
    'POST',
    {},
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: kForms, clientInfo: { name: 'c', version: '1' } },
    },
  );
  caller.session = { 'Mcp-Session-Id': begun.headers.get('mcp-session-id'), 'MCP-Protocol-Version': '2025-11-25' };
  const waiting = await caller.legacy('tasks/result', { taskId: thing.key });
  if (!waiting.headers.get('content-type')?.startsWith('text/event-stream')) return waiting.text();
  const all = await events(waiting, (found) => {
    const last = found.at(-1).data;
    if (last?.method === 'elicitation/create')
      void caller.fetch('POST', caller.session, { jsonrpc: '2.0', id: last.id, result: kAccept });
    return last?.result !== undefined || last?.error !== undefined;
  });
  return JSON.stringify(all);
}

const connect = (method, text) => async (server, actor, thing) =>
  http(
    server,
    actor,
    'POST',
    `/agentassistproto.SrvAgentAssist/${method}`,
    { ID: thing.key, Request: { [text]: thing.secret } },
    { 'Connect-Timeout-Ms': '200' },
  );

// What an act is, and who may do it: `effect` is the state that it leaves, none for mere reading.
const kAnswer = { effect: 'answered', may: (actor) => actor.has('answer') };
const owns = (actor, thing) => thing.asker === actor;
const kCancel = { effect: 'cancelled', may: (actor, thing) => actor.has('answer') || owns(actor, thing) };
const inWindow = (effect) => ({ effect, may: (actor, thing) => owns(actor, thing) && thing.window === true });
const kEndRun = { effect: 'cancelled', may: (actor) => actor.has('run') };
const kRead = { may: (actor, thing) => actor.has('read') || owns(actor, thing) };
const asQuestion = ({ shape }) => shape === 'question';
const asReport = ({ shape }) => shape === 'report';
const ofRun = ({ run }) => run !== undefined;
const asked = (shape) => (thing) =>
  thing.shape === shape && thing.asker !== null && !thing.notice && !thing.hook && !thing.window;

// `needs`: the rights beside that of the row, for the socket. `fits`: the kinds that the way can reach; it is tried
// with all others too, unless `only` them. `echoes`: the request repeats the text.
const kWays = {
  'POST /v1/interactions/{key}/answer': {
    ...kAnswer,
    act: (server, actor, thing) => http(server, actor, 'POST', at(thing, '/answer'), { text: kWords }),
  },
  'POST /v1/interactions/{key}/cancel': {
    ...kCancel,
    act: (server, actor, thing) => http(server, actor, 'POST', at(thing, '/cancel'), { reason: 'r' }),
  },
  'GET /v1/interactions/{key}': { ...kRead, act: (server, actor, thing) => http(server, actor, 'GET', at(thing)) },
  'POST /v1/interactions': {
    ...kRead,
    echoes: true,
    fits: ({ run, session }) => run === undefined && session === undefined,
    act: async (server, actor, thing, { kind, prompt: text }) =>
      http(server, actor, 'POST', '/v1/interactions', { key: thing.key, kind, prompt: text }),
  },
  'POST /v1/notices': {
    ...kCancel,
    only: ({ notice, ended }) => notice === true && !ended,
    act: (server, actor) => http(server, actor, 'POST', '/v1/notices', { title: 'another', replace: 'the same' }),
  },
  'POST /v1/runs/{id}/approvals': {
    ...kAnswer,
    only: ofRun,
    act: (server, actor, thing) =>
      http(server, actor, 'POST', `/v1/runs/${thing.run}/approvals`, { call_id: thing.call, allow: true }),
  },
  'POST /v1/runs/{id}/cancel': {
    ...kEndRun,
    only: ofRun,
    act: (server, actor, thing) => http(server, actor, 'POST', `/v1/runs/${thing.run}/cancel`, {}),
  },
  'POST /agentassistproto.SrvAgentAssist/AskQuestion': {
    ...kRead,
    echoes: true,
    fits: asked('question'),
    act: connect('AskQuestion', 'Question'),
  },
  'POST /agentassistproto.SrvAgentAssist/TaskFinish': {
    ...kRead,
    echoes: true,
    fits: asked('report'),
    act: connect('TaskFinish', 'Summary'),
  },
  'POST /agentassistproto.SrvAgentAssist/WorkReport': {
    ...kRead,
    echoes: true,
    fits: asked('report'),
    act: connect('WorkReport', 'Summary'),
  },
  'message /ws AskQuestionReply': {
    ...kAnswer,
    needs: 'read',
    fits: asQuestion,
    act: (...args) => reply(...args.slice(0, 3), 'AskQuestionReply'),
  },
  'message /ws TaskFinishReply': {
    ...kAnswer,
    needs: 'read',
    fits: asReport,
    act: (...args) => reply(...args.slice(0, 3), 'TaskFinishReply'),
  },
  'message /ws WorkReportReply': {
    ...kAnswer,
    needs: 'read',
    fits: asReport,
    act: (...args) => reply(...args.slice(0, 3), 'WorkReportReply'),
  },
  'message /loom/ws approve': {
    ...kAnswer,
    needs: 'read',
    only: ofRun,
    act: loom(({ run, call }) => ({ type: 'approve', run_id: run, call_id: call, allow: true })),
  },
  'message /loom/ws cancel_run': {
    ...kEndRun,
    needs: 'read',
    only: ofRun,
    act: loom(({ run }) => ({ type: 'cancel_run', run_id: run })),
  },
  'message /ws/chat AGENT_TOOL_CALL_RESPONSE': {
    ...kAnswer,
    needs: 'read',
    only: (thing) => thing.chat === true,
    act: chat('AGENT_TOOL_CALL_RESPONSE', ({ call }) => ({
      data: {
        type: 'AGENT_TOOL_CALL_RESPONSE',
        toolCallId: call,
        toolName: 'write_file',
        isClientTool: false,
        isAllow: true,
      },
    })),
  },
  'message /ws/chat USER_MESSAGE': {
    effect: 'answered',
    may: (actor) => actor.has('answer'),
    needs: 'read',
    only: (thing) => thing.asks === true,
    act: chat('USER_MESSAGE', () => ({ content: kWords, data: { type: 'USER_MESSAGE' } }), askedInChat),
  },
  'message /ws/chat INTERRUPT': {
    ...kEndRun,
    needs: 'read',
    only: (thing) => thing.chat === true,
    act: chat('INTERRUPT', () => ({})),
  },
  'message /ws/chat USER_ORDER': {
    ...kEndRun,
    needs: 'read',
    only: (thing) => thing.asks === true,
    act: chat('USER_ORDER', () => ({ content: '/clear' }), askedInChat),
  },
  'message /mcp tasks/get': {
    ...inWindow(undefined),
    act: async (server, actor, thing) => (await mcp(server, actor, 'tasks/get', { taskId: thing.key })).text,
  },
  'message /mcp tasks/update': {
    ...inWindow('answered'),
    act: async (server, actor, thing) =>
      (await mcp(server, actor, 'tasks/update', { taskId: thing.key, inputResponses: { answer: kAccept } })).text,
  },
  'message /mcp tasks/cancel': {
    ...inWindow('cancelled'),
    act: async (server, actor, thing) => (await mcp(server, actor, 'tasks/cancel', { taskId: thing.key })).text,
  },
  'message /mcp tasks/result': { ...inWindow('answered'), act: awaitResult },
};

// Rows that end no interaction and show none without the right `read`. GET changes nothing.
const kOthers = [
  /^WS /,
  /^GET /, // each GET that shows an interaction needs `read` (tests/app/access_test.cpp)
  /^POST \/agentassistproto\.SrvAgentAssist\/(SendMcpClientInfo|\*)$/,
  /^message \/ws (UserLogin|CheckMessageValidity|GetPendingMessages|GetOnlineUsers|SendChatMessage|Forward\w+|Answering)$/,
  /^(POST|DELETE) \/mcp$/,
  /^message \/mcp (tools\/call|tasks\/list|resources\/\S+|completion\/complete)$/,
  /^POST \/(authorize|token|revoke|register)$/,
  /^POST \/v1\/tailnet$/,
  /^POST \/link\/changes$/, // of other nodes of a cluster
  /^POST \/v1\/interactions\/(\*|\{key\}\/seen)$/,
  /^POST \/a\/\{secret\}$/, // needs no token: below
  /^\w+ \/v1\/(notifiers|push|tokens|rules|study-kit|booking)\//,
  /^POST \/v1\/(tokens|rules|push\/subscriptions)$/,
  /^POST \/v1\/runs$/,
  /^POST \/v1\/runs\/\{id\}\/(resume|fork)$/,
  /^DELETE \/v1\/run-sessions\/\{id\}$/,
  /^message \/loom\/ws (run|attach|ping|tools_list|tool_show|user_messages|agent_list|list_models|set_model|workspace_\w+)$/,
  /^message \/ws\/chat PING$/,
  /^\w+ \/api\/v1\/(sessions|allowed-tools|auth|users|agents|models|model-providers|workflows|files|comfyui-servers)(\/.*)?$/,
  /^\w+ \/health$/,
];

const nameOf = (row) => `${row.method} ${row.where}`;
const rightOf = (name) => /`([a-z-]+)`/.exec(rows().find((row) => nameOf(row) === name).need)?.[1];

describe('acts on interactions', () => {
  let model;
  let server;
  let owner;
  let asker;
  let all;
  let questions;

  before(async () => {
    model = await Model.start();
    server = await Server.start({
      settings: model.settings,
      flags: ['--log-requests=false', '--mcp-ask', 'elicit', ...kLoginFlags],
    });
    ({ owner, asker, all } = await makeActors(server));
    questions = new Questions(server, owner, model);
  });
  after(async () => {
    questions?.end();
    await server?.end();
    await model?.end();
  });

  // True if `actor` gets past the table of rights.
  const enters = (actor, name) =>
    actor.valid &&
    actor.ours &&
    (!actor.onlyMcp || name.includes('/mcp')) &&
    actor.rights.has(rightOf(name)) &&
    (kWays[name].needs === undefined || actor.rights.has(kWays[name].needs));
  const mayDo = (actor, name, thing) =>
    enters(actor, name) && (kWays[name].fits ?? (() => true))(thing) && kWays[name].may(actor, thing);

  // The kinds, with the way to make one. `own`: by the actor itself, if it can ask.
  const kinds = () => ({
    'question of another token': () => questions.question(asker),
    'report of another token': () => questions.report(asker),
    'notice of another token': () => questions.notice(asker),
    'task of another token': () => questions.task(asker),
    'prompt of a hook': () => questions.hook(asker),
    'approval of a run': () => questions.approval(),
    'approval in a chat': () => questions.chat(),
    'question in a chat': () => questions.asked(),
  });
  const ownKinds = { 'own question': 'question', 'own report': 'report', 'own notice': 'notice', 'own task': 'task' };
  const canAsk = (actor, kind) => actor.has('ask') && (!actor.onlyMcp || kind === 'task');

  const seen = new Set(); // ways that had an effect, or showed a text, as they should

  // One act. A refused one leaves the interaction as it is and shows nothing of it.
  async function attempt(actor, name, kind, thing, state = 'pending') {
    const way = kWays[name];
    const what = `${name} by "${actor}" to "${kind}"`;
    const view = await questions.read(thing);
    assert.equal(view.state, state, `before ${what}`);
    const text = await way.act(server, actor, thing, view);
    const may = mayDo(actor, name, thing);
    if (may && way.effect !== undefined && state === 'pending') {
      await questions.untilState(thing, way.effect).catch((error) => assert.fail(`${what}: ${error.message}; ${text}`));
      thing.ended = true;
      return seen.add(name);
    }
    assert.equal(await questions.state(thing), state, `${what}: ${text}`);
    const shows =
      text.includes(way.echoes ? view.id : thing.secret) || (thing.answer !== undefined && text.includes(thing.answer));
    const reads = kRead.may(actor, thing) && !actor.onlyMcp && !name.includes('/mcp');
    if (shows) assert.ok(may || reads, `${what} shows ${text}`);
    if (shows && may && way.effect === undefined) seen.add(name);
    if (!shows && may && way.effect === undefined && kRead.may(actor, thing) && state !== 'pending')
      assert.fail(`${what} shows nothing: ${text}`);
  }

  // Another workspace that repeats a request asks a question of its own (src/dialects/assistant/isolation_test.cpp).
  const isFor = (way, actor, thing) => (way.only === undefined || way.only(thing)) && (actor.ours || !way.echoes);

  // Wrong tokens are slowed down by their address: two kinds are enough for them.
  const isTried = (actor, kind) =>
    actor.valid ||
    kind === 'question of another token' ||
    kind === 'approval of a run' ||
    kind === 'approval in a chat' ||
    kind === 'question in a chat';

  it('EachRow_IsInAList', () => {
    for (const row of rows().filter((one) => !isSocket(one))) {
      const name = nameOf(row);
      const listed = kWays[name] !== undefined || kOthers.some((one) => one.test(name));
      assert.ok(listed, `${name}: say in this file whether it answers, cancels or shows interactions`);
    }
    for (const name of Object.keys(kWays))
      assert.ok(
        rows().some((row) => nameOf(row) === name),
        `${name} is no row`,
      );
  });

  for (const kind of [
    'question of another token',
    'report of another token',
    'notice of another token',
    'task of another token',
    'prompt of a hook',
    'approval of a run',
    'approval in a chat',
    'question in a chat',
  ]) {
    it(`Pending: ${kind}`, async () => {
      let thing;
      for (const [name, way] of Object.entries(kWays)) {
        for (const actor of [...all, asker].filter((one) => isTried(one, kind))) {
          if (thing === undefined || thing.ended) thing = { kind, ...(await kinds()[kind]()) };
          if (!isFor(way, actor, thing)) continue;
          await attempt(actor, name, kind, thing);
        }
      }
    });
  }

  for (const [kind, made] of Object.entries(ownKinds)) {
    it(`Pending: ${kind}`, async () => {
      for (const actor of all.filter((one) => canAsk(one, made))) {
        let thing;
        for (const [name, way] of Object.entries(kWays)) {
          if (thing === undefined || thing.ended) thing = { kind, ...(await questions[made](actor)) };
          if (!isFor(way, actor, thing)) continue;
          await attempt(actor, name, kind, thing);
        }
      }
    });
  }

  for (const kind of [
    'question of another token',
    'report of another token',
    'task of another token',
    'approval of a run',
  ]) {
    it(`Ended: ${kind}`, async () => {
      const thing = { kind, ...(await kinds()[kind]()), answer: `Deny: answer-of-${kind.replaceAll(' ', '-')}` };
      assert.equal((await server.call('POST', at(thing, '/answer'), { text: thing.answer }, owner.token)).status, 200);
      await questions.untilState(thing, 'answered'); // an approval is answered in its run first
      thing.ended = true;
      for (const [name, way] of Object.entries(kWays)) {
        for (const actor of [...all, asker].filter((one) => isTried(one, kind))) {
          if (!isFor(way, actor, thing)) continue;
          await attempt(actor, name, kind, thing, 'answered');
        }
      }
    });
  }

  it('EachWay_HasHadItsEffect', () => {
    for (const name of Object.keys(kWays))
      assert.ok(seen.has(name), `${name} never succeeded, so its refusals prove nothing`);
  });

  it('Hook_ObeysPeopleAlone', async () => {
    const thing = { kind: 'prompt of a hook', ...(await questions.hook(asker)) };
    for (const actor of all.filter((one) => one.valid && !one.has('answer'))) {
      for (const name of [
        'message /mcp tasks/update',
        'message /mcp tasks/result',
        'POST /v1/interactions/{key}/answer',
      ])
        await attempt(actor, name, thing.kind, thing);
    }
    assert.equal((await server.call('POST', at(thing, '/answer'), { text: 'Allow once' }, owner.token)).status, 200);
    assert.match(await thing.hook.printed, /"behavior":"allow"/);
  });

  it('HookThatEnds_TakesItsPromptAlong', async () => {
    const thing = { kind: 'prompt of a hook', ...(await questions.hook(asker)) };
    thing.hook.child.kill('SIGTERM');
    await questions.untilState(thing, 'cancelled');
  });

  it('RenewedLogin_IsTheSameAsker', async () => {
    const agent = all.find((one) => one.onlyMcp);
    const thing = await questions.task(agent);
    agent.tokens = await renewed(server, agent.tokens);
    agent.token = agent.tokens.access_token;
    await attempt(agent, 'message /mcp tasks/update', 'own task', thing);
  });
});

// The secret of a link is an authority of its own, for one answer to one interaction.
describe('answer links', () => {
  let model;
  let receiver; // of the notices
  let server;
  let questions;
  const notices = [];

  before(async () => {
    receiver = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request.setEncoding('utf8')) body += piece;
      notices.push(JSON.parse(body));
      receiver.emit('notice');
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    model = await Model.start();
    const webhook = `[[notify.webhook]]\nname = "hook"\nurl = "http://127.0.0.1:${receiver.address().port}/in"\nsecret = "a-secret-of-this-test"\n`;
    server = await Server.start({ settings: model.settings + webhook });
    questions = new Questions(server, { token: server.token }, model);
  });
  after(async () => {
    await server?.end();
    await model?.end();
    receiver.closeAllConnections();
    receiver.close();
  });

  const noticeOf = async (thing) => {
    for (;;) {
      const found = notices.find(({ key }) => key === thing.key);
      if (found) return found;
      await once(receiver, 'notice', { signal: AbortSignal.timeout(20_000) });
    }
  };
  const use = (url) =>
    send(server, {
      method: 'POST',
      path: new URL(url).pathname,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: '',
    });

  it('Link_AnswersItsInteractionAlone_Once', async () => {
    const first = await questions.approval();
    const second = await questions.approval();
    const [allow, deny] = (await noticeOf(first)).options.map(({ url }) => url);
    assert.equal((await use(`${allow.slice(0, -4)}AAAA`)).status, 404, 'another secret');
    assert.equal(await questions.state(first), 'pending');
    assert.equal((await use(deny)).status, 200);
    await questions.untilState(first, 'answered');
    assert.ok((await use(allow)).status >= 400, 'one answer only');
    assert.ok((await use(deny)).status >= 400, 'once only');
    assert.match((await questions.read(first)).outcome.answer.contents[0].text, /^Deny/);
    assert.equal(await questions.state(second), 'pending', 'no other interaction');
  });
});

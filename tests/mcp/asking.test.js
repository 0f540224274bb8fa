// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The ways in which a client of MCP over HTTP waits for a person: tasks, its own window, a held call. Each survives
// the sudden end of the server.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { httpClients } from './lib/clients.js';
import { Caller, answerOf, asking, events, kToken, startServer } from './lib/http.js';
import { Home } from './lib/programs.js';
import { Ui } from './lib/ui.js';

const kTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const kForms = { elicitation: {} };
const textOf = (result) => result.content[0].text;
const choice = (question) =>
  asking(question, {
    arguments: {
      project_directory: '/p',
      questions: [
        {
          question,
          header: 'Colour',
          options: [{ label: 'red' }, { label: 'blue', description: 'as the sky' }],
          custom: false,
        },
      ],
    },
  });

let home;
let server;
let ui;
let caller;

async function begin(args = []) {
  home = new Home();
  server = await startServer(home, { args });
  ui = await Ui.login(server.url, kToken);
  caller = new Caller(server.url);
}
// Ends the server as a loss of power does, and starts it again at the same address.
async function restart(args = []) {
  ui.close();
  await server.kill();
  server = await startServer(home, { listen: server.listen, args });
  ui = await Ui.login(server.url, kToken);
}
// Waits until no question of the server waits for an answer.
async function nothingPends() {
  const look = async () =>
    (
      await fetch(new URL('/v1/interactions?state=pending', server.url), {
        headers: { Authorization: `Bearer ${kToken}` },
      })
    ).json();
  await until(look, ({ interactions }) => interactions.length === 0);
}
async function end() {
  ui.close();
  await server.kill();
  home.remove();
}

describe('tasks of revision 2026-07-28', () => {
  beforeEach(() => begin());
  afterEach(end);
  const request = async (method, params, capabilities = kTasks) =>
    answerOf(await caller.modern(method, params, { capabilities }));
  const start = async (question) => (await request('tools/call', asking(question))).result;
  const get = async (taskId) => (await request('tasks/get', { taskId })).result;

  test('a task works, is answered and completes', async () => {
    const task = await start('ready?');
    assert.equal(task.resultType, 'task');
    assert.equal(task.status, 'working');
    assert.equal(task.content, undefined);
    assert.equal((await get(task.taskId)).status, 'working');
    ui.answer(await ui.question('ready?'), 'ready');
    const done = await until(
      () => get(task.taskId),
      ({ status }) => status === 'completed',
    );
    assert.equal(done.resultType, 'complete');
    assert.equal(textOf(done.result), 'ready');
  });

  test('a task outlives the end of the server', async () => {
    const { taskId } = await start('still?');
    await ui.question('still?');
    await restart();
    assert.equal((await get(taskId)).status, 'working');
    ui.answer(await ui.question('still?'), 'still');
    const done = await until(
      () => get(taskId),
      ({ status }) => status === 'completed',
    );
    assert.equal(textOf(done.result), 'still');
  });

  test('a cancelled task takes its question along', async () => {
    const { taskId } = await start('never mind');
    await ui.question('never mind');
    assert.deepEqual((await request('tasks/cancel', { taskId })).result.resultType, 'complete');
    await ui.until((each) => each.Cmd === 'RequestCancelled');
    assert.equal((await get(taskId)).status, 'cancelled');
    assert.equal((await request('tasks/cancel', { taskId })).result.resultType, 'complete');
  });

  test('a listening client is told the end of a task', async () => {
    const { taskId } = await start('soon?');
    const listening = await caller.modern(
      'subscriptions/listen',
      { notifications: { taskIds: [taskId] } },
      { capabilities: kTasks },
    );
    const told = events(listening, (found) => found.length === 2);
    ui.answer(await ui.question('soon?'), 'now');
    const [acknowledged, notified] = (await told).map(({ data }) => data);
    assert.equal(acknowledged.method, 'notifications/subscriptions/acknowledged');
    assert.equal(notified.method, 'notifications/tasks');
    assert.equal(notified.params.status, 'completed');
    assert.equal(textOf(notified.params.result), 'now');
  });

  test('tasks need the capability, and a known id of this token', async () => {
    const { taskId } = await start('mine?');
    const bare = await request('tasks/get', { taskId }, {});
    assert.equal(bare.error.code, -32021);
    assert.ok(bare.error.data.requiredCapabilities.extensions['io.modelcontextprotocol/tasks']);
    assert.equal((await request('tasks/get', { taskId: 'task-unknown' })).error.code, -32602);
    const made = await fetch(new URL('/v1/tokens', server.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${kToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'other' }),
    });
    const other = new Caller(server.url, (await made.json()).token);
    const foreign = await answerOf(await other.modern('tasks/get', { taskId }, { capabilities: kTasks }));
    assert.equal(foreign.error.code, -32602);
    assert.equal((await request('tasks/list', {})).error.code, -32601);
  });
});

describe('tasks of revision 2025-11-25', () => {
  beforeEach(async () => {
    await begin();
    await caller.initialize();
  });
  afterEach(end);
  const request = async (method, params) => answerOf(await caller.legacy(method, params));
  const start = async (question) =>
    (await request('tools/call', asking(question, { task: { ttl: 60_000 } }))).result.task;

  test('the result waits for the person', async () => {
    const { taskId, status } = await start('ready?');
    assert.equal(status, 'working');
    const result = request('tasks/result', { taskId });
    ui.answer(await ui.question('ready?'), 'ready');
    const {
      result: { content, _meta },
    } = await result;
    assert.equal(content[0].text, 'ready');
    assert.deepEqual(_meta['io.modelcontextprotocol/related-task'], { taskId });
    assert.equal((await request('tasks/get', { taskId })).result.status, 'completed');
  });

  test('tasks are listed and cancelled', async () => {
    const first = await start('one?');
    const second = await start('two?');
    const { tasks } = (await request('tasks/list')).result;
    assert.deepEqual(
      tasks.map(({ taskId }) => taskId),
      [second.taskId, first.taskId],
    );
    assert.equal((await request('tasks/cancel', { taskId: first.taskId })).result.status, 'cancelled');
    assert.equal((await request('tasks/cancel', { taskId: first.taskId })).error.code, -32602);
  });

  test('the tools say that they may be tasks', async () => {
    const { tools } = (await request('tools/list')).result;
    assert.deepEqual(
      tools.map(({ execution }) => execution.taskSupport),
      ['optional', 'optional', 'optional'],
    );
  });
});

describe('a held call', () => {
  beforeEach(() => begin());
  afterEach(end);

  test('a call cut by the end of the server is taken over', async () => {
    const cut = caller
      .modern('tools/call', asking('cut?'))
      .then((response) => events(response))
      .catch(() => []);
    await ui.question('cut?');
    await restart();
    await cut;
    const first = await ui.question('cut?');
    ui.answer(first, 'before the second call');
    await nothingPends();
    const again = await answerOf(await caller.modern('tools/call', asking('cut?')));
    assert.equal(textOf(again.result), 'before the second call');
    // Once only: a third call is a new question.
    const third = caller.modern('tools/call', asking('cut?')).then(answerOf);
    const { AskQuestionRequest } = await ui.until(
      (each) => each.AskQuestionRequest && each.AskQuestionRequest.ID !== first.ID,
    );
    ui.answer(AskQuestionRequest, 'anew');
    assert.equal(textOf((await third).result), 'anew');
  });

  test('a cut call is not taken over by another token', async () => {
    const made = await fetch(new URL('/v1/tokens', server.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${kToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'other', rights: ['ask'], same_workspace: true }),
    });
    const other = new Caller(server.url, (await made.json()).token);
    const cut = caller
      .modern('tools/call', asking('whose?'))
      .then((response) => events(response))
      .catch(() => []);
    const first = await ui.question('whose?');
    await restart();
    await cut;
    const foreign = other.modern('tools/call', asking('whose?')).then(answerOf);
    const { AskQuestionRequest } = await ui.until(
      (each) => each.AskQuestionRequest && each.AskQuestionRequest.ID !== first.ID,
    );
    ui.answer(first, 'for the asker');
    ui.answer(AskQuestionRequest, 'for the other');
    assert.equal(textOf((await foreign).result), 'for the other');
    const again = await answerOf(await caller.modern('tools/call', asking('whose?')));
    assert.equal(textOf(again.result), 'for the asker');
  });

  test('a cut call is not taken over after its deadline', async () => {
    const short = asking('short?', { arguments: { project_directory: '/p', question: 'short?', timeout: 5 } });
    void caller.modern('tools/call', short).catch(() => undefined);
    const { ID } = await ui.question('short?');
    await restart();
    await nothingPends(); // its five seconds are over
    const again = caller.modern('tools/call', short).then(answerOf);
    const { AskQuestionRequest } = await ui.until(
      (each) => each.AskQuestionRequest && each.AskQuestionRequest.ID !== ID,
    );
    ui.answer(AskQuestionRequest, 'anew');
    assert.equal(textOf((await again).result), 'anew');
  });
});

describe('a held call in slices', () => {
  beforeEach(() => begin(['--mcp-slice', '1s']));
  afterEach(end);

  test('the client calls again with the state until there is an answer', async () => {
    const request = async (params) => (await answerOf(await caller.modern('tools/call', params))).result;
    const first = await request(asking('slowly'));
    assert.equal(first.resultType, 'input_required');
    assert.equal(first.inputRequests, undefined);
    const second = await request({ ...asking('slowly'), requestState: first.requestState });
    assert.equal(second.resultType, 'input_required');
    const third = request({ ...asking('slowly'), requestState: second.requestState });
    ui.answer(await ui.question('slowly'), 'at last');
    assert.equal(textOf(await third), 'at last');
  });
});

const kElicit = ['--mcp-ask', 'elicit'];
for (const { name, connect, call, revision } of httpClients) {
  describe(`the window of ${name}`, () => {
    let client;
    let shown;
    let reply;
    beforeEach(async () => {
      await begin(kElicit);
      shown = [];
      client = await connect(server.url, kToken, { capabilities: { elicitation: { form: {} } } }, (made) => {
        const handler = async ({ params }) => {
          shown.push(params);
          return reply();
        };
        made.setRequestHandler(
          revision === '2025-11-25' && name.startsWith('sdk') ? ElicitRequestSchema : 'elicitation/create',
          handler,
        );
      });
    });
    afterEach(async () => {
      await client.close();
      await end();
    });

    test('a form answers the question, also in the inbox', async () => {
      reply = () => ({ action: 'accept', content: { answer: 'blue' } });
      assert.equal(textOf(await call(client, choice('Which?'))), 'blue');
      const [form] = shown;
      assert.equal(form.message, 'Which?');
      assert.deepEqual(form.requestedSchema.required, ['answer']);
      assert.deepEqual(
        form.requestedSchema.properties.answer.oneOf.map((each) => each.const),
        ['red', 'blue'],
      );
      await ui.until(
        (each) => each.Cmd === 'AskQuestionReply' || each.Cmd === 'RequestAnswered' || each.AskQuestionResponse,
      );
    });

    test('a window that declines by itself leaves the inbox', async () => {
      reply = () => ({ action: 'decline' });
      const asked = call(client, choice('And now?'));
      ui.answer(await ui.question('And now?'), 'red');
      assert.equal(textOf(await asked), 'red');
    });
  });
}

describe('tasks in the agent’s window', () => {
  beforeEach(() => begin(kElicit));
  afterEach(end);
  const kAccept = { action: 'accept', content: { answer: 'blue' } };

  test('revision 2025-11-25: the form comes with the wait for the result', async () => {
    await caller.initialize({ capabilities: kForms });
    const { task } = (await answerOf(await caller.legacy('tools/call', { ...choice('Which?'), task: {} }))).result;
    assert.equal(task.status, 'input_required');
    const waiting = await caller.legacy('tasks/result', { taskId: task.taskId });
    const answers = [];
    const all = events(waiting, (found) => {
      const form = found.at(-1).data;
      if (form?.method !== 'elicitation/create') return false;
      answers.push(form);
      void caller.fetch('POST', caller.session, { jsonrpc: '2.0', id: form.id, result: kAccept });
      return false;
    });
    const last = (await all).at(-1).data;
    assert.deepEqual(answers[0].params._meta['io.modelcontextprotocol/related-task'], { taskId: task.taskId });
    assert.equal(textOf(last.result), 'blue');
    assert.equal(
      (await answerOf(await caller.legacy('tasks/get', { taskId: task.taskId }))).result.status,
      'completed',
    );
  });

  test('revision 2026-07-28: the form is in the task, and an update answers it', async () => {
    const capabilities = { ...kTasks, ...kForms };
    const request = async (method, params) =>
      (await answerOf(await caller.modern(method, params, { capabilities }))).result;
    const { taskId } = await request('tools/call', choice('Which?'));
    const asks = await request('tasks/get', { taskId });
    assert.equal(asks.status, 'input_required');
    assert.equal(asks.inputRequests.answer.method, 'elicitation/create');
    await request('tasks/update', { taskId, inputResponses: { answer: kAccept, unknown: {} } });
    const done = await until(
      () => request('tasks/get', { taskId }),
      ({ status }) => status === 'completed',
    );
    assert.equal(textOf(done.result), 'blue');
    assert.equal(done.inputRequests, undefined);
  });

  test('revision 2026-07-28: an answer to a form that was not offered is ignored, as the standard asks', async () => {
    const request = async (method, params, capabilities) =>
      (await answerOf(await caller.modern(method, params, { capabilities }))).result;
    const { taskId } = await request('tools/call', choice('Which?'), { ...kTasks, ...kForms });
    const other = await request(
      'tasks/update',
      { taskId, inputResponses: { other: kAccept } },
      { ...kTasks, ...kForms },
    );
    assert.equal(other.resultType, 'complete');
    await request('tasks/update', { taskId, inputResponses: { answer: kAccept } }, kTasks);
    assert.equal((await request('tasks/get', { taskId }, { ...kTasks, ...kForms })).status, 'input_required');
  });
});

describe('links in the agent’s window', () => {
  beforeEach(() => begin([...kElicit, '--public-url', 'https://parley.example']));
  afterEach(end);
  const kLinks = { elicitation: { url: {} } };

  test('revision 2025-11-25: a link, and word when its page is done', async () => {
    await caller.initialize({ capabilities: kLinks });
    const asked = await caller.legacy('tools/call', asking('Which?'));
    let id;
    const all = events(asked, (found) => {
      const shown = found.at(-1).data;
      if (shown?.method === 'elicitation/create') {
        ({ id } = shown);
        assert.equal(shown.params.mode, 'url');
        assert.match(
          shown.params.url,
          new RegExp(`^https://parley.example/#/inbox/item/${shown.params.elicitationId}$`),
        );
        void caller.fetch('POST', caller.session, { jsonrpc: '2.0', id, result: { action: 'accept' } });
      }
      return false;
    });
    const question = await ui.question('Which?');
    await until(
      async () => id,
      (known) => known !== undefined,
    );
    ui.answer(question, 'that');
    const messages = (await all).map(({ data }) => data);
    const complete = messages.find((each) => each?.method === 'notifications/elicitation/complete');
    assert.equal(complete.params.elicitationId, question.ID);
    assert.equal(textOf(messages.at(-1).result), 'that');
  });

  test('revision 2026-07-28: a link, then the call waits for the page', async () => {
    const request = async (params) => answerOf(await caller.modern('tools/call', params, { capabilities: kLinks }));
    const {
      result: { inputRequests, requestState },
    } = await request(asking('Which?'));
    assert.equal(inputRequests.answer.params.mode, 'url');
    const waiting = request({ ...asking('Which?'), requestState, inputResponses: { answer: { action: 'accept' } } });
    ui.answer(await ui.question('Which?'), 'that');
    assert.equal(textOf((await waiting).result), 'that');
  });
});

describe('the window of revision 2026-07-28', () => {
  beforeEach(() => begin(kElicit));
  afterEach(end);
  const request = async (params) => answerOf(await caller.modern('tools/call', params, { capabilities: kForms }));

  test('a form outlives the end of the server; the inbox may answer', async () => {
    const first = (await request(choice('Which?'))).result;
    assert.equal(first.resultType, 'input_required');
    const { requestState } = first;
    await ui.question('Which?');
    await restart(kElicit);
    const again = (await request({ ...choice('Which?'), requestState })).result;
    assert.equal(again.resultType, 'input_required');
    ui.answer(await ui.question('Which?'), 'red');
    await nothingPends();
    const done = (await request({ ...choice('Which?'), requestState: again.requestState })).result;
    assert.equal(textOf(done), 'red');
  });

  test('a state is good for its request and its token only', async () => {
    const { requestState } = (await request(choice('Mine?'))).result;
    const refused = async (params, by = caller) => {
      const answer = await answerOf(await by.modern('tools/call', params, { capabilities: kForms }));
      assert.equal(answer.error.code, -32602);
      assert.match(answer.error.message, /requestState/);
    };
    await refused({ ...choice('Another?'), requestState });
    await refused({
      ...choice('Mine?'),
      requestState: requestState.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    });
    await refused({ ...choice('Mine?'), requestState: 7 });
    const made = await fetch(new URL('/v1/tokens', server.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${kToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'other', same_workspace: true }),
    });
    await refused({ ...choice('Mine?'), requestState }, new Caller(server.url, (await made.json()).token));
    const accept = { answer: { action: 'accept', content: { answer: 'blue' } } };
    assert.equal(textOf((await request({ ...choice('Mine?'), requestState, inputResponses: accept })).result), 'blue');
    // A second time: the recorded answer.
    const other = { answer: { action: 'accept', content: { answer: 'red' } } };
    assert.equal(textOf((await request({ ...choice('Mine?'), requestState, inputResponses: other })).result), 'blue');
    assert.equal((await request({ ...choice('New?'), inputResponses: { answer: null } })).error.code, -32602);
  });
});

// Repeats `look` until `fits` is true of what it resolves with. The timeout of the test run ends what never comes.
async function until(look, fits) {
  for (;;) {
    const found = await look();
    if (fits(found)) return found;
    await delay(50);
  }
}

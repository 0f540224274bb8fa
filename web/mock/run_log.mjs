// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Runs of all five kinds of agent as the server tells them: frames with numbers and times.
//   node mock/run_log.mjs KIND [--bare]     prints one as NDJSON; --bare: in the single-key form
import { fileURLToPath } from 'node:url';

const kStart = Date.parse('2026-03-02T09:00:00Z');

function randomOf(seed) {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

const without = (object, ...keys) => Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

// Writes frames with the envelope, and states as deltas of their list of messages.
class Writer {
  frames = [];
  messages = [];
  #told = 0;
  #runs = 0;
  #node = 'run-0';
  #calls = 0;
  #steps = 0;

  constructor({ session, runId, start, seed }) {
    this.session = session;
    this.runId = runId;
    this.at = start;
    this.random = randomOf(seed);
  }

  wait(ms) {
    this.at += Math.round(ms * (0.7 + 0.6 * this.random()));
  }

  emit(type, payload = {}) {
    const envelope = { session_id: this.session, event_id: this.frames.length + 1 };
    const node = 'node_id' in payload ? {} : { node_id: this.#node };
    this.frames.push({ ...envelope, type, ...payload, ...node, at: this.at });
  }

  enter(id) {
    this.#node = `run-${id}-${this.#runs}`;
    this.#runs += 1;
    this.emit('node_enter', { id });
  }

  state(wrap) {
    const messages = this.messages.slice(this.#told);
    const state = wrap(messages);
    const target = state.core ?? state;
    if (this.#told > 0 && 'messages' in target) target.log_from = this.#told;
    return state;
  }

  exit(id, wrap, next, error) {
    this.emit('node_exit', { id, result: error === undefined ? 'Ok' : { Err: error } });
    const state = this.state(wrap);
    this.emit('updates', { id, state });
    this.#steps += 1;
    const stamp = `${this.runId.slice(-4)}-${String(this.#steps).padStart(4, '0')}`;
    this.emit('checkpoint', { checkpoint_id: `cp-${stamp}`, timestamp: String(this.at), step: this.#steps, state, thread_id: this.session, next });
    this.#told = this.messages.length;
  }

  say(id, text, type = 'message_chunk') {
    for (const piece of text.match(/\S+\s*|\s+/g) ?? []) {
      this.wait(type === 'message_chunk' ? 28 : 20);
      this.emit(type, { content: piece, id });
    }
  }

  usage(prompt, completion) {
    this.emit('usage', { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion });
  }

  call(name, args) {
    const call_id = `call_${this.runId.slice(-4)}_${this.#calls}`;
    this.#calls += 1;
    const text = JSON.stringify(args);
    for (let at = 0; at < text.length; at += 14) {
      this.wait(24);
      this.emit('tool_call_chunk', { call_id, ...(at === 0 ? { name } : {}), arguments_delta: text.slice(at, at + 14) });
    }
    this.emit('tool_call', { call_id, name, arguments: args });
    return { call_id, name, args };
  }

  run({ call_id, name, args }, { ask = false, error = false, ms = 300, output = [], result }) {
    if (ask) {
      this.emit('tool_approval', { call_id, name, arguments: args });
      this.wait(5200);
    }
    this.emit('tool_start', { call_id, name });
    for (const content of output) {
      this.wait(ms / (output.length + 1));
      this.emit('tool_output', { call_id, name, content });
    }
    this.wait(ms);
    this.emit('tool_end', { call_id, name, result, is_error: error });
    return { call_id, name, content: result, is_error: error };
  }

  end(reply, { error, stop_reason = 'end_turn' } = {}) {
    this.messages = [...this.messages];
    const envelope = { session_id: this.session, event_id: this.frames.length + 1, node_id: this.#node };
    this.frames.push({ ...envelope, reply, stop_reason, ...(error ? { error } : {}), at: this.at });
    return this.frames;
  }
}

const kWords = {
  en: {
    message: 'Why does the sales total in report.csv differ from the ledger? Fix the script if it is wrong.',
    thought: 'The total is summed in the script. I should look at the rows first, then at how it rounds.',
    first: 'I will look at the report and at the script that makes it.',
    second: 'The script **rounds each row** before it adds them up. I will add first and round once at the end.',
    reply: 'The totals agree now.\n\n- `total.py` rounded every row, which lost **0.37**.\n- It now adds exact cents and rounds once.\n- The check prints `1284.12`, as the ledger does.',
    plan: 'Compare three ways to keep the shop open on Sundays, and recommend one.',
    tree: 'Find the fewest boxes for 23 parcels of three sizes.',
  },
  zh: {
    message: '为什么 report.csv 中的销售总额与账本不一致？如果脚本有错，请修正。',
    thought: '总额由脚本相加得出。我应当先看各行数据，再看它如何取整。',
    first: '我先查看报表以及生成它的脚本。',
    second: '脚本在相加之前**逐行取整**。我改为先相加，最后只取整一次。',
    reply: '现在两个总额一致了。\n\n- `total.py` 逐行取整，少了 **0.37**。\n- 现在按分精确相加，最后取整一次。\n- 检查输出 `1284.12`，与账本相同。',
    plan: '比较三种周日营业的办法，并推荐其中一种。',
    tree: '用最少的箱子装下三种尺寸的 23 个包裹。',
  },
};

const toolMessage = ({ call_id, content, name }) => ({ Tool: { tool_call_id: call_id, content: `Tool ${name} result:\n${content}` } });

function reactState(writer, extra = {}) {
  return (messages) => ({ messages, tool_calls: [], tool_results: [], turn_count: 0, think_count: 0, should_continue: true, ...extra });
}

function think(writer, node, text, calls, turn, thought) {
  writer.enter(node);
  writer.wait(600);
  if (thought) writer.say(node, thought, 'thought_chunk');
  writer.say(node, text);
  const made = calls.map(([name, args]) => writer.call(name, args));
  writer.usage(640 + turn * 410, 40 + text.length / 3 | 0);
  const tool_calls = made.map(({ args, call_id, name }) => ({ id: call_id, name, arguments: JSON.stringify(args) }));
  writer.messages.push({ Assistant: tool_calls.length > 0 ? { content: text, tool_calls } : text });
  return { made, tool_calls };
}

function act(writer, wrap, made, how, after) {
  writer.enter('act');
  const results = made.map((call, at) => writer.run(call, how[at]));
  writer.exit('act', wrap({ tool_results: results }), 'observe');
  writer.enter('observe');
  writer.messages.push(...results.map(toolMessage));
  writer.exit('observe', wrap({ tool_results: [] }), after);
}

const kCsv = 'date,amount\n2026-02-27,18.335\n2026-02-27,240.01\n2026-02-28,99.995\n…';
const kScript = 'total = 0\nfor row in rows:\n    total += round(row.amount, 2)\nprint(total)';

function react(writer, words, { node = 'think', turns = 0, asking = false, fail = false } = {}) {
  const wrap = (extra) => (node === 'plan' ? (messages) => ({ core: reactState(writer, extra)(messages), understood: { core_goal: words.message, key_constraints: [], relevant_context: '' } }) : reactState(writer, extra));
  const first = think(writer, node, words.first, [['read', { path: 'report.csv', limit: 40 }], ['read', { path: 'scripts/total.py' }]], 0, words.thought);
  writer.exit(node, wrap({ tool_calls: first.tool_calls, think_count: 1 }), 'act');
  act(writer, wrap, first.made, [{ result: kCsv, ms: 120 }, { result: kScript, ms: 90 }], node);
  for (let turn = 0; turn < turns; turn += 1) {
    const name = `rows/${String(turn + 1).padStart(4, '0')}.csv`;
    const more = think(writer, node, `Checking ${name}.`, [['grep', { pattern: 'amount', path: name }]], turn + 1);
    writer.exit(node, wrap({ tool_calls: more.tool_calls, think_count: turn + 2, turn_count: turn + 1 }), 'act');
    act(writer, wrap, more.made, [{ result: `${name}:1: amount ${(writer.random() * 90).toFixed(2)}`, ms: 60 }], node);
  }
  const edit = ['edit', { path: 'scripts/total.py', oldString: 'total += round(row.amount, 2)', newString: 'total += row.cents' }];
  const second = think(writer, node, words.second, [edit, ['bash', { command: 'python3 scripts/total.py && python3 -m pytest -q', timeout: 60000 }]], 2);
  writer.exit(node, wrap({ tool_calls: second.tool_calls, think_count: 2, turn_count: 1 }), 'act');
  if (asking) {
    writer.enter('act');
    writer.emit('tool_approval', { call_id: second.made[0].call_id, name: 'edit', arguments: second.made[0].args });
    return writer.frames;
  }
  act(writer, wrap, second.made, [
    { ask: true, result: 'ok', ms: 40 },
    { ask: true, ms: 2400, output: ['1284.12\n', '....', '....... [100%]\n', '11 passed in 0.42s\n'], result: '1284.12\n........... [100%]\n11 passed in 0.42s\n[exit code 0]' },
  ], node);
  writer.enter(node);
  if (fail) {
    writer.wait(900);
    const error = 'The model did not answer within 60 s (3 tries).';
    writer.exit(node, wrap({ think_count: 3 }), node, error);
    return writer.end(words.second, { error });
  }
  writer.wait(500);
  writer.say(node, words.reply);
  writer.usage(1860, 96);
  writer.messages.push({ Assistant: words.reply });
  writer.exit(node, wrap({ think_count: 3, turn_count: 2, usage: { prompt_tokens: 1860, completion_tokens: 96, total_tokens: 1956 } }), '__end__');
  return finish(writer, words.reply, (messages) => wrap({ think_count: 3 })(messages));
}

function finish(writer, reply, wrap) {
  writer.emit('values', { state: wrap(writer.messages) });
  return writer.end(reply);
}

function dup(writer, words, options) {
  writer.enter('understand');
  writer.wait(700);
  const core = { core_goal: words.message, key_constraints: ['change only what is wrong'], relevant_context: 'report.csv, scripts/total.py' };
  writer.say('understand', JSON.stringify(core));
  writer.usage(410, 64);
  writer.messages.push({ Assistant: `**Understanding** ${core.core_goal}` });
  writer.exit('understand', (messages) => ({ core: reactState(writer)(messages), understood: core }), 'plan');
  return react(writer, words, { ...options, node: 'plan' });
}

function tot(writer) {
  const levels = [
    { texts: ['Sort by size and fill the largest box first', 'Try every order and keep the best', 'Ask for larger boxes instead'], scores: [0.62, 0.71, 0.2], chosen: 1 },
    { texts: ['Enumerate 23! orders with pruning', 'Cut the search to the 6 largest parcels', 'Use a fixed random sample of orders'], scores: [0.4, 0.55, 0.52], chosen: 1 },
    { texts: ['First-fit decreasing, then swap pairs', 'Best-fit with a look-ahead of two'], scores: [0.83, 0.66], chosen: 0 },
    { texts: ['Prove a lower bound of 7 by volume', 'Accept 7 boxes without a proof'], scores: [0.91, 0.5], chosen: 0 },
  ];
  const state = (tot) => (messages) => ({ core: reactState(writer)(messages), tot });
  let depth = 0;
  const grow = (level) => {
    const { chosen, scores, texts } = levels[level];
    writer.enter('think_expand');
    writer.wait(900);
    writer.say('think_expand', texts[0], 'thought_chunk');
    writer.emit('tot_expand', { candidates: texts });
    writer.usage(520 + 140 * level, 120);
    const candidates = texts.map((thought) => ({ thought, tool_calls: [] }));
    writer.exit('think_expand', state({ depth, candidates, chosen_index: null, tried_indices: [] }), 'think_evaluate');
    writer.enter('think_evaluate');
    writer.wait(600);
    writer.emit('tot_evaluate', { chosen, scores });
    writer.usage(300, 24);
    depth += 1;
    writer.messages.push({ Assistant: texts[chosen] });
    writer.exit('think_evaluate', state({ depth, candidates, chosen_index: chosen, tried_indices: [chosen] }), 'act');
  };
  const work = (command, how, after) => {
    const made = [writer.call('bash', { command })];
    act(writer, (extra) => (messages) => ({ core: reactState(writer, extra)(messages), tot: { depth } }), made, [how], after);
  };
  grow(0);
  work('python3 try_orders.py --limit 60', { ms: 3200, output: ['720 of 2.6e22 orders\n'], result: 'stopped after 60 s: 720 orders, best 9\n[exit code 124]', error: true }, 'think_expand');
  grow(1);
  work('python3 try_orders.py --largest 6', { ms: 1500, result: 'best 8' }, 'backtrack');
  writer.enter('backtrack');
  depth = 0;
  writer.emit('tot_backtrack', { reason: 'Eight boxes is no better than the simple rule; the search is too slow.', to_depth: 0 });
  const first = levels[0];
  writer.emit('tot_evaluate', { chosen: 0, scores: first.scores });
  depth = 1;
  writer.exit('backtrack', state({ depth, candidates: first.texts.map((thought) => ({ thought, tool_calls: [] })), chosen_index: 0, tried_indices: [1, 0] }), 'think_expand');
  grow(2);
  work('python3 pack.py --ffd --swap', { ms: 400, result: '7 boxes' }, 'think_expand');
  grow(3);
  const reply = 'Seven boxes are enough, and fewer are impossible: the parcels take up 6.4 boxes by volume alone.';
  writer.enter('think_expand');
  writer.say('think_expand', reply);
  writer.usage(1010, 60);
  writer.exit('think_expand', state({ depth: 3 }), '__end__');
  return finish(writer, reply, (messages) => ({ core: reactState(writer)(messages), tot: { depth: 3 } }));
}

const kTasks = {
  gather: 'List the costs and the rules of Sunday opening',
  staff: 'Work out a rota with the present staff',
  hire: 'Estimate the cost of two weekend helpers',
  selfserve: 'Estimate the cost of a self-service till',
  compare: 'Compare the three by cost and risk',
  recommend: 'Recommend one, with its first step',
};
const kEdges = [['gather', 'staff'], ['gather', 'hire'], ['gather', 'selfserve'], ['staff', 'compare'], ['hire', 'compare'], ['selfserve', 'compare'], ['gather', 'recommend'], ['compare', 'recommend']];

function got(writer, words, { adaptive = false, fail = false } = {}) {
  const nodes = Object.entries(kTasks).map(([id, description]) => ({ id, description, tool_calls: [] }));
  let edges = [...kEdges];
  const states = Object.fromEntries(nodes.map(({ id }) => [id, { status: 'Pending' }]));
  const wrap = () => ({ input_message: words.plan, task_graph: { nodes, edges }, node_states: structuredClone(states) });
  writer.enter('plan_graph');
  writer.wait(900);
  writer.say('plan_graph', JSON.stringify({ nodes: nodes.length, edges: edges.length }));
  writer.emit('got_plan', { node_count: nodes.length, edge_count: edges.length, node_ids: nodes.map(({ id }) => id) });
  writer.usage(480, 210);
  writer.exit('plan_graph', wrap, 'execute_graph');
  const step = (ids) => {
    writer.enter('execute_graph');
    for (const id of ids) {
      states[id] = { status: 'Running' };
      writer.emit('got_node_start', { id });
      writer.wait(80);
    }
    for (const id of ids) {
      writer.wait(700);
      if (id === 'gather') writer.run(writer.call('web_fetch', { url: 'https://example.org/opening-hours' }), { result: 'Sunday opening needs a permit (80 a year).', ms: 640 });
      writer.usage(350, 90);
      if (fail && id === 'hire') {
        states[id] = { status: 'Failed', error: 'No wage table was found.' };
        writer.emit('got_node_failed', { id, error: 'No wage table was found.' });
        continue;
      }
      const result = `${kTasks[id] ?? nodes.find((it) => it.id === id).description}: done, with three figures and one open question.`;
      states[id] = { status: 'Done', result };
      writer.emit('got_node_complete', { id, result_summary: result });
      if (adaptive && id === 'staff') expand(id);
    }
    writer.exit('execute_graph', wrap, 'execute_graph');
  };
  const expand = (id) => {
    const added = ['a', 'b'].map((part, at) => ({ id: `${id}_sub_${at + 1}`, description: `Rota ${part.toUpperCase()}: who works when`, tool_calls: [] }));
    nodes.push(...added);
    for (const it of added) states[it.id] = { status: 'Pending' };
    edges = [...edges.filter(([from]) => from !== id), ...added.flatMap((it) => [[id, it.id], [it.id, 'compare']])];
    writer.emit('got_expand', { node_id: id, nodes_added: added.length, edges_added: 4 });
  };
  step(['gather']);
  step(['staff', 'hire', 'selfserve']);
  if (adaptive) step(['staff_sub_1', 'staff_sub_2']);
  if (fail) {
    for (const id of ['compare', 'recommend']) {
      states[id] = { status: 'Failed', error: 'It depends on hire, which failed.' };
      writer.emit('got_node_failed', { id, error: 'It depends on hire, which failed.' });
    }
    return writer.end('The rota and the till were worked out; hiring was not.', { error: '3 of 6 tasks failed.' });
  }
  step(['compare']);
  step(['recommend']);
  const reply = 'Open with the **present staff** first: it costs least, and a self-service till can follow in summer.';
  writer.say('execute_graph', reply);
  return finish(writer, reply, wrap);
}

// A run that hands a part to another agent, whose events stand inside its own.
function nested(writer, words) {
  const { made, tool_calls } = think(writer, 'think', words.first, [['invoke_agent', { agents: [{ agent: 'explore', task: 'Find where totals are rounded' }] }]], 0);
  writer.exit('think', reactState(writer, { tool_calls }), 'act');
  writer.enter('act');
  const { call_id, name } = made[0];
  writer.emit('tool_start', { call_id, name });
  const inner = new Writer({ session: '', runId: 'run-sub-0001', start: writer.at, seed: 7 });
  inner.emit('run_start', { run_id: 'run-sub-0001', message: 'Find where totals are rounded', agent: 'explore' });
  const sub = think(inner, 'think', 'Searching for round.', [['grep', { pattern: 'round(', path: '.' }]], 0);
  inner.exit('think', reactState(inner), 'act');
  act(inner, (extra) => reactState(inner, extra), sub.made, [{ result: 'scripts/total.py:3: total += round(row.amount, 2)', ms: 200 }], 'think');
  inner.end('In `scripts/total.py`, line 3.');
  for (const frame of inner.frames) {
    writer.at = frame.at;
    writer.emit('custom', { value: { sub_agent: 'explore', call_id, depth: 1, event: without(frame, 'at', 'event_id', 'session_id') } });
  }
  writer.emit('tool_end', { call_id, name, result: 'explore: In `scripts/total.py`, line 3.', is_error: false });
  writer.exit('act', reactState(writer), 'think');
  const reply = 'Totals are rounded in `scripts/total.py`, line 3.';
  think(writer, 'think', reply, [], 1);
  writer.exit('think', reactState(writer), '__end__');
  return finish(writer, reply, reactState(writer));
}

export const kKinds = ['react', 'dup', 'tot', 'got', 'agot'];

// The frames of one run. `turns` lengthens a react or dup run; `how`: '', 'asking', 'failed', 'nested'.
export function runLog({ agent = 'react', how = '', lang = 'en', runId = 'run-0001', seed = 1, session = 'session-0001', start = kStart, turns = 0 } = {}) {
  const words = kWords[lang];
  const writer = new Writer({ session, runId, start, seed });
  const message = agent === 'tot' ? words.tree : agent.endsWith('got') ? words.plan : words.message;
  writer.emit('run_start', { run_id: runId, message, agent });
  writer.messages.push({ System: 'You work with care and say what you do.' }, { User: message });
  const fail = how === 'failed';
  if (how === 'nested') return nested(writer, words);
  if (agent === 'tot') return tot(writer);
  if (agent === 'got' || agent === 'agot') return got(writer, words, { adaptive: agent === 'agot', fail });
  const options = { turns, asking: how === 'asking', fail };
  return agent === 'dup' ? dup(writer, words, options) : react(writer, words, options);
}

const kExportKeys = {
  run_start: 'RunStart', node_enter: 'TaskStart', node_exit: 'TaskEnd', usage: 'Usage', updates: 'Updates', checkpoint: 'Checkpoint',
  tot_expand: 'TotExpand', tot_evaluate: 'TotEvaluate', tot_backtrack: 'TotBacktrack', got_plan: 'GotPlan', got_node_start: 'GotNodeStart',
  got_node_complete: 'GotNodeComplete', got_node_failed: 'GotNodeFailed', got_expand: 'GotExpand', tool_call_chunk: 'ToolCallChunk',
  tool_call: 'ToolCall', tool_start: 'ToolStart', tool_output: 'ToolOutput', tool_end: 'ToolEnd', tool_approval: 'ToolApproval',
};

// A frame in the single-key form, which has no envelope.
export function exported(frame) {
  const { event_id, node_id, session_id, type, ...payload } = without(frame, 'at');
  if (type === undefined) return { ...payload, session_id, event_id };
  if (type === 'values') return { Values: payload.state };
  if (type === 'custom') return { Custom: payload.value };
  if (type === 'message_chunk' || type === 'thought_chunk') {
    const kind = type === 'message_chunk' ? 'Message' : 'Thinking';
    return { Messages: { chunk: { content: payload.content, kind }, metadata: { loom_node: payload.id, namespace: null } } };
  }
  if (type === 'got_expand') return { GotExpand: { node_id, ...payload } };
  const { id, ...rest } = payload;
  return { [kExportKeys[type]]: id === undefined ? rest : { node_id: id, ...rest } };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [agent, form] = process.argv.slice(2);
  const write = form === '--bare' ? exported : (frame) => frame;
  for (const frame of runLog({ agent })) console.log(JSON.stringify(write(frame)));
}

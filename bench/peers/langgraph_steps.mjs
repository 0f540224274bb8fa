// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The peer of engine_bench: LangGraph.js with a graph of two nodes that only count. Each line
// {"kind","runs","steps"} on standard input executes `runs` runs of `steps` steps and is answered by
// {"cpu_us","steps"}: the processor time of this process and the number of steps, for all runs.
//   bare   invoke() without a checkpointer
//   kept   stream() of the updates of each node, with a MemorySaver
import { createInterface } from 'node:readline';
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ count: Annotation(), last: Annotation() });

function counting(steps) {
  const count = async (state) => ({ count: state.count + 1 });
  return new StateGraph(State)
    .addNode('a', count)
    .addNode('b', count)
    .addEdge(START, 'a')
    .addEdge('a', 'b')
    .addConditionalEdges('b', (state) => (state.count < steps ? 'more' : 'enough'), { more: 'a', enough: END });
}

const first = { count: 0, last: 'a reply' };
const kinds = {
  bare: async (graph, runs, steps) => {
    const compiled = graph.compile();
    for (let run = 0; run < runs; ++run) {
      const state = await compiled.invoke(first, { recursionLimit: steps + 1 });
      if (state.count !== steps) throw new Error(`ended at ${state.count}`);
    }
  },
  kept: async (graph, runs, steps) => {
    const compiled = graph.compile({ checkpointer: new MemorySaver() });
    for (let run = 0; run < runs; ++run) {
      const config = { recursionLimit: steps + 1, streamMode: 'updates', configurable: { thread_id: `t${run}` } };
      let seen = 0;
      for await (const update of await compiled.stream(first, config)) seen += Object.keys(update).length;
      if (seen !== steps) throw new Error(`saw ${seen} updates`);
    }
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { kind, runs, steps } = JSON.parse(line);
  const before = process.cpuUsage();
  await kinds[kind](counting(steps), runs, steps);
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ cpu_us: user + system, steps: runs * steps }));
}

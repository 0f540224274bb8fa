// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// LiteGraph without a browser, with the node classes of an object_info: reads a workflow and builds the
// prompt to queue, as ComfyUI's front end does.
const nothing = () => {};
globalThis.window ??= globalThis;
globalThis.document ??= {
  createElement: () => ({ getContext: () => ({}), style: {} }),
  addEventListener: nothing,
};
globalThis.HTMLElement ??= class {};
globalThis.requestAnimationFrame ??= nothing;
console.debug = console.warn = nothing; // about links that a bypassed node cuts, and half-read subgraphs
const { ExecutableNodeDTO, LGraph, LGraphNode, LiteGraph, SubgraphNode } = await import('@comfyorg/litegraph');

const kWidgets = ['INT', 'FLOAT', 'STRING', 'BOOLEAN', 'COMBO'];

function isWidget([type]) {
  return Array.isArray(type) || kWidgets.includes(type);
}

function registerClass(type, info) {
  const inputs = ['required', 'optional'].flatMap((group) => Object.entries(info.input[group] ?? {}));
  class Node extends LGraphNode {
    static title = info.display_name ?? type;
    constructor() {
      super(info.display_name ?? type);
      this.comfyClass = type;
      this.serialize_widgets = true;
      for (const [name, spec] of inputs) {
        if (!isWidget(spec)) {
          this.addInput(name, spec[0]);
          continue;
        }
        this.addWidget('text', name, spec[1]?.default ?? null, nothing, {});
        if (spec[1]?.control_after_generate) {
          const control = this.addWidget('text', 'control_after_generate', 'randomize', nothing, {});
          control.options.serialize = false; // not in the API form
        }
      }
      info.output.forEach((out, i) => this.addOutput(info.output_name[i], out));
    }
  }
  LiteGraph.registerNodeType(type, Node);
}

class Reroute extends LGraphNode {
  isVirtualNode = true;
  constructor() {
    super('Reroute');
    this.addInput('', '*');
    this.addOutput('', '*');
  }
}

class PrimitiveNode extends LGraphNode {
  isVirtualNode = true;
  serialize_widgets = true;
  constructor() {
    super('PrimitiveNode');
    this.addOutput('connect to widget input', '*');
  }
  configure(info) {
    super.configure(info);
    this.saved = info.widgets_values?.[0] ?? null;
  }
  // Sets the value of the widgets that this node feeds, also behind reroutes.
  applyToGraph(node = this) {
    for (const id of node.outputs[0]?.links ?? []) {
      const link = this.graph.getLink(id);
      const target = this.graph.getNodeById(link.target_id);
      if (target.type === 'Reroute') this.applyToGraph.call(this, target);
      const name = target.inputs[link.target_slot].widget?.name;
      const widget = target.widgets?.find((one) => one.name === name);
      if (widget && this.saved !== null) widget.value = this.saved;
    }
  }
}

class Note extends LGraphNode {
  isVirtualNode = true;
}

export function registerClasses(objectInfo, names) {
  LiteGraph.registerNodeType('Reroute', Reroute);
  LiteGraph.registerNodeType('PrimitiveNode', PrimitiveNode);
  LiteGraph.registerNodeType('Note', Note);
  LiteGraph.registerNodeType('MarkdownNote', class extends Note {});
  for (const name of names) registerClass(name, objectInfo[name]);
}

export function loadGraph(workflow) {
  const graph = new LGraph();
  graph.events.addEventListener('subgraph-created', ({ detail: { subgraph } }) => {
    class Instance extends SubgraphNode {
      constructor() {
        super(graph, subgraph, {
          id: -1,
          type: subgraph.id,
          pos: [0, 0],
          size: [100, 100],
          inputs: [],
          outputs: [],
          properties: {},
          flags: {},
          mode: 0,
          order: 0,
        });
      }
    }
    LiteGraph.registerNodeType(subgraph.id, Instance);
  });
  graph.configure(structuredClone(workflow));
  // Only some classes store widgets_values as an object; its values are assigned by name here.
  for (const saved of workflow.nodes) {
    if (Array.isArray(saved.widgets_values) || !saved.widgets_values) continue;
    for (const widget of graph.getNodeById(saved.id).widgets ?? []) {
      widget.value = saved.widgets_values[widget.name] ?? widget.value;
    }
  }
  return graph;
}

const kMuted = 2;
const kBypassed = 4;

// The prompt that the front end would queue.
export function promptOf(graph) {
  for (const node of graph.nodes) {
    if (node instanceof PrimitiveNode) node.applyToGraph();
  }
  // This version of the library cuts the link at a bypassed reroute; newer ones and Parley do not.
  for (const node of graph.nodes) {
    if (node instanceof Reroute) node.mode = 0;
  }
  const all = new Map();
  for (const node of graph.nodes) {
    const executable = new ExecutableNodeDTO(node, [], all, node instanceof SubgraphNode ? node : undefined);
    for (const inner of executable.getInnerNodes()) all.set(inner.id, inner);
    all.set(executable.id, executable);
  }
  const prompt = {};
  for (const [id, node] of all) {
    if (node.isVirtualNode || node.node instanceof SubgraphNode || node.mode === kMuted || node.mode === kBypassed)
      continue;
    const inputs = {};
    for (const widget of node.widgets ?? []) {
      if (widget.options.serialize !== false) inputs[widget.name] = widget.value;
    }
    node.inputs.forEach((input, slot) => {
      const origin = node.resolveInput(slot);
      if (origin?.widgetInfo) {
        inputs[input.name] = origin.widgetInfo.value;
      } else if (origin) {
        inputs[input.name] = [String(origin.origin_id), Number(origin.origin_slot)];
      }
    });
    prompt[id] = { inputs, class_type: node.node.comfyClass };
  }
  for (const { inputs } of Object.values(prompt)) {
    for (const [name, value] of Object.entries(inputs)) {
      if (Array.isArray(value) && !prompt[value[0]]) delete inputs[name];
    }
  }
  return prompt;
}

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The tools of an agent, in the order in which they are offered. As in the protocol, `parameters` is a map
// of parameters, not a JSON Schema.
import { isComplete, type StageRun } from './stage_run';
import type { Stage, ToolDescription } from '@/stage/ui_spec';
import { shownItems } from './visible_items';

export const filterOperators = ['eq', 'neq', 'contains', 'gt', 'lt', 'gte', 'lte', 'in'] as const;
export const sortOrders = ['asc', 'desc'] as const;
export const highlightStyles = ['border', 'glow', 'badge'] as const;
export const clearKinds = ['filter', 'sort', 'highlight', 'augment', 'all'] as const;

const filterTool: ToolDescription = {
  name: 'filter',
  description: 'Filter items by a specific field condition',
  parameters: {
    field: { type: 'string', description: 'Field to filter by (e.g., "genre", "rating", "duration")' },
    operator: { type: 'string', description: 'Comparison operator', enum: [...filterOperators] },
    value: { type: 'any', description: 'Value to compare against' },
  },
};
const sortTool: ToolDescription = {
  name: 'sort',
  description: 'Sort items by a specific field',
  parameters: {
    field: { type: 'string', description: 'Field to sort by (e.g., "title", "duration", "price")' },
    order: { type: 'string', description: 'Sort order', enum: [...sortOrders] },
  },
};
const highlightTool: ToolDescription = {
  name: 'highlight',
  description: 'Highlight specific items visually',
  parameters: {
    itemIds: { type: 'array', description: 'Array of item IDs to highlight' },
    style: { type: 'string', description: 'Highlight style', enum: [...highlightStyles], optional: true },
  },
};
const augmentTool: ToolDescription = {
  name: 'augment',
  description: 'Change the display value of specific items',
  parameters: {
    items: {
      type: 'array',
      description: 'Array of { itemId: string, value: string } to change display values',
    },
  },
};
const clearTool: ToolDescription = {
  name: 'clearModification',
  description: 'Clear applied modifications',
  parameters: {
    type: {
      type: 'string',
      description: 'Type of modification to clear',
      enum: [...clearKinds],
      optional: true,
    },
  },
};
const selectTool: ToolDescription = {
  name: 'select',
  description: 'Select an item in the current stage',
  parameters: { itemId: { type: 'string', description: 'Item ID to select' } },
};
const quantityTool: ToolDescription = {
  name: 'setQuantity',
  description: 'Set quantity for a ticket type in ticket stage',
  parameters: {
    typeId: { type: 'string', description: 'Ticket type ID' },
    quantity: { type: 'number', description: 'Ticket quantity (0 or higher)' },
  },
};
const nextTool: ToolDescription = {
  name: 'next',
  description: 'Go on to the next stage; in the last stage, confirm the booking',
  parameters: {},
};
const prevTool: ToolDescription = {
  name: 'prev',
  description: 'Go back to previous stage (current state is discarded)',
  parameters: {},
};
const messageTool: ToolDescription = {
  name: 'postMessage',
  description: 'Post an agent message to the chat timeline',
  parameters: { text: { type: 'string', description: 'Message content to display' } },
};

const inOrder = [
  filterTool,
  sortTool,
  highlightTool,
  augmentTool,
  clearTool,
  selectTool,
  quantityTool,
  nextTool,
  prevTool,
  messageTool,
];

export const toolNames = [
  'filter',
  'sort',
  'highlight',
  'augment',
  'clearModification',
  'select',
  'setQuantity',
  'next',
  'prev',
  'postMessage',
] as const;
export type ToolName = (typeof toolNames)[number];

export function isToolName(name: string): name is ToolName {
  return (toolNames as readonly string[]).includes(name);
}

// True if a tool is offered in a stage. A tool that currently has no effect (next before the choice, prev in
// the first stage) is offered too; its result states the reason.
export function belongsTo(stage: Stage, tool: ToolName): boolean {
  if (tool === 'select') return stage !== 'ticket' && stage !== 'confirm';
  if (tool === 'setQuantity') return stage === 'ticket';
  return true;
}

function isOffered(tool: ToolName, run: StageRun | null, confirmed: boolean): boolean {
  if (tool === 'postMessage') return true;
  if (run === null || !belongsTo(run.stage, tool)) return false;
  if (tool === 'select') {
    return shownItems(run.items, run.modification).some((item) => !run.disabled.has(item.id));
  }
  if (tool === 'next') return !confirmed && isComplete(run);
  if (tool === 'prev') return run.stage !== 'movie';
  return true;
}

// The tools that are offered now. `allowed`: the tools of the study's condition; absent: all.
export function toolSchemaOf(run: StageRun | null, confirmed: boolean, allowed?: readonly string[]): ToolDescription[] {
  return inOrder.filter((tool) => {
    if (allowed && !allowed.includes(tool.name)) return false;
    return isToolName(tool.name) && isOffered(tool.name, run, confirmed);
  });
}

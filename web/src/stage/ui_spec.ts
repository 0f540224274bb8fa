// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The surfaces that an outside agent reads: uiSpec, messageHistory, toolSchema. Field names and
// orders are those of the External Agent Protocol; nothing here imports Vue or a browser's API.

export const stages = ['movie', 'theater', 'date', 'time', 'seat', 'ticket', 'confirm'] as const;
export type Stage = (typeof stages)[number];

export interface Choice {
  id: string;
  value: string;
}

export interface VisibleItem extends Choice {
  isDisabled?: true;
}

export type FilterOperator = 'eq' | 'neq' | 'contains' | 'gt' | 'lt' | 'gte' | 'lte' | 'in';
export type HighlightStyle = 'border' | 'glow' | 'badge';

export interface Modification {
  filter?: { field: string; operator: FilterOperator; value: unknown };
  sort?: { field: string; order: 'asc' | 'desc' };
  highlight?: { itemIds: string[]; style?: HighlightStyle };
  augment?: { itemId: string; value: string }[];
}
export type ModificationKind = keyof Modification;
// The agent's changes of the list that a person undoes.
export type Undo = ModificationKind | 'all';

export interface TicketChoice {
  ticketTypeId: string;
  name: string;
  price: number;
  quantity: number;
}

// The choices of the previous stages.
export interface BookingSoFar {
  movie?: { id: string; title: string };
  theater?: { id: string; name: string };
  date?: string;
  showing?: { id: string; time: string };
  selectedSeats?: Choice[];
  tickets?: TicketChoice[];
}

export interface SpecState {
  selected?: Choice;
  selectedList?: Choice[];
  highlighted?: Choice[];
  quantities?: { item: Choice; count: number }[];
  booking: BookingSoFar;
}

export type Component = 'buttonGroup' | 'calendar' | 'seatMap' | 'counter' | 'summary';

// A row that the stage shows: only fields that a person sees.
export type Item = { id: string } & Record<string, unknown>;

export interface UiSpec {
  stage: Stage;
  title: string;
  description: string;
  visibleItems: VisibleItem[];
  state: SpecState;
  items: Item[];
  modification: Modification;
  display: { valueField: string; component: Component };
  meta?: Record<string, unknown>;
}

// Replaces the spec of a past stage in a history over its limit.
export interface SpecSummary {
  stage: Stage;
  title: string;
  summary: true;
  visibleCount: number;
  selected?: Choice;
}

interface EntryBase {
  id: string;
  timestamp: number; // ms since 1970
  stage: Stage;
}
export interface SystemEntry extends EntryBase {
  type: 'system';
  spec: UiSpec | SpecSummary;
}
export interface UserEntry extends EntryBase {
  type: 'user';
  action: 'select' | 'back' | 'input';
  label: string;
}
export interface AgentEntry extends EntryBase {
  type: 'agent';
  text: string;
}
export type HistoryEntry = SystemEntry | UserEntry | AgentEntry;

export interface ToolParameter {
  type: 'string' | 'number' | 'array' | 'any';
  description: string;
  enum?: string[];
  optional?: true;
}
export interface ToolDescription {
  name: string;
  description: string;
  parameters: Record<string, ToolParameter>;
}

export type ErrorCode =
  | 'INVALID_MESSAGE'
  | 'SESSION_NOT_ACTIVE'
  | 'UNKNOWN_TOOL'
  | 'INVALID_PARAMS'
  | 'NO_ACTIVE_SPEC'
  | 'TOOL_EXECUTION_FAILED';

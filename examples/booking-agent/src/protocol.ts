// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The part of the External Agent Protocol that an agent reads. Fields of only one revision are optional; other
// fields of hosts are ignored.

export type Stage = 'movie' | 'theater' | 'date' | 'time' | 'seat' | 'ticket' | 'confirm';
export const stages: readonly Stage[] = ['movie', 'theater', 'date', 'time', 'seat', 'ticket', 'confirm'];

export interface Choice {
  id: string;
  value: string;
}

export type Item = { id: string } & Record<string, unknown>;

export interface Ticket {
  ticketTypeId: string;
  name: string;
  price: number;
  quantity: number;
}

export interface BookingSoFar {
  movie?: { id: string; title: string };
  theater?: { id: string; name: string };
  date?: string;
  showing?: { id: string; time: string };
  selectedSeats?: Choice[];
  tickets?: Ticket[];
}

export interface UiSpec {
  stage: Stage;
  title: string;
  visibleItems: (Choice & { isDisabled?: boolean })[];
  state: {
    selected?: Choice;
    selectedList?: Choice[];
    quantities?: { item: Choice; count: number }[];
    booking: BookingSoFar;
  };
  items: Item[];
  modification: { filter?: unknown; highlight?: { itemIds: string[] } };
  meta?: Record<string, unknown>;
}

export interface HistoryEntry {
  id: string;
  type: string;
  action?: string;
  label?: string;
  spec?: Partial<UiSpec>;
}

// The known state of the host's page.
export interface HostView {
  uiSpec: UiSpec | null;
  messageHistory: HistoryEntry[];
  tools: ReadonlySet<string> | null; // null: unknown; all ten may be called
}

export interface Frame {
  v?: string;
  type: string;
  id?: unknown;
  replyTo?: unknown;
  payload: Record<string, unknown>;
}

export function parseFrame(text: string): Frame | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof frame !== 'object' || frame === null) return undefined;
  const { type, id, replyTo, payload } = frame as Record<string, unknown>;
  if (typeof type !== 'string') return undefined;
  const body = typeof payload === 'object' && payload !== null ? payload : {};
  return { type, id, replyTo, payload: body as Record<string, unknown> };
}

function isSpec(value: unknown): value is UiSpec {
  if (typeof value !== 'object' || value === null) return false;
  const spec = value as Partial<UiSpec>;
  return (
    stages.includes(spec.stage as Stage) &&
    Array.isArray(spec.visibleItems) &&
    Array.isArray(spec.items) &&
    typeof spec.state === 'object'
  );
}

// Merges a payload into the view; absent members stay unchanged. `whole`: a state.updated or a snapshot, in
// which an absent or null spec means that there is none.
export function withPayload(view: HostView, payload: Record<string, unknown>, whole: boolean): HostView {
  const { uiSpec, messageHistory, toolSchema } = payload;
  const spec = isSpec(uiSpec) ? uiSpec : whole ? null : view.uiSpec;
  const history = Array.isArray(messageHistory) ? (messageHistory as HistoryEntry[]) : view.messageHistory;
  const tools = Array.isArray(toolSchema)
    ? new Set((toolSchema as { name: string }[]).map((tool) => tool.name))
    : whole
      ? null
      : view.tools;
  return { uiSpec: spec, messageHistory: history, tools };
}

// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Types of one booking in progress, shared by the host page, the headless host and the bridge to the relay.
import type { ErrorCode, HistoryEntry, ToolDescription, UiSpec, Undo } from '@/stage/ui_spec';

export interface Movie {
  id: string;
  title: string;
  posterUrl: string;
  genre: string[];
  duration: number; // minutes
  rating: string;
  releaseDate: string;
}
export interface Theater {
  id: string;
  name: string;
  location: string;
  screenCount: number;
}
export interface Showing {
  id: string;
  movieId: string;
  theaterId: string;
  screenNumber: number;
  date: string; // YYYY-MM-DD, at the theater
  time: string; // HH:MM
  totalSeats: number;
  availableSeats: number;
}
export interface Seat {
  id: string;
  showingId: string;
  row: string;
  number: number;
  type: 'standard' | 'premium' | 'couple';
  status: 'available' | 'occupied';
}
export interface TicketType {
  id: string;
  name: string;
  price: number; // dollars
  description: string;
}
export interface BookingRequest {
  showingId: string;
  seats: string[];
  tickets: { ticketTypeId: string; quantity: number }[];
  customerName: string;
  customerEmail: string;
}
export interface Booking {
  id: string;
  showingId: string;
  customerName: string;
  customerEmail: string;
  totalPrice: number;
  status: 'confirmed' | 'cancelled';
  createdAt: string;
}

// The booking backend, over REST or in memory. Rejects with a BackendError.
export interface BookingBackend {
  movies(): Promise<Movie[]>;
  theatersOf(movieId: string): Promise<Theater[]>;
  dates(movieId: string, theaterId: string): Promise<string[]>;
  times(movieId: string, theaterId: string, date: string): Promise<Showing[]>;
  seats(showingId: string): Promise<Seat[]>;
  ticketTypes(): Promise<TicketType[]>;
  book(request: BookingRequest): Promise<Booking>;
}

export class BackendError extends Error {
  readonly status: number;
  readonly occupiedSeats: string[];
  constructor(message: string, status: number, occupiedSeats: string[] = []) {
    super(message);
    this.name = 'BackendError';
    this.status = status;
    this.occupiedSeats = occupiedSeats;
  }
}

// Source of a change: an agent or the page itself ("host"), or the participant ("user").
export type ChangeSource = 'host' | 'user';

export type ToolOutcome =
  | { ok: true; toolName: string; uiSpec?: UiSpec; messageHistory: HistoryEntry[] }
  | { ok: false; toolName: string; code: ErrorCode; message: string };

export interface HostState {
  uiSpec: UiSpec | null; // null: no stage, or it is still loading
  messageHistory: HistoryEntry[]; // with full specs; compacted when sent
  toolSchema: ToolDescription[]; // tools that are offered in this stage and state
  loading: boolean;
  failure: string | null; // reason why the participant's last action did not take effect
  booking: Booking | null; // once it is confirmed
}

// Options of a study's condition.
export interface HostOptions {
  tools?: readonly string[]; // offered to the agent; absent: all ten
  now?: () => number;
  random?: () => number; // in [0, 1)
  customer?: { name: string; email: string };
}

// Implemented in engine.ts. Actions of all callers are executed one after another in the order of the calls,
// so that no update is lost. Listeners get a new HostState object at each change.
export interface HostEngine {
  readonly state: HostState;
  onChange(listener: (state: HostState, source: ChangeSource) => void): () => void;
  // Loads the first stage. Also after a failed load.
  start(): Promise<void>;
  // Resets everything: publishes a null spec and an empty history, then the first stage, once.
  reset(): Promise<void>;

  // By the agent. `params`: unchecked, from the wire. Resolves when the action has taken effect or is
  // refused; ok only after the effect.
  runTool(toolName: unknown, params: unknown, reason?: string): Promise<ToolOutcome>;
  // Adds an explanation of the agent to the history. False: blank text.
  postAgentMessage(text: unknown): boolean;

  // By the participant.
  select(itemId: string): Promise<void>; // seat: toggles
  setQuantity(typeId: string, quantity: number): Promise<void>;
  next(): Promise<void>;
  prev(): Promise<void>;
  say(text: string): void; // adds to the history; the bridge sends user.message before
  undo(kind: Undo): Promise<void>;
}

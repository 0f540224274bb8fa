// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// What the host page, the headless host and the bridge to the relay share: one booking in progress.
import type {
  ErrorCode,
  HistoryEntry,
  ModificationKind,
  ToolDescription,
  UiSpec,
} from './ui_spec';

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

// Whose act a change is: an agent's or the page's own ("host"), or the participant's ("user").
export type ChangeSource = 'host' | 'user';

export type ToolOutcome =
  | { ok: true; toolName: string; uiSpec?: UiSpec; messageHistory: HistoryEntry[] }
  | { ok: false; toolName: string; code: ErrorCode; message: string };

export interface HostState {
  uiSpec: UiSpec | null; // null: no stage, or it is still loading
  messageHistory: HistoryEntry[]; // with full specs; compacted where it is sent
  toolSchema: ToolDescription[]; // what is offered in this stage and state
  loading: boolean;
  failure: string | null; // why the last act of the participant did not take effect
  booking: Booking | null; // once it is confirmed
}

// What a study's condition allows.
export interface HostOptions {
  tools?: readonly string[]; // offered to the agent; absent: all ten
  now?: () => number;
  random?: () => number; // in [0, 1)
  customer?: { name: string; email: string };
}

// The act of a person who undoes what the agent did to the list.
export type Undo = ModificationKind | 'all';

// Implemented in engine.ts. Acts are done one after another in the order of the calls, whoever
// makes them, so that no update is lost. Listeners get a new HostState object at each change.
export interface HostEngine {
  readonly state: HostState;
  onChange(listener: (state: HostState, source: ChangeSource) => void): () => void;
  // Loads the first stage. Also after a failed load.
  start(): Promise<void>;
  // Everything as at the beginning: null spec, empty history, then the first stage, once.
  reset(): Promise<void>;

  // By the agent. `params` is whatever came over the wire. Resolves when the act has taken effect
  // or is refused: never with ok for what did not happen.
  runTool(toolName: unknown, params: unknown, reason?: string): Promise<ToolOutcome>;
  // The agent explains itself; false for blank text.
  postAgentMessage(text: unknown): boolean;

  // By the participant.
  select(itemId: string): Promise<void>; // seat: toggles
  setQuantity(typeId: string, quantity: number): Promise<void>;
  next(): Promise<void>;
  prev(): Promise<void>;
  say(text: string): void; // adds to the history; the bridge sends user.message before
  undo(kind: Undo): Promise<void>;
}

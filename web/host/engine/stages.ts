// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Title, component and fields of each stage.
import { type BookingSoFar, type Component, type Stage, stages } from '@/stage/ui_spec';

export interface StageForm {
  title: string;
  description: string;
  valueField: string;
  component: Component;
  // The fields of a row that the page shows to the participant; no other may be sent.
  fields: readonly string[];
}

export const stageForms: Record<Stage, StageForm> = {
  movie: {
    title: 'Select Movie',
    description: 'Choose a movie you want to watch',
    valueField: 'title',
    component: 'buttonGroup',
    fields: ['id', 'title', 'genre', 'rating', 'duration', 'posterUrl'],
  },
  theater: {
    title: 'Select Theater',
    description: 'Choose a theater near you',
    valueField: 'name',
    component: 'buttonGroup',
    fields: ['id', 'name', 'location'],
  },
  date: {
    title: 'Select Date',
    description: 'Pick a date for your movie',
    valueField: 'displayText',
    component: 'calendar',
    fields: ['id', 'date', 'dayOfWeek', 'displayText', 'available'],
  },
  time: {
    title: 'Select Time',
    description: 'Choose a showtime',
    valueField: 'time',
    component: 'buttonGroup',
    fields: ['id', 'time', 'availableSeats', 'totalSeats'],
  },
  seat: {
    title: 'Select Seats',
    description: 'Choose your seats',
    valueField: 'label',
    component: 'seatMap',
    fields: ['id', 'row', 'number', 'label', 'type', 'status'],
  },
  ticket: {
    title: 'Select Tickets',
    description: 'Choose ticket types and quantities',
    valueField: 'name',
    component: 'counter',
    fields: ['id', 'name', 'price', 'priceDisplay', 'description'],
  },
  confirm: {
    title: 'Confirm Booking',
    description: 'Check your booking and confirm it',
    valueField: 'id',
    component: 'summary',
    fields: [],
  },
};

export function stageAfter(stage: Stage): Stage | undefined {
  return stages[stages.indexOf(stage) + 1];
}

export function stageBefore(stage: Stage): Stage | undefined {
  return stages[stages.indexOf(stage) - 1];
}

// The choices of previous stages that a stage may contain.
export function projectBooking(stage: Stage, booking: BookingSoFar): BookingSoFar {
  const reached = stages.indexOf(stage);
  const projected: BookingSoFar = {};
  if (reached >= 1 && booking.movie) projected.movie = booking.movie;
  if (reached >= 2 && booking.theater) projected.theater = booking.theater;
  if (reached >= 3 && booking.date !== undefined) projected.date = booking.date;
  if (reached >= 4 && booking.showing) projected.showing = booking.showing;
  if (reached >= 5) {
    projected.selectedSeats = booking.selectedSeats ?? [];
    projected.tickets = booking.tickets ?? [];
  }
  return projected;
}

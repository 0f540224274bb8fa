// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The participant's wishes, read from plain sentences by a few rules, without a model.

export type Daytime = 'morning' | 'afternoon' | 'evening';
export type Rows = 'front' | 'middle' | 'back';
export type Kind = 'adult' | 'child' | 'senior';

export interface Wishes {
  seats: number;
  party: Partial<Record<Kind, number>>; // empty: unknown
  movie?: string; // part of a title
  genre?: string;
  theater?: string; // part of a name
  day?: string; // "today", "tomorrow", or a weekday: "sat"
  daytime?: Daytime;
  rows?: Rows;
  row?: string; // "C"
  cheaper: boolean;
  stopped: boolean;
}

// Names that the page has shown, which a sentence may mention.
export interface Catalogue {
  movies: { id: string; title: string; genre: string[] }[];
  theaters: { id: string; name: string }[];
}

export interface Heard {
  wishes: Wishes;
  understood: string[]; // "2 seats", "evening"; empty: no rule fits
}

export const kMaxSeats = 10;

export function newWishes(seats = 2): Wishes {
  return { seats, party: {}, cheaper: false, stopped: false };
}

const numbers: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
};
const numberWord = `(\\d{1,2}|${Object.keys(numbers).join('|')})`;

function numberOf(word: string): number {
  const value = numbers[word] ?? Number(word);
  return Math.min(kMaxSeats, Math.max(1, value));
}

const kinds: [Kind, string][] = [
  ['adult', 'adults?|grown-?ups?'],
  ['child', 'child(?:ren)?|kids?'],
  ['senior', 'seniors?|pensioners?'],
];

function hearParty(text: string): Pick<Wishes, 'seats' | 'party'> | undefined {
  const party: Wishes['party'] = {};
  for (const [kind, words] of kinds) {
    const found = new RegExp(`\\b${numberWord}\\s+(?:${words})\\b`).exec(text)?.[1];
    if (found !== undefined) party[kind] = numberOf(found);
  }
  const seats = Object.values(party).reduce((sum, count) => sum + count, 0);
  return seats > 0 ? { seats: Math.min(kMaxSeats, seats), party } : undefined;
}

function hearSeats(text: string): number | undefined {
  const found =
    new RegExp(`\\b${numberWord}\\s+(?:tickets?|seats?|people|persons?|of us)\\b`).exec(text)?.[1] ??
    new RegExp(`\\b(?:for|we are)\\s+${numberWord}\\b`).exec(text)?.[1];
  if (found !== undefined) return numberOf(found);
  return /\b(?:alone|by myself|just me)\b/.test(text) ? 1 : undefined;
}

const daytimes: [Daytime, RegExp][] = [
  ['evening', /\b(?:evening|tonight|night|late|after work)\b/],
  ['afternoon', /\bafternoon\b/],
  ['morning', /\b(?:morning|early)\b/],
];
const rowWords: [Rows, RegExp][] = [
  ['front', /\b(?:front|close to the screen)\b/],
  ['back', /\b(?:back row|back rows|in the back|at the back|far back|last row)\b/],
  ['middle', /\b(?:middle|cent(?:er|re))\b/],
];
const moods: [string, RegExp][] = [
  ['comedy', /\b(?:funny|laugh|comedy)\b/],
  ['horror', /\b(?:scary|horror)\b/],
  ['drama', /\bdrama(?:tic)?\b/],
  ['action', /\baction\b/],
  ['sci-fi', /\b(?:sci-?fi|science fiction)\b/],
];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function firstOf<T>(rules: readonly [T, RegExp][], text: string): T | undefined {
  return rules.find(([, rule]) => rule.test(text))?.[0];
}

function hearDay(text: string): string | undefined {
  if (/\btomorrow\b/.test(text)) return 'tomorrow';
  if (/\b(?:today|tonight)\b/.test(text)) return 'today';
  const day = /\b(sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?\b/.exec(text)?.[1];
  return weekdays.find((each) => day?.startsWith(each));
}

// A title without its article: "quiet engine" means "The Quiet Engine" too.
function bare(title: string): string {
  return title.toLowerCase().replace(/^(?:the|a|an)\s+/, '');
}

function hearMovie(text: string, catalogue: Catalogue): Pick<Wishes, 'movie' | 'genre'> | undefined {
  const movie = catalogue.movies.find((each) => text.includes(bare(each.title)));
  if (movie) return { movie: movie.title };
  const known = new Set(catalogue.movies.flatMap((each) => each.genre.map((genre) => genre.toLowerCase())));
  const genre = [...known].find((each) => text.includes(each)) ?? firstOf(moods, text);
  return genre === undefined ? undefined : { genre };
}

// Applies one sentence to the wishes. Each rule reads the whole sentence; wishes without a rule stay unchanged.
export function hear(sentence: string, before: Wishes, catalogue: Catalogue): Heard {
  const text = sentence.toLowerCase();
  if (/\b(?:stop|wait|hold on|pause)\b/.test(text)) {
    return { wishes: { ...before, stopped: true }, understood: ['stop'] };
  }
  const wishes: Wishes = { ...before };
  const understood: string[] = [];
  const take = (change: Partial<Wishes> | undefined, name: string): void => {
    if (change === undefined) return;
    Object.assign(wishes, change);
    understood.push(name);
  };
  const party = hearParty(text);
  const seats = party ? undefined : hearSeats(text);
  if (party) {
    const named = Object.entries(party.party).map(([kind, count]) => `${String(count)} ${kind}`);
    take(party, named.join(', '));
  }
  if (seats !== undefined) take({ seats, party: {} }, `${String(seats)} seat${seats === 1 ? '' : 's'}`);

  const film = hearMovie(text, catalogue);
  if (film) {
    delete wishes.movie;
    delete wishes.genre;
    take(film, film.movie ?? film.genre ?? '');
  }
  const theater = catalogue.theaters.find((each) => text.includes(bare(each.name)));
  if (theater) take({ theater: theater.name }, theater.name);
  const day = hearDay(text);
  if (day !== undefined) take({ day }, day);
  const daytime = firstOf(daytimes, text);
  if (daytime !== undefined) take({ daytime }, daytime);
  hearRows(text, wishes, take);
  if (/\bcheap(?:er|est)?\b/.test(text)) take({ cheaper: true }, 'cheaper');
  const goesOn = /\b(?:go on|continue|resume|go ahead)\b/.test(text);
  if (goesOn) understood.push('go on');
  if (understood.length > 0) wishes.stopped = false;
  return { wishes, understood };
}

function hearRows(
  text: string,
  wishes: Wishes,
  take: (change: Partial<Wishes> | undefined, name: string) => void,
): void {
  const row = /\brow ([a-z])\b/.exec(text)?.[1]?.toUpperCase();
  const rows = firstOf(rowWords, text);
  if (row === undefined && rows === undefined) return;
  delete wishes.row;
  delete wishes.rows;
  if (row !== undefined) take({ row }, `row ${row}`);
  else take(rows && { rows }, `${rows ?? ''} rows`);
}

const hours: Record<Daytime, [string, string]> = {
  morning: ['00:00', '11:59'],
  afternoon: ['12:00', '16:59'],
  evening: ['17:00', '23:59'],
};

export function fitsDaytime(time: string, daytime: Daytime | undefined): boolean {
  if (daytime === undefined) return true;
  const [from, to] = hours[daytime];
  return time >= from && time <= to;
}

function nextDay(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

// True if a day fits. `first`: the first day of the calendar, which is today.
export function fitsDay(date: string, first: string, day: string | undefined): boolean {
  if (day === undefined) return true;
  if (day === 'today') return date === first;
  if (day === 'tomorrow') return date === nextDay(first);
  return weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()] === day;
}

export function fitsMovie(movie: { title: string; genre: string[] }, wishes: Wishes): boolean {
  if (wishes.movie !== undefined) return bare(movie.title).includes(bare(wishes.movie));
  const { genre } = wishes;
  return genre === undefined || movie.genre.some((each) => each.toLowerCase() === genre.toLowerCase());
}

// True if a row fits. `rows`: all rows, from the screen to the back.
export function fitsRow(row: string, rows: readonly string[], wishes: Wishes): boolean {
  if (wishes.row !== undefined) return row === wishes.row;
  if (wishes.rows === undefined || rows.length === 0) return true;
  const place = (rows.indexOf(row) + 0.5) / rows.length;
  if (wishes.rows === 'front') return place < 1 / 3;
  return wishes.rows === 'back' ? place > 2 / 3 : place >= 1 / 3 && place <= 2 / 3;
}

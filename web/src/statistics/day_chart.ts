// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

// One row of values of a chart by day.
export interface ChartSeries {
  label: string;
  values: readonly (number | null)[]; // null: no value on that day
  colour: string; // a CSS variable: "--done"
  form: 'bars' | 'line' | 'dashes';
}

const kSecond = 1000;
const kMinute = 60 * kSecond;
const kHour = 60 * kMinute;
// Distances of two counts on an axis.
export const kCountSteps: readonly number[] = [1, 10, 100, 1000, 10_000, 100_000].flatMap((ten) => [
  ten,
  2 * ten,
  5 * ten,
]);
// Distances of two durations.
export const kTimeSteps: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((each) => each * kSecond),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * kMinute),
  ...[1, 2, 4, 8, 12, 24, 48, 96, 192, 384, 768].map((each) => each * kHour),
];

export interface DayChartData {
  days: readonly number[]; // Unix ms
  series: readonly ChartSeries[];
  format: (value: number) => string; // of the values on the axis
  formatDay: (at: number) => string;
  increments: readonly number[]; // between two values on the axis
}

const kAxisPx = 56;
const kDayAxisPx = 28;
const kFont = '12px "Inter Variable", system-ui, sans-serif';
const kBarShare = 0.7; // of a day's width
const kMaxBarPx = 40;
const kMinTickPx = 64; // between two days on the axis

const colourOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function seriesOf({ colour, form, label }: ChartSeries): uPlot.Series {
  const paint = colourOf(colour);
  if (form !== 'bars')
    return {
      label,
      stroke: paint,
      width: 2,
      spanGaps: true,
      points: { size: 6, fill: paint },
      ...(form === 'dashes' ? { dash: [6, 4] } : {}),
    };
  const paths = uPlot.paths.bars?.({ size: [kBarShare, kMaxBarPx], radius: 0.15 });
  return { label, stroke: paint, fill: paint, width: 0, points: { show: false }, ...(paths ? { paths } : {}) };
}

// Draws a chart into `into`, in the current colours of the theme. Returns functions that resize and remove it.
export function drawDayChart(
  into: HTMLElement,
  { days, format, formatDay, increments, series }: DayChartData,
  height: number,
): { resize: (width: number) => void; end: () => void } {
  const axis = {
    stroke: colourOf('--ink-3'),
    font: kFont,
    grid: { stroke: colourOf('--line'), width: 1 },
    ticks: { show: false },
  };
  const first = days[0] ?? 0;
  const last = days.at(-1) ?? 0;
  const half = 12 * kHour;
  const chart = new uPlot(
    {
      width: into.clientWidth || 300,
      height,
      ms: 1,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { range: () => [first - half, last + half] },
        y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
      },
      axes: [
        {
          ...axis,
          size: kDayAxisPx,
          grid: { show: false },
          space: kMinTickPx,
          splits: () => spread(days, into.clientWidth),
          values: (_chart, splits) => splits.map(formatDay),
        },
        { ...axis, size: kAxisPx, incrs: [...increments], values: (_chart, splits) => splits.map(format) },
      ],
      series: [{}, ...series.map(seriesOf)],
    },
    [[...days], ...series.map(({ values }) => [...values])],
    into,
  );
  chart.root.setAttribute('aria-hidden', 'true');
  return {
    resize: (width) => {
      chart.setSize({ width, height });
    },
    end: () => {
      chart.destroy();
    },
  };
}

// The days that get a name on the axis, counted from the last one.
export function spread(days: readonly number[], width: number): number[] {
  const step = Math.max(1, Math.ceil((days.length * kMinTickPx) / Math.max(1, width - kAxisPx)));
  return days.filter((_, at) => (days.length - 1 - at) % step === 0);
}

import { styleText } from 'node:util';
import type { Figure } from './figure.ts';

/** A row a figure: ours, the yardstick of the same run, the ratio, the target. */
export function showTable(figures: readonly Figure[]): void {
  const rows = figures.map((figure) => [
    figure.figure,
    `${[figure.p50, figure.p95, figure.p99].map(short).join(' / ')} ${figure.unit}`,
    figure.yardstick === undefined ? '' : `${figure.yardstick.name}: ${short(figure.yardstick.p50)}`,
    figure.ratio === undefined ? '' : `${figure.ratio.toFixed(2)} ×`,
    figure.target ?? '',
  ]);
  const headers = ['figure', 'p50 / p95 / p99', 'yardstick', 'ratio', 'target'];
  const widths = headers.map((header, column) =>
    Math.max(header.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  process.stdout.write(`${line(headers)}\n`);
  for (const [index, row] of rows.entries()) {
    process.stdout.write(`${line(row)}  ${markOf(figures[index]?.met)}\n`);
  }
}

function markOf(met: boolean | undefined): string {
  if (met === undefined) return '';
  return styleText(met ? 'green' : 'red', met ? 'met' : 'not met', { stream: process.stdout });
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

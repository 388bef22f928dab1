import { expect } from 'vitest';

export interface MetricLine {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const sampleLine = /^([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? (\S+)$/;

/** Reads the text as a monitor does, and holds it to the format: each family is described once, each series is there once. */
export function metricLines(text: string): MetricLine[] {
  expect(text.endsWith('\n')).toBe(true);
  const families = new Set<string>();
  const seen = new Set<string>();
  return text
    .slice(0, -1)
    .split('\n')
    .flatMap((line) => {
      const [, family] = /^# TYPE ([a-z_]+) (?:gauge|counter|histogram)$/.exec(line) ?? [];
      if (family !== undefined) {
        expect([family, families.has(family)]).toEqual([family, false]);
        families.add(family);
      }
      if (line.startsWith('# ')) return [];
      const [, name = '', pairs = '', value = ''] = sampleLine.exec(line) ?? [];
      const series = `${name}{${pairs}}`;
      expect([line, seen.has(series), Number.isFinite(Number(value)) && value !== '']).toEqual([
        line,
        false,
        true,
      ]);
      seen.add(series);
      expect(families).toContain(name.replace(/_(?:bucket|sum|count)$/, ''));
      return [{ name, labels: labelsOf(pairs), value: Number(value) }];
    });
}

function labelsOf(pairs: string): Record<string, string> {
  const found = [...pairs.matchAll(/([a-z]+)="((?:[^"\\]|\\.)*)"/g)];
  const plain = (text: string) =>
    text.replaceAll(/\\(.)/g, (_, each: string) => (each === 'n' ? '\n' : each));
  return Object.fromEntries(found.map(([, key = '', text = '']) => [key, plain(text)]));
}

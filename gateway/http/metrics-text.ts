import type { Metric, Sample } from '../ports/metrics.ts';

/** In the text format of Prometheus, version 0.0.4. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics.map(textOf).join('');
}

function textOf({ name, type, help, samples }: Metric): string {
  const lines = samples.map((sample) => `${lineOf(name, sample)}\n`);
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function lineOf(name: string, { part, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  const whole = part === undefined ? name : `${name}_${part}`;
  return `${whole}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

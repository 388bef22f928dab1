import type { Logger } from 'pino';
import { packageVersion } from '../package-version.ts';
import { createSpanExporter, type SpanExporter } from './span-exporter.ts';

/** `traces` of gateway.yaml and relay.yaml. */
export interface TracesConfig {
  /** Where the collector takes OTLP over HTTP. */
  readonly otlp: string;
}

/** Undefined if nobody wants traces: then nothing is kept for them. */
export function openTraces(
  config: TracesConfig | undefined,
  service: string,
  log: Pick<Logger, 'warn'>,
): SpanExporter | undefined {
  if (config === undefined) return undefined;
  const warn = (text: string) => log.warn({ collector: config.otlp }, text);
  return createSpanExporter({ url: config.otlp, service, version: packageVersion(), warn });
}

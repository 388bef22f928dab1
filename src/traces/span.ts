/** One step of a command, as it is told to a collector. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  /** Of which side of a call it is. */
  readonly kind: 'internal' | 'server' | 'client';
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** It did not end as it should. */
  readonly failed: boolean;
}

const kinds = { internal: 1, server: 2, client: 3 } as const;
const errorStatus = 2;

/** The body of a request to a collector: OTLP as JSON, version 1. */
export function otlpOf(service: string, version: string, spans: readonly Span[]): string {
  const attributes = attributesOf({ 'service.name': service, 'service.version': version });
  const scopeSpans = [{ scope: { name: 'clawrden', version }, spans: spans.map(otlpSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] });
}

function otlpSpan({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, failed }: Span) {
  return {
    ...{ traceId, spanId, ...(parentId !== '' && { parentSpanId: parentId }) },
    ...{ name, kind: kinds[kind] },
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(Math.max(startMs, endMs)),
    attributes: attributesOf(attributes),
    ...(failed && { status: { code: errorStatus } }),
  };
}

function attributesOf(values: Span['attributes']) {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

/** JSON has no numbers of that size. */
function nanosOf(ms: number): string {
  return `${BigInt(Math.round(ms * 1000))}000`;
}

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as a collector takes it: OTLP over HTTP, as JSON. */
export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty if it has none. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly failed: boolean;
}

/** A collector of traces on loopback. */
export interface Collector extends AsyncDisposable {
  /** Where it takes them. */
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** All bytes that it was sent, as text. */
  readonly sent: () => string;
  /** What it answers from now on; at first 200. */
  answer: number;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string;
}

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code: number };
}

export async function startCollector(): Promise<Collector> {
  const bodies: Body[] = [];
  const spans: CollectedSpan[] = [];
  const take = async (request: IncomingMessage) => {
    const isOtlp = request.method === 'POST' && request.url === '/v1/traces';
    if (!isOtlp || request.headers['content-type'] !== 'application/json') return 400;
    const body = (await json(request)) as Body;
    if (collector.answer !== 200) return collector.answer;
    bodies.push(body);
    spans.push(...body.resourceSpans.flatMap(spansOf));
    return 200;
  };
  const server = createServer((request, response) => {
    take(request).then(
      (code) => response.writeHead(code, { 'content-type': 'application/json' }).end('{}'),
      () => response.writeHead(400).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    sent: () => JSON.stringify(bodies),
    answer: 200,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}

function spansOf({ resource, scopeSpans }: Body['resourceSpans'][number]): CollectedSpan[] {
  const { 'service.name': service = '' } = valuesOf(resource.attributes);
  return scopeSpans.flatMap(({ spans }) =>
    spans.map((span) => ({
      ...{ service, traceId: span.traceId, spanId: span.spanId, parentId: span.parentSpanId ?? '' },
      ...{ name: span.name, kind: span.kind, attributes: valuesOf(span.attributes) },
      startMs: Number(BigInt(span.startTimeUnixNano)) / 1e6,
      endMs: Number(BigInt(span.endTimeUnixNano)) / 1e6,
      failed: span.status?.code === 2,
    })),
  );
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']),
  );
}

/** `name < name of its parent < …`, with the services' short names: `gateway/judge < gateway/execution`. */
export function pathOf(span: CollectedSpan, all: readonly CollectedSpan[]): string {
  const parent = all.find(({ spanId, traceId }) => spanId === span.parentId && traceId === span.traceId);
  const own = `${span.service.replace('clawrden-', '')}/${span.name}`;
  return parent === undefined ? own : `${own} < ${pathOf(parent, all)}`;
}

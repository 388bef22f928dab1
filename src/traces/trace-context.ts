import { randomBytes } from 'node:crypto';

/** What one program tells the next of a trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** Of the span that the next program's spans are below: 16 hexadecimal digits, not all zero. */
  readonly spanId: string;
  /** False: the first one wants nothing of it to be told. */
  readonly sampled: boolean;
}

const version0 = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Undefined if the text is no `traceparent` of version 0: then the trace begins here. */
export function readTraceparent(text: unknown): TraceContext | undefined {
  const [, traceId, spanId, flags] = (typeof text === 'string' && version0.exec(text)) || [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags ?? '', 16) & 1) === 1 };
}

export function toTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

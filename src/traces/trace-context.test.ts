import { expect, test } from 'vitest';
import { newSpanId, newTraceId, readTraceparent, toTraceparent } from './trace-context.ts';

test('a traceparent is read back as it was written, and nothing else is one', () => {
  for (const sampled of [true, false]) {
    const context = { traceId: newTraceId(), spanId: newSpanId(), sampled };
    expect(readTraceparent(toTraceparent(context))).toEqual(context);
  }
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  for (const wrong of [
    ...['', undefined, 7, [`00-${trace}-${span}-01`], `01-${trace}-${span}-01`, `00-${trace}-${span}-1`],
    ...[`00-${trace.toUpperCase()}-${span}-01`, `00-${trace}-${span}-01-x`, ` 00-${trace}-${span}-01`],
    ...[`00-${'0'.repeat(32)}-${span}-01`, `00-${trace}-${'0'.repeat(16)}-01`, `00-${trace}-${span}-zz`],
  ])
    expect([wrong, readTraceparent(wrong)]).toEqual([wrong, undefined]);
});

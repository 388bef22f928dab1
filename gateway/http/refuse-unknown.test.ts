import type { FastifyRequest } from 'fastify';
import { expect, test, vi } from 'vitest';
import { HttpRefused } from './problem.ts';
import { refuseUnknown } from './send-problem.ts';

const routes = [
  { method: 'GET', path: '/api/v1/executions' },
  { method: 'POST', path: '/api/v1/executions' },
  { method: 'DELETE', path: '/api/v1/executions/{id}' },
  ...Array.from({ length: 50 }, (_, at) => ({ method: 'GET' as const, path: `/api/v1/rooms/${at}/{id}` })),
] as const;

function refusalOf(url: string): HttpRefused {
  try {
    refuseUnknown(routes)({ url } as FastifyRequest);
  } catch (error) {
    if (error instanceof HttpRefused) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

test('A-537 P20: a path of thousands of parts that is not there costs as little as a short one', () => {
  const unknown = refuseUnknown(routes);
  const split = vi.spyOn(String.prototype, 'split');
  const ask = () => unknown({ url: `/${'a/'.repeat(8_000)}` } as FastifyRequest);
  let parts = 0;
  try {
    expect(ask).toThrow('there is nothing at this path');
    for (const { value } of split.mock.results) parts += (value as string[]).length;
  } finally {
    split.mockRestore();
  }
  expect(parts).toBeLessThan(50);
});

test('a path of another method says which ones it takes, and no other path does', () => {
  expect(refusalOf('/api/v1/executions?x=1').message).toBe('this path takes GET, POST');
  expect(refusalOf('/api/v1/executions/e1').message).toBe('this path takes DELETE');
  for (const url of ['/api/v1/executions/e1/more', '/api/v1', '/', '', '/api/v1/rooms/50/x'])
    expect(refusalOf(url).message).toBe('there is nothing at this path');
});

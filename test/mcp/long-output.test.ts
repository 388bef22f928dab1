import { afterEach, expect, test } from 'vitest';
import type { Execution } from '../../gateway/execution/execution.ts';
import { type AgentSite, startAgentSite } from './agent-site.ts';
import { clients, idOf } from './clients.ts';

const MiB = 1024 * 1024;
const tailBytes = 64 * 1024;

let site: AgentSite;
afterEach(() => site[Symbol.asyncDispose]());

/** Of a program that writes `all`. */
async function runAndRead(all: Buffer) {
  site = await startAgentSite(async (execution: Execution) => {
    for (let at = 0; at < all.length; at += 50_000)
      await execution.send({ type: 'stdout', bytes: all.subarray(at, at + 50_000) });
    return { kind: 'exited', code: 2, signal: 0 };
  });
  const client = await clients[0][1](site.door.url, site.token);
  const done = await client.call('execute', { program: 'job', args: [] });
  return {
    texts: done.texts,
    read: async (from: number) => {
      const { texts } = await client.call('read_output', {
        ...{ id: idOf(done), stream: 'stdout', from, max: 100_000 },
      });
      return [texts[0] ?? '', texts[1] ?? ''] as const;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

const lines = (bytes: number) =>
  Buffer.from(Array.from({ length: bytes / 10 }, (_, at) => `${String(at).padStart(9, '0')}\n`).join(''));

test('of 3 MiB the answer has the real end, the length, and what is not kept; both pieces are read', async () => {
  const all = lines(3 * MiB);
  await using ran = await runAndRead(all);
  const [head, first, begin = '', between, end = ''] = ran.texts;
  expect(head).toContain('exit code: 2');
  expect(first).toBe(`stdout, ${all.length} bytes, its beginning:`);
  expect(all.toString().startsWith(begin)).toBe(true);
  expect(end.length).toBeGreaterThan(9000);
  expect(all.toString().endsWith(end)).toBe(true);
  const tailFrom = all.length - tailBytes;
  expect(between).toContain(`bytes ${MiB} to ${tailFrom} are not kept`);
  expect(await ran.read(MiB - 50)).toEqual([
    `stdout, bytes ${MiB - 50} to ${MiB} of ${all.length}; bytes ${MiB} to ${tailFrom} are not kept; read on from ${tailFrom}:`,
    all.toString('utf8', MiB - 50, MiB),
  ]);
  for (const from of [2 * MiB, tailFrom])
    expect(await ran.read(from)).toEqual([
      `stdout, bytes ${tailFrom} to ${all.length} of ${all.length}:`,
      all.toString('utf8', tailFrom),
    ]);
  expect(await ran.read(all.length + 5)).toEqual([
    `stdout, bytes ${all.length} to ${all.length} of ${all.length}:`,
    '',
  ]);
});

test('what is a little longer than 1 MiB is kept whole', async () => {
  const all = lines(MiB + 50_000);
  await using ran = await runAndRead(all);
  expect(ran.texts.join('\n')).not.toContain('not kept');
  expect(ran.texts[1]).toBe(`stdout, ${all.length} bytes, its beginning:`);
  expect(all.toString().endsWith(ran.texts[4] ?? 'nothing')).toBe(true);
  const [, text] = await ran.read(MiB - 20);
  expect(text).toBe(all.toString('utf8', MiB - 20));
});

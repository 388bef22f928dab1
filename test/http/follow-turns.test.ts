import { expect, test } from 'vitest';
import { createRecentOutput } from '../../gateway/execution/recent-output.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import type { Outcome } from '../../src/outcome.ts';
import { holdPieces } from '../fixtures/held-pieces.ts';
import { startHttpGateway } from './http-gateway.ts';

test('A-551 P20: of all who read along one is told in a turn, also of the outcome', async () => {
  const pieces = holdPieces();
  const ends = Promise.withResolvers<Outcome>();
  const output = createRecentOutput();
  await using door = await startHttpGateway({
    nextPiece: pieces.nextPiece,
    warden: { follow: async () => ({ agent: 'coder', output, outcome: ends.promise }) },
  });
  const token = door.token('operator');
  const told = ['', ''];
  const read = async (at: number) => {
    const { body } = await door.fetch(`/api/v1/executions/${newExecutionId()}/follow`, { token });
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) told[at] += text;
  };
  const hears = (text: string) => told.filter((all) => all.includes(text)).length;
  output.add(1, Buffer.from('first'));
  const readings = Promise.all([read(0), read(1)]);
  for (const count of [1, 2]) {
    await pieces.giveOne(3 - count);
    await expect.poll(() => hears('first')).toBe(count);
  }
  output.add(1, Buffer.from('second'));
  await pieces.giveOne(2);
  await expect.poll(() => hears('second')).toBe(1);
  ends.resolve({ kind: 'exited', code: 0, signal: 0 });
  // One of them still waits for its piece of the output.
  await pieces.giveOne(3);
  await expect.poll(() => hears('second')).toBe(2);
  expect(hears('outcome')).toBe(0);
  await pieces.giveOne(2);
  await expect.poll(() => hears('outcome')).toBe(1);
  pieces.giveAll();
  await readings;
  expect(hears('outcome')).toBe(2);
});

import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { CarrierFrame } from '../../../src/carrier-client/carrier-frame.ts';
import { encodeFrame, FrameError } from '../../../src/wire/frames.ts';
import { readGreeting } from './greeting.ts';

const working = encodeFrame(CarrierFrame.working);
const ready = encodeFrame(CarrierFrame.ready);

test('a carrier that worked for hours is greeted, and its bytes stay to be read', async () => {
  const said = Buffer.concat([...Array<Buffer>(500).fill(working), ready]);
  const output = Readable.from(
    Array.from({ length: said.length }, (_, at) => said.subarray(at, at + 1)),
    { objectMode: false },
  );
  expect(await readGreeting(output)).toBe('');
  const left = output.read() as Buffer;
  expect(left.subarray(0, said.length).equals(said)).toBe(true);
});

test('A-477 P20: a carrier that names all that it may is greeted, and its bytes stay to be read', async () => {
  const lists = encodeFrame(CarrierFrame.ready, Buffer.alloc(3 * 300 * 1024, 'x'));
  const said = Buffer.concat([...Array<Buffer>(500).fill(working), lists]);
  const pieces = Array.from({ length: 15 }, (_, at) => said.subarray(at * 65_536, (at + 1) * 65_536));
  const output = Readable.from(pieces, { objectMode: false });
  expect(await readGreeting(output)).toBe('');
  expect((output.read() as Buffer).subarray(0, said.length).equals(said)).toBe(true);
});

test('A-422: of a carrier that works without an end few bytes are kept', async () => {
  let made = 0;
  const output = new Readable({
    read: () => {
      made += 1;
      output.push(Buffer.concat(Array<Buffer>(1000).fill(working)));
    },
  });
  await expect(readGreeting(output)).rejects.toThrow(FrameError);
  expect(made).toBeLessThan(50);
});

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

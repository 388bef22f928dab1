import { describe, expect, test } from 'vitest';
import { type Frame, FrameType } from '../wire/frames.ts';
import { joinFrames } from './join-frames.ts';

const frame = (type: number, text: string): Frame => ({ type, payload: Buffer.from(text) });
const shown = (frames: Frame[]) => frames.map(({ type, payload }) => `${type} ${payload.toString()}`);

describe('joined frames', () => {
  test('neighbours of one output become one, in order; the two outputs and everything else stay apart', () => {
    const { stdout, stderr, credit, exit } = FrameType;
    const frames = [
      ...[frame(stdout, 'a'), frame(stdout, ''), frame(stdout, 'b'), frame(stderr, 'c'), frame(stdout, 'd')],
      ...[frame(credit, '1'), frame(credit, '2'), frame(stderr, 'e'), frame(stderr, 'f'), frame(exit, 'x')],
    ];
    expect(shown(joinFrames(frames))).toEqual(['1 ab', '2 c', '1 d', '9 1', '9 2', '2 ef', '3 x']);
  });

  test('nothing is over 64 KiB that was not before', () => {
    const sizes = [40_000, 25_000, 1000, 100_000, 1, 65_535, 1];
    const frames = sizes.map((size) => frame(FrameType.stdout, 'x'.repeat(size)));
    const joined = joinFrames(frames).map(({ payload }) => payload.length);
    expect(joined).toEqual([65_000, 1000, 100_000, 65_536, 1]);
  });

  test('no frames, no frames', () => {
    expect(joinFrames([])).toEqual([]);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame, FrameReader, FrameType } from '../wire/frames.ts';
import { spokenInit, spokenPlan } from './spoken-init.fixture.ts';
import { encodeToInit, type ToInit, WaitingInputs } from './waiting-inputs.ts';

const input: fc.Arbitrary<ToInit> = fc.oneof(
  fc.constantFrom(1, 2, 3, 10, 12, 15, 18, 20).map((signal): ToInit => ({ type: 'signal', signal })),
  fc.record({ cols: fc.nat(0xffff), rows: fc.nat(0xffff) }).map((size): ToInit => ({ type: 'resize', size })),
  fc.constantFrom(1 as const, 2 as const).map((fd): ToInit => ({ type: 'closed', fd })),
  fc.uint8Array({ minLength: 1, maxLength: 100 }).map((bytes): ToInit => ({ type: 'stdin', bytes })),
  fc.constantFrom<ToInit>({ type: 'stdin-end' }, { type: 'cancel' }),
);

test('A-86 P22: of whatever is sent to an init that does not read, one of each control and all of stdin is held', () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 400 }), (inputs) => {
      const waiting = new WaitingInputs();
      for (const one of inputs) waiting.add(one);
      expect(waiting.isEmpty).toBe(inputs.length === 0);
      const frames = waiting.take();
      expect(waiting.isEmpty).toBe(true);
      // Eight signals, two readers, a size, the end of stdin, a cancel; and stdin itself.
      expect(frames.length).toBeLessThanOrEqual(14);
      const stdin = inputs.flatMap((one) => (one.type === 'stdin' ? [...one.bytes] : []));
      const read = new FrameReader().push(Buffer.concat(frames));
      expect(read.filter(({ type }) => type === 5).flatMap(({ payload }) => [...payload])).toEqual(stdin);
      // The newest control is the last to be sent.
      const last = inputs.findLast(({ type }) => type !== 'stdin');
      if (last !== undefined) expect(frames.at(-1)).toEqual(encodeToInit(last));
      const newest = inputs.findLast(({ type }) => type === 'resize');
      if (newest !== undefined) expect(frames).toContainEqual(encodeToInit(newest));
    }),
    { numRuns: 300 },
  );
});

test('A-361 P22: an init that grants stdin and takes none ends when its window waits', async () => {
  using init = await spokenInit();
  const bytes = Buffer.alloc(256 * 1024);
  const window = Buffer.alloc(4);
  window.writeUInt32BE(bytes.length);
  const grant = encodeFrame(FrameType.credit, window);
  let [held, grants] = [0, 0];
  const send = () => {
    init.session.input({ type: 'stdin', bytes });
    held = Math.max(held, init.heldBytes());
    grants += 1;
    init.say(grants < 100 ? [grant] : []);
    return undefined;
  };
  const running = init.session.run({ plan: spokenPlan, send, onStarted: () => {} });
  const ending = running.then(
    () => 'ended',
    (error: unknown) => String(error),
  );
  await init.asked;
  init.socket.pause();
  init.say([encodeFrame(FrameType.started), grant]);
  expect(await ending).toBe(
    `InitFault: the init grants stdin and takes none: more than ${bytes.length} bytes wait`,
  );
  expect(held).toBeLessThanOrEqual(bytes.length + 5);
});

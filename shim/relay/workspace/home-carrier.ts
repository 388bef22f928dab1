import type { Readable, Writable } from 'node:stream';
import { CarrierFrame } from '../../../src/carrier-client/carrier-frame.ts';
import { encodeHello, type Hello } from '../../../src/carrier-client/hello.ts';
import { encodeFrame } from '../../../src/wire/frames.ts';
import { readGreeting } from './greeting.ts';
import type { StartedCarrier } from './started-carrier.ts';

/** The carrier of one home. The relay has said hello to it. */
export interface HomeCarrier extends AsyncDisposable {
  /** Frames from it; the first one is `ready` or `refused`. */
  readonly output: Readable;
  /** Frames to it. */
  readonly input: Writable;
  /** Resolves once its first frame can be read: empty if it is `ready`, or why this home cannot be kept. */
  readonly greeting: Promise<string>;
  /**
   * Lets it do what it is at, write what it knows and end, and kills it once it says nothing for 10 s, or if it does not
   * end in that time and was not ready: somebody must read its output meanwhile. Resolves when it is gone, with how it
   * ended. To dispose of it drops its output, too.
   */
  readonly end: () => Promise<string>;
}

/** In the middle of a commit it says every 5 s that it works. */
const silentMs = 10_000;
const endWithinMs = 30 * 60_000;

/** Says hello. The frames of a gateway name paths below the root only. */
export function greetCarrier(started: StartedCarrier, hello: Hello): HomeCarrier {
  const { input, output, gone } = started;
  input.on('error', () => {});
  output.on('error', () => {});
  input.write(encodeFrame(CarrierFrame.hello, encodeHello(hello)));
  const greeting = greetingOf(output, gone);
  let isReady = false;
  void greeting.then((refusal) => {
    isReady = refusal === '';
  });
  const end = () => endOf(started, isReady);
  return {
    ...{ input, output, end, greeting },
    [Symbol.asyncDispose]: async () => {
      output.resume();
      await end();
    },
  };
}

async function greetingOf(output: Readable, gone: Promise<string>): Promise<string> {
  const greeting = await readGreeting(output).catch((error: Error) => error.message);
  return greeting ?? `the carrier ${await gone} before it had looked at the workspace`;
}

/** Before it is ready, it only looks at the tree: its successor would wait for that, too. */
async function endOf({ input, output, gone, kill }: StartedCarrier, isReady: boolean): Promise<string> {
  input.end();
  const silent = setTimeout(kill, silentMs);
  const late = setTimeout(kill, endWithinMs);
  const works = () => void silent.refresh();
  if (isReady) output.on('data', works);
  try {
    return await gone;
  } finally {
    output.off('data', works);
    clearTimeout(silent);
    clearTimeout(late);
  }
}

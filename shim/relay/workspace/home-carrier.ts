import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { CarrierFrame } from '../../../src/carrier-client/carrier-frame.ts';
import { encodeHello } from '../../../src/carrier-client/hello.ts';
import type { Identity } from '../../../src/command.ts';
import { encodeFrame } from '../../../src/wire/frames.ts';
import { readGreeting } from './greeting.ts';
import type { HomeWish } from './home-wish.ts';

/** The carrier of one home. The relay has said hello to it. */
export interface HomeCarrier extends AsyncDisposable {
  /** Frames from it; the first one is `ready` or `refused`. */
  readonly output: Readable;
  /** Frames to it. */
  readonly input: Writable;
  /** Resolves once its first frame can be read: empty if it is `ready`, or why this home cannot be kept. */
  readonly greeting: Promise<string>;
  /**
   * Lets it write what it knows and end, and kills it 5 s later: somebody must read its output meanwhile. Resolves when
   * it is gone, with how it ended. To dispose of it drops its output, too.
   */
  readonly end: () => Promise<string>;
}

export interface CarrierOptions {
  readonly binary: string;
  /** What it writes to its stderr, at its end: it writes nothing if all is well. */
  readonly onComplaint: (text: string) => void;
}

export interface CarrierPlace {
  readonly root: string;
  /** For the carrier's own files. */
  readonly area: string;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const endWithinMs = 5000;
const complaintMost = 4096;

/**
 * Starts the carrier as a child. What it may open is what the agent may open, and the frames of a gateway name paths
 * below the root only. Throws a line for people if this relay cannot become the agent.
 */
export function startHomeCarrier(
  { binary, onComplaint }: CarrierOptions,
  place: CarrierPlace,
  wish: HomeWish,
): HomeCarrier {
  checkUser(wish.user);
  const child = spawn(binary, [], { stdio: ['pipe', 'pipe', 'pipe'], env: {}, cwd: '/' });
  const gone = goneOf(child);
  const { stdin: input, stdout: output } = child;
  input.on('error', () => {});
  output.on('error', () => {});
  passOn(child.stderr, onComplaint);
  input.write(encodeFrame(CarrierFrame.hello, helloOf(place, wish)));
  const end = () => endOf(child, gone);
  return {
    ...{ input, output, end, greeting: greetingOf(output, gone) },
    [Symbol.asyncDispose]: async () => {
      output.resume();
      await end();
    },
  };
}

function helloOf({ root, area }: CarrierPlace, { user, limits, excludes }: HomeWish): Buffer {
  return encodeHello({ role: 'home', ...user, limits, root, area, excludes });
}

/** Started as root, it shuts itself in with the workspace and becomes the agent before it reads anything. */
function checkUser({ uid }: Identity): void {
  const own = process.geteuid?.();
  if (uid === 0) throw new Error('the workspace of root is never carried');
  if (own === 0 || own === uid) return;
  const why = `the relay runs as uid ${own} and cannot become uid ${uid}`;
  throw new Error(`${why}: start the relay as root`);
}

/** Resolves with how it ended. */
function goneOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal ? `was killed by ${signal}` : `ended with status ${code}`),
    );
    child.once('error', ({ message }) => resolve(`cannot be started: ${message}`));
  });
}

async function greetingOf(output: Readable, gone: Promise<string>): Promise<string> {
  const greeting = await readGreeting(output).catch((error: Error) => error.message);
  return greeting ?? `the carrier ${await gone} before it had looked at the workspace`;
}

function passOn(stderr: Readable, onComplaint: (text: string) => void): void {
  let text = '';
  stderr.setEncoding('utf8');
  stderr.on('error', () => {});
  stderr.on('data', (more: string) => {
    text = (text + more).slice(0, complaintMost);
  });
  stderr.once('close', () => {
    if (text !== '') onComplaint(text);
  });
}

async function endOf(child: Child, gone: Promise<string>): Promise<string> {
  child.stdin.end();
  const late = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
  try {
    return await gone;
  } finally {
    clearTimeout(late);
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A carrier's process, wherever it runs. */
export interface StartedCarrier {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when it is gone, with how it ended; some seconds after `kill` in any case. */
  readonly gone: Promise<string>;
  readonly kill: () => void;
}

/** Gets what a carrier wrote to its stderr, at its end: it writes nothing if all is well. */
export type OnComplaint = (text: string) => void;

const complaintMost = 4096;

/** What comes in pieces is told once. */
export interface Complaint {
  readonly add: (more: string) => void;
  readonly tell: () => void;
}

export function complaintFor(onComplaint: OnComplaint): Complaint {
  let text = '';
  return {
    add: (more) => {
      text = (text + more).slice(0, complaintMost);
    },
    tell: () => {
      if (text !== '') onComplaint(text);
    },
  };
}

/** The carrier as a child of this process. */
export function startChild(binary: string, onComplaint: OnComplaint): StartedCarrier {
  const child = spawn(binary, [], { stdio: ['pipe', 'pipe', 'pipe'], env: {}, cwd: '/' });
  const { add, tell } = complaintFor(onComplaint);
  child.stderr.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', add).once('close', tell);
  return {
    ...{ input: child.stdin, output: child.stdout, gone: goneOf(child) },
    kill: () => void child.kill('SIGKILL'),
  };
}

function goneOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal ? `was killed by ${signal}` : `ended with status ${code}`),
    );
    child.once('error', ({ message }) => resolve(`cannot be started: ${message}`));
  });
}

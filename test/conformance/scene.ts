import { constants } from 'node:os';
import type { Case, Output, Stdin, Step } from './case.ts';

/** A case prepared for one side: where it runs, with which environment, and which file is its stdin. */
export interface Scene {
  readonly case: Case;
  readonly cwd: string;
  readonly env: readonly string[];
  /** Absolute path of stdin's file; if absent, a `file` is a pipe with the same content. */
  readonly input?: string;
}

type Kind = Stdin | Output | 'same';

const kinds: Readonly<Record<Kind, number>> = { closed: 0, null: 1, pipe: 2, tty: 3, same: 4, file: 5 };
const defaultTimeoutMs = 20_000;

/** The message for the driver, whose scene.c reads it. */
export function encodeScene(scene: Scene): Buffer {
  const { umask = 0o022, ignored = [], timeoutMs = defaultTimeoutMs, argv } = scene.case;
  const [stdin, stdout, stderr] = kindsOf(scene);
  const [cols, rows] = sizeOf(scene.case);
  const steps = stepsOf(scene, stdin);
  return Buffer.concat([
    Buffer.from([kinds[stdin], kinds[stdout], kinds[stderr], scene.case.keepStdin === true ? 1 : 0]),
    ...[u32(umask), u32(cols), u32(rows), u64(signalSet(ignored)), u32(timeoutMs)],
    ...[text(scene.cwd), text(scene.input ?? '')],
    ...[list(argv), list(scene.env)],
    ...[u32(steps.length), ...steps.map(encodeStep)],
  ]);
}

export function sizeOf({ tty }: Case): readonly [cols: number, rows: number] {
  return tty === undefined || tty === true ? [80, 24] : tty;
}

function kindsOf({ case: { stdin, stdout, stderr, tty, keepStdin }, input }: Scene): [Stdin, Output, Kind] {
  const usual = tty === undefined ? 'pipe' : 'tty';
  const given = typeof stdin === 'object' ? 'pipe' : stdin;
  const first = given ?? (tty !== undefined ? 'tty' : keepStdin === true ? 'pipe' : 'null');
  return [first === 'file' && input === undefined ? 'pipe' : first, stdout ?? usual, stderr ?? usual];
}

function stepsOf({ case: { stdin, input = '', steps = [] } }: Scene, kind: Stdin): readonly Step[] {
  if (stdin === 'file') return kind === 'pipe' ? [{ write: input }, { end: 'stdin' }, ...steps] : steps;
  if (typeof stdin !== 'object') return steps;
  return [{ write: stdin.bytes }, { end: 'stdin' }, ...steps];
}

function encodeStep(step: Step): Buffer {
  if ('sleep' in step) return stepOf(0, step.sleep);
  if ('until' in step) return stepOf(1, 0, step.until);
  if ('write' in step) return stepOf(2, 0, step.write);
  if ('end' in step) return stepOf(3);
  if ('signal' in step) return stepOf(4, constants.signals[step.signal]);
  if ('resize' in step) return stepOf(5, step.resize[0] * 65_536 + step.resize[1]);
  if ('close' in step) return stepOf(6, outputNumber(step.close));
  if ('untilStopped' in step) return stepOf(7);
  if ('foreground' in step) return stepOf(8);
  if ('pause' in step) return stepOf(9, outputNumber(step.pause));
  if ('resume' in step) return stepOf(10, outputNumber(step.resume));
  return stepOf(11, 0, step.untilError);
}

function outputNumber(output: 'stdout' | 'stderr'): number {
  return output === 'stdout' ? 1 : 2;
}

function stepOf(kind: number, number = 0, bytes: string | Uint8Array = ''): Buffer {
  return Buffer.concat([Buffer.from([kind]), u32(number), text(bytes)]);
}

function signalSet(names: readonly NodeJS.Signals[]): bigint {
  return names.reduce((set, name) => set | (1n << BigInt(constants.signals[name] - 1)), 0n);
}

function list(items: readonly string[]): Buffer {
  return Buffer.concat([u32(items.length), ...items.map(text)]);
}

function text(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([u32(bytes.length), bytes, Buffer.from([0])]);
}

function u32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

function u64(number: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(number);
  return bytes;
}

import type { Socket } from 'node:net';
import { DockerDemux } from '../../../../init-client/docker-demux.ts';
import { type CallersTerminal, openCallersTerminal } from '../../../run/exec/callers-terminal.ts';
import { type OutputSink, openSink } from '../../../run/exec/output-sink.ts';
import { dieBy, watchSignals } from '../../../run/exec/signals.ts';
import type { ToldEngine } from './tell-engine.ts';

export interface StreamsOptions {
  /** The command of ours, for its errors. */
  readonly what: string;
  /** What is written there comes in one stream, a terminal's. */
  readonly tty: boolean;
  /** This process's stdin goes there. */
  readonly input: boolean;
}

/** This process's descriptors, for what a container runs. */
export interface CallersStreams {
  /** Whether that has this process's terminal. */
  readonly hasTerminal: boolean;
  /** Resolves when everything is written that came. */
  readonly connect: (socket: Socket) => Promise<void>;
  /** From now on each size of the terminal goes to this path of the engine's. */
  readonly resize: (engine: ToldEngine, path: string) => void;
  /** This process gets this signal: without a terminal, `forward` has it. */
  readonly watchSignals: (forward: (signal: number) => void) => void;
  readonly close: () => void;
}

const brokenPipe = 13;

/** Throws if it shall have a terminal, and this process has none. */
export function openCallersStreams({ what, tty, input }: StreamsOptions): CallersStreams {
  let tellSize = () => {};
  const terminal = tty && input ? openCallersTerminal(() => tellSize(), what) : undefined;
  const die = (signal: number) => {
    terminal?.restore();
    dieBy(signal);
  };
  const [out, err] = [openSink(1, () => die(brokenPipe)), openSink(2, () => die(brokenPipe))];
  return {
    hasTerminal: terminal !== undefined,
    connect: async (socket) => {
      if (input) sendInput(socket, terminal);
      await (tty ? writeAll(socket, out) : writeBoth(socket, out, err));
      await Promise.all([out.flush(), err.flush()]);
    },
    resize: (engine, path) => {
      if (terminal === undefined) return;
      tellSize = () => {
        const { cols, rows } = terminal.size();
        // It may have ended by now.
        engine.post(`${path}?h=${rows}&w=${cols}`).catch(() => {});
      };
      tellSize();
    },
    watchSignals: (forward) => watchSignals(terminal === undefined ? forward : die),
    close: () => terminal?.restore(),
  };
}

/** The end of stdin is the end of the container's. */
function sendInput(socket: Socket, terminal: CallersTerminal | undefined): void {
  terminal?.makeRaw();
  process.stdin.on('error', () => socket.end());
  process.stdin.pipe(socket);
}

async function writeAll(socket: Socket, out: OutputSink): Promise<void> {
  for await (const chunk of chunksOf(socket)) await out.write(chunk);
}

async function writeBoth(socket: Socket, out: OutputSink, err: OutputSink): Promise<void> {
  const demux = new DockerDemux();
  for await (const chunk of chunksOf(socket))
    for (const { stream, bytes } of demux.push(chunk)) await (stream === 2 ? err : out).write(bytes);
}

/** A connection that is lost ends like any other: how the program ended, the engine says. */
async function* chunksOf(socket: Socket): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of socket) yield chunk as Buffer;
  } catch {}
}

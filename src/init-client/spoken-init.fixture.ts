import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { encodeFrame, FrameReader, FrameType } from '../wire/frames.ts';
import { InitSession } from './init-session.ts';
import type { InitPlan } from './plan-encoding.ts';

/** A session, and a server at the other end of its socket that says what a test makes it say, as an engine would. */
export interface SpokenInit extends Disposable {
  readonly session: InitSession;
  readonly say: (frames: readonly Uint8Array[]) => void;
  /** Bytes as they are, with no header of the engine. */
  readonly write: (bytes: Uint8Array) => boolean;
  readonly socket: Socket;
  /** How much waits for it in the session's own stream. */
  readonly heldBytes: () => number;
  readonly hangUp: () => void;
  /** Resolves when the plan has come. */
  readonly asked: Promise<void>;
}

/** The engine's header before bytes of a container's stdout, or of another stream. */
export function attached(bytes: Uint8Array, stream = 1): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

/** It has said that it is ready. */
export async function spokenInit(): Promise<SpokenInit> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const ours = connect({ port, host: '127.0.0.1' });
  const [theirs] = (await once(server, 'connection')) as [Socket];
  server.close();
  theirs.on('error', () => {});
  const session = new InitSession(ours);
  theirs.write(attached(encodeFrame(FrameType.ready, Uint8Array.of(5))));
  await session.ready();
  const asked = Promise.withResolvers<void>();
  const reader = new FrameReader();
  theirs.on('data', (chunk: Buffer) => {
    if (reader.push(chunk).some(({ type }) => type === FrameType.plan)) asked.resolve();
  });
  return {
    session,
    say: (frames) => void theirs.write(Buffer.concat(frames.map((frame) => attached(frame)))),
    write: (bytes) => theirs.write(bytes),
    socket: theirs,
    heldBytes: () => ours.writableLength,
    hangUp: () => void theirs.end(),
    asked: asked.promise,
    [Symbol.dispose]: () => {
      session.destroy();
      theirs.destroy();
    },
  };
}

export const spokenPlan: InitPlan = {
  ...{ mirror: false, stdinNone: false, terminal: false, confine: false, inspect: false, network: false },
  leave: false,
  ...{ stdio: ['pipe', 'pipe', 'pipe'], umask: 0o22, cols: 80, rows: 24, ignored: [], blocked: [] },
  ...{ runMs: 0, idleMs: 0, outputBytes: 0, fileBytes: 0, cwd: '/', workspace: '' },
  ...{ argv: ['tool'], env: [], operands: [], expected: [], files: [] },
};

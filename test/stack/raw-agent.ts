import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FrameReader } from '../../src/wire/frames.ts';
import type { AgentContainer, AgentOptions } from '../lab/agent-container.ts';
import { nodeImage } from '../lab/images/catalogue.ts';

/** The result of one connection to an agent's socket. */
export interface Answer {
  readonly acks: readonly number[];
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: readonly number[] | undefined;
  /** False if it was still open at its deadline. */
  readonly byServer: boolean;
  /** Errno name of a connection that failed. */
  readonly error: string;
  readonly ms: number;
}

/** Bytes, or bytes and the milliseconds to wait after them. */
export type Chunk = Uint8Array | readonly [Uint8Array, number];

export interface RawOptions {
  readonly socket?: string;
  /** Milliseconds until the client gives up; 15 s if absent. */
  readonly withinMs?: number;
}

/** Sends bytes to an agent's socket from a process in its container. */
export interface RawAgent extends Disposable {
  readonly send: (chunks: readonly Chunk[], options?: RawOptions) => Promise<Answer>;
  /** One request: an object to be written as JSON, or the body itself. */
  readonly request: (body: object | string | Uint8Array, options?: RawOptions) => Promise<Answer>;
}

const program = '/raw-client.mts';

/** Options for a container in which `startRawAgent` works. */
export const rawContainer = {
  image: nodeImage,
  command: ['sleep', 'infinity'],
  extra: ['--volume', `${join(import.meta.dirname, 'raw-client.ts')}:${program}:ro`],
} satisfies Partial<AgentOptions>;

/** The request R0 of the security cases, for a tool that is not called with arguments. */
export const plainRequest = {
  v: 1,
  command: 'ls',
  args: [] as string[],
  cwd: '/app',
  env: ['PATH=/usr/bin:/bin', 'LANG=C.UTF-8'],
  identity: { uid: 1000, gid: 1000 },
  umask: 18,
  stdio: ['null', 'pipe', 'pipe'],
  ignored: [] as number[],
};

export function startRawAgent(agent: AgentContainer): RawAgent {
  const child = agent.spawn(['node', program]);
  const waiting = new Map<number, (line: Line) => void>();
  let last = 0;
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    waiting.get(line.id)?.(line);
    waiting.delete(line.id);
  });
  child.stdin.on('error', () => {});
  const send: RawAgent['send'] = async (chunks, options = {}) => {
    const { socket = '/var/run/clawrden/warden.sock', withinMs = 15_000 } = options;
    last += 1;
    const { promise, resolve } = Promise.withResolvers<Line>();
    waiting.set(last, resolve);
    const order = { id: last, socket, chunks: chunks.map(toOrder), withinMs };
    child.stdin.write(`${JSON.stringify(order)}\n`);
    return readAnswer(await promise);
  };
  return {
    send,
    request: (body, options) => send([encodeRequest(body)], options),
    [Symbol.dispose]: () => void child.kill(),
  };
}

interface Line {
  readonly id: number;
  readonly bytes: string;
  readonly error: string;
  readonly byServer: boolean;
  readonly ms: number;
}

/** A length and the body. */
export function encodeRequest(body: object | string | Uint8Array): Buffer {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const bytes = Buffer.from(text as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function toOrder(chunk: Chunk): [string, number] {
  const [bytes, waitMs] = chunk instanceof Uint8Array ? [chunk, 0] : chunk;
  return [Buffer.from(bytes).toString('base64'), waitMs];
}

/** No person is asked here: there is one ack, and frames after it. */
function readAnswer({ bytes, error, byServer, ms }: Line): Answer {
  const all = Buffer.from(bytes, 'base64');
  const frames = new FrameReader().push(all.subarray(1));
  const text = (fd: number) =>
    Buffer.concat(frames.filter(({ type }) => type === fd).map(({ payload }) => payload)).toString();
  const last = frames.at(-1);
  return {
    acks: [...all.subarray(0, 1)],
    stdout: text(1),
    stderr: text(2),
    exit: last?.type === 3 ? [...last.payload] : undefined,
    byServer,
    error,
    ms,
  };
}

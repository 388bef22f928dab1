import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { Socket } from 'node:net';
import { z } from 'zod';
import { CliError } from '../../../reach/cli-error.ts';
import { answerTo, bytesOf, responseOf } from '../../doctor/engine-request.ts';

/** An engine under load starts a container in this time. */
const timeoutMs = 120_000;

/** What an engine refused, with its status. */
export class EngineRefusal extends CliError {
  readonly status: number;

  constructor(what: string, status: number, message: string) {
    super(what, `the engine says: ${message || status}`, 'mend that, and start it again');
    this.status = status;
  }
}

/** Calls about one command of ours, whose name its errors begin with. */
export interface ToldEngine {
  /** A call that changes something. Its answer's JSON, or `undefined` if that has none. */
  readonly post: (path: string, body?: object) => Promise<unknown>;
  readonly remove: (path: string) => Promise<unknown>;
  /** A call that the engine takes now and answers later: its answer's JSON, however long that takes. */
  readonly wait: (path: string) => Promise<{ readonly answer: Promise<unknown> }>;
  /** A stream of a container, from its engine and to it. */
  readonly attach: (path: string, body?: object) => Promise<Socket>;
}

/** The engine at `unix:///PATH`. */
export function tellEngine(engine: string, what: string): ToldEngine {
  const common: RequestOptions = { method: 'POST', socketPath: new URL(engine).pathname, agent: false };
  const read = async (answer: IncomingMessage) => {
    const said = parse((await bytesOf(answer)).toString());
    const { statusCode = 0 } = answer;
    if (statusCode >= 400) throw new EngineRefusal(what, statusCode, messageIn(said));
    return said;
  };
  const send = async (options: RequestOptions, body?: object) => {
    const json = body && JSON.stringify(body);
    const signal = AbortSignal.timeout(timeoutMs);
    return await read(
      await responseOf(request({ ...common, headers: contentOf(json), ...options, signal }), json),
    );
  };
  return {
    post: (path, body) => send({ path }, body),
    remove: (path) => send({ path, method: 'DELETE' }),
    wait: async (path) => ({ answer: read(await responseOf(request({ ...common, path }))) }),
    attach: (path, body = {}) => upgrade({ ...common, path }, JSON.stringify(body), what),
  };
}

function contentOf(json: string | undefined): Readonly<Record<string, string | number>> {
  if (json === undefined) return { 'content-length': 0 };
  return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) };
}

async function upgrade(options: RequestOptions, json: string, what: string): Promise<Socket> {
  const headers = { ...contentOf(json), connection: 'Upgrade', upgrade: 'tcp' };
  const asked = request({ ...options, headers, timeout: timeoutMs });
  asked.on('timeout', () => asked.destroy(new Error('the engine does not answer')));
  const upgraded = new Promise<Socket>((resolve) => {
    asked.on('upgrade', (_answer, socket, head) => {
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
  });
  const refused = answerTo(asked, json).then(async (answer) => {
    const said = parse((await bytesOf(answer)).toString());
    throw new EngineRefusal(what, answer.statusCode ?? 0, messageIn(said));
  });
  return await Promise.race([upgraded, refused]);
}

function parse(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

function messageIn(said: unknown): string {
  const found = z.object({ message: z.string() }).safeParse(said);
  return found.success ? found.data.message.trim() : '';
}

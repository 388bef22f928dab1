import type { WardenApi } from '../../gateway/ports/warden-api.ts';
import { emptyWarden } from '../grpc/gateway.ts';
import { type HttpGateway, type HttpGatewayOptions, startHttpGateway } from './http-gateway.ts';
import { type RawAnswer, rawHttp } from './raw-http.ts';

/** A door that notes what a request reached: the name of each call behind it. */
export interface SpiedDoor extends AsyncDisposable {
  readonly door: HttpGateway;
  /** Of an admin. */
  readonly token: string;
  /** What was called since this was asked last. */
  readonly acts: () => string[];
  /** `Host`, `Authorization` and the type of a body, as header lines. */
  readonly own: readonly string[];
  /** Sends these bytes over a connection of an address of its own, and reads until its end. */
  readonly send: (text: string) => Promise<RawAnswer>;
}

const pace = { headersMs: 400, requestMs: 900, idleMs: 500, takenMs: 300, stalledMs: 500 };

export async function startSpiedDoor(options: Omit<HttpGatewayOptions, 'warden'> = {}): Promise<SpiedDoor> {
  const acts: string[] = [];
  const limits = { connections: 512, perAddress: 512, requestsPerSecond: 100_000 };
  const door = await startHttpGateway({
    ...{ pace, limits },
    execute: async () => {
      acts.push('execute');
      return { kind: 'exited', code: 0, signal: 0 };
    },
    ...options,
    warden: noting<WardenApi>(acts, emptyWarden),
  });
  const token = door.token('admin');
  const host = `Host: 127.0.0.1:${door.port}`;
  let sent = 0;
  return {
    ...{ door, token, own: [host, `Authorization: Bearer ${token}`, 'Content-Type: application/json'] },
    acts: () => acts.splice(0),
    send: async (text) => {
      sent += 1;
      return await rawHttp(door.port, Buffer.from(text, 'latin1'), addressOf(sent));
    },
    [Symbol.asyncDispose]: () => door[Symbol.asyncDispose](),
  };
}

function noting<Part extends object>(acts: string[], part: Part): Part {
  return new Proxy(part, {
    get: (warden, name: string & keyof Part) => {
      const member = warden[name];
      if (typeof member === 'object' && member !== null) return noting(acts, member);
      // Every request asks what its caller sees.
      if (typeof member !== 'function' || name === 'within') return member;
      return (...args: never[]) => {
        acts.push(name);
        return (member as (...given: never[]) => unknown)(...args);
      };
    },
  });
}

/** Of the loopback; there are four million more. */
function addressOf(count: number): string {
  return `127.${3 + (count >> 15)}.${(count >> 7) & 255}.${1 + (count & 127)}`;
}

/** The statuses of all answers in the bytes of a connection. */
export function statusesIn({ text }: RawAnswer): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

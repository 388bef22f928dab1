import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Checked } from '../authentication.ts';
import { windowBytes } from './server-credentials.ts';

const sweepMs = 10_000;

export interface SessionRules {
  /** Local port of the server whose sessions are meant. */
  readonly port: number;
  readonly check: (der: Uint8Array) => Checked<unknown>;
  readonly onRevoked: (listener: () => void) => void;
  readonly onEnded: (peer: string, refused: string) => void;
}

/**
 * Gives each session its window, and ends the sessions, with every call on them, whose certificate is no longer
 * acceptable, within 10 s; disposed of, it ends them all. grpc-js shows its sessions to nobody, hence Node's
 * diagnostics channel.
 */
export function watchSessions({ port, check, onRevoked, onEnded }: SessionRules): Disposable {
  const sessions = new Set<ServerHttp2Session>();

  function onStream(message: unknown): void {
    const { session } = (message as { stream: ServerHttp2Stream }).stream;
    if (session === undefined || !isServerSession(session) || sessions.has(session)) return;
    if (session.socket.localPort !== port) return;
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.setLocalWindowSize(windowBytes);
  }

  function sweep(): void {
    for (const session of sessions) {
      const checked = check((session.socket as TLSSocket).getPeerCertificate().raw);
      if (!('refused' in checked)) continue;
      onEnded(`${session.socket.remoteAddress}:${session.socket.remotePort}`, checked.refused);
      session.destroy();
    }
  }

  subscribe('http2.server.stream.created', onStream);
  const timer = setInterval(sweep, sweepMs).unref();
  onRevoked(sweep);
  return {
    [Symbol.dispose]: () => {
      unsubscribe('http2.server.stream.created', onStream);
      clearInterval(timer);
      // Without channelz grpc-js forgets them when it is shut down by force: their peers would ask for 8 s yet.
      for (const session of sessions) session.destroy();
    },
  };
}

function isServerSession(session: object): session is ServerHttp2Session {
  return 'setLocalWindowSize' in session;
}

import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { deadline } from '../../src/abort.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import { guardServer } from '../../src/tls/guard-server.ts';
import { keyExchanges } from '../../src/tls/key-exchanges.ts';

const withinMs = 30_000;

/** TLS on a connection, to the server of that name. `ca`: PEM of its authorities, instead of the usual ones. */
export async function secured(
  socket: Socket,
  name: string,
  signal: AbortSignal,
  ca?: Buffer,
): Promise<TLSSocket> {
  const late = () => new EgressError('late', `${name} did not speak TLS within ${withinMs / 1000} s`);
  using until = deadline(withinMs, late, signal);
  const guard = guardServer(socket);
  const secure = connect({
    socket,
    ...(isIP(name) === 0 ? { servername: name } : { host: name }),
    ...(ca !== undefined && { ca }),
    ALPNProtocols: ['http/1.1'],
    ecdhCurve: keyExchanges,
    // Whatever the environment of the gateway says.
    rejectUnauthorized: true,
  });
  try {
    await once(secure, 'secureConnect', { signal: until.signal });
    guard.secured(secure);
    return secure;
  } catch (error) {
    socket.destroy();
    if (until.signal.aborted) throw until.signal.reason;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new EgressError('unreachable', `${name} has no TLS that can be trusted`, code ?? message);
  }
}

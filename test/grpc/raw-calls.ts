import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import type { TestGateway } from './gateway.ts';

/** Calls of gRPC whose bytes a test chooses, over one connection. */
export interface RawCalls extends Disposable {
  readonly session: ClientHttp2Session;
  readonly open: (path: string) => ClientHttp2Stream;
}

export async function openRawCalls(gateway: TestGateway, identityDir: string): Promise<RawCalls> {
  const client = await connectGateway({ address: gateway.address, identityDir });
  const { token } = await client.call(RelayServiceService.token, {});
  client.close();
  const { certificate: cert, key } = await readIdentity(identityDir);
  const session = connect(`https://${gateway.address}`, { cert, key, rejectUnauthorized: false });
  session.on('error', () => {});
  return {
    session,
    open: (path) => {
      const call = session.request({
        ...{ ':method': 'POST', ':path': path, te: 'trailers' },
        ...{ 'content-type': 'application/grpc', authorization: `Bearer ${token}` },
      });
      return call.on('error', () => {});
    },
    [Symbol.dispose]: () => session.destroy(),
  };
}

export function framed(message: Uint8Array): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** The status of a call and what is said with it; `closed` if it was reset. */
export function endOf(call: ClientHttp2Stream): Promise<string> {
  return new Promise((resolve) => {
    const hear = (headers: Readonly<Record<string, unknown>>) => {
      const { 'grpc-status': code, 'grpc-message': text } = headers;
      if (typeof code === 'string') resolve(`${code} ${decodeURI(typeof text === 'string' ? text : '')}`);
    };
    call.on('response', hear).on('trailers', hear).resume();
    call.on('close', () => resolve('closed'));
  });
}

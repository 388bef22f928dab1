import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';

export interface RedirectingEngine extends AsyncDisposable {
  /** Of `gateway.yaml`: one on a Unix socket, one on TCP. */
  readonly hosts: readonly {
    readonly engine: string;
    readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
  }[];
  /** What it answers with, and how its `Location` goes on behind the address of another server. */
  says: { status: number; path: string };
  /** Requests that the engine got. */
  readonly asked: () => number;
  /** Requests that the other server got. */
  readonly followed: () => readonly string[];
}

/** Engines that answer every request with a redirection to another server on loopback, which answers as an engine. */
export async function startRedirectingEngine(): Promise<RedirectingEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-redirecting-'));
  const followed: string[] = [];
  let asked = 0;
  const other = createServer((request, response) => {
    followed.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const says = { status: 301, path: '/' };
  const redirect: RequestListener = (request, response) => {
    asked += 1;
    request.resume();
    const location = `http://127.0.0.1:${portOf(other)}${says.path}`;
    response.writeHead(says.status, { location, connection: 'close' }).end('{"message":"over there"}');
  };
  const tls = await serverFiles(folder);
  const onSocket = createServer(redirect);
  const onTcp = createSecureServer(tls.server, redirect);
  await once(onSocket.listen(join(folder, 'engine.sock')), 'listening');
  await once(onTcp.listen(0, '127.0.0.1'), 'listening');
  return {
    hosts: [
      { engine: `unix://${folder}/engine.sock` },
      { engine: `tcp://localhost:${portOf(onTcp)}`, tls: tls.client },
    ],
    says,
    asked: () => asked,
    followed: () => followed,
    [Symbol.asyncDispose]: async () => {
      for (const server of [other, onSocket, onTcp]) {
        server.closeAllConnections();
        server.close();
      }
      await rm(folder, { recursive: true });
    },
  };
}

async function serverFiles(folder: string) {
  const authority = await makeAuthority('redirecting');
  const pair = await issueServerCertificate(authority, ['localhost']);
  const client = { ca: join(folder, 'ca.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  await writeFile(client.ca, authority.certificate);
  await writeFile(client.cert, pair.certificate);
  await writeFile(client.key, pair.key);
  return { client, server: { cert: pair.certificate, key: pair.key } };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

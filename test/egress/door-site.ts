import { once } from 'node:events';
import type { Socket } from 'node:net';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { openDoor, sayAtDoor } from './door-client.ts';
import type { DoorFacts, DoorOrder } from './door-main.ts';
import type { Seen } from './internet-main.ts';
import { ask, startNamespaces } from './two-namespaces.ts';

/** The way out, with a network whose destinations are names of an internet that a test made. */
export interface DoorSite extends AsyncDisposable {
  readonly order: (what: DoorOrder) => Promise<DoorFacts>;
  readonly seen: () => Promise<Seen>;
  readonly open: () => Socket;
  readonly say: (bytes: string | Buffer) => Promise<string>;
  /** A tunnel that was let through. */
  readonly tunnel: (to: string) => Promise<Socket>;
  /** As if nothing had been asked yet. */
  readonly reset: () => Promise<void>;
  /** Of the servers on port 443. */
  readonly ca: string;
}

const zone = {
  'registry.example': [['20.0.0.1']],
  'engine.example': [['20.0.0.8']],
  'a.cdn.example': [['20.0.0.2']],
  'inside.example': [['10.0.0.1']],
  'other.example': [['20.0.0.3']],
};

export const reach = {
  network: 'registry',
  allow: [
    ...['registry.example:443', 'registry.example:80', 'registry.example:7', 'registry.example:19'],
    ...['*.cdn.example:443', 'inside.example:80', 'registry.example:8080', 'registry.example:81'],
  ].map((to) => ({ to })),
  routes: [],
};

export async function startDoor(): Promise<DoorSite> {
  const site = await startNamespaces('door-main.ts');
  const authority = await makeAuthority('test');
  const tls = await issueServerCertificate(authority, ['registry.example', 'other.example']);
  await site.internet({ tls: { cert: tls.certificate, key: tls.key } });
  await site.internet({ zone });
  const order = async (what: DoorOrder) => await ask<DoorFacts>(site.gateway, what);
  const seen = async () => await site.internet({ tell: 'seen' });
  return {
    ...{ order, seen, ca: authority.certificate },
    open: () => openDoor(site.folder),
    say: async (bytes) => await sayAtDoor(site.folder, bytes),
    tunnel: async (to) => {
      const socket = openDoor(site.folder);
      socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
      const [head] = (await once(socket, 'data')) as [Buffer];
      socket.pause();
      if (!head.toString().startsWith('HTTP/1.1 200 ')) throw new Error(head.toString());
      return socket;
    },
    reset: async () => {
      await order({ tell: 'all' });
      await seen();
      await order({ reach });
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}

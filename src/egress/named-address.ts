import { AddressRefused, judgeWritten } from './judged-lookup.ts';

/** What gateway.yaml has of a server that names further addresses. */
export interface NamingServer {
  readonly url: string;
  /** What it names need not be public. */
  readonly private: boolean;
}

/**
 * Whether an address that a server names may be private, which it may at the very host and port that gateway.yaml has.
 * Everywhere else it is public unless gateway.yaml says otherwise, and reached by TLS. Throws an AddressRefused. To where
 * a name leads is judged when it is connected to.
 */
export function judgeNamed(named: string, server: NamingServer): boolean {
  if (!URL.canParse(named)) throw new AddressRefused('it names an address that cannot be read');
  const [to, own] = [new URL(named), new URL(server.url)];
  const isOwn = to.hostname === own.hostname && portOf(to) === portOf(own);
  // What gateway.yaml has without TLS is on this machine.
  if (!isSecure(to) && !(isOwn && !isSecure(own)))
    throw new AddressRefused(`it names an address without TLS, at ${to.host}`);
  const mayBePrivate = isOwn || server.private;
  judgeWritten(named, mayBePrivate);
  return mayBePrivate;
}

function isSecure({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'wss:';
}

function portOf(url: URL): string {
  return url.port || (isSecure(url) ? '443' : '80');
}

/**
 * The owner of a client certificate: its only subject alternative name, `spiffe://clawrden/KIND/NAME`. Certificates
 * of before name a person as `operator`.
 */
export interface PeerName {
  readonly kind: 'relay' | 'person' | 'program';
  readonly name: string;
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
// As Node prints it. The pattern is anchored: a certificate with another name, or with more names, names no peer.
const alternativeNamePattern =
  /^URI:spiffe:\/\/clawrden\/(relay|person|program|operator)\/([A-Za-z0-9][A-Za-z0-9._-]{0,62})$/;

export function isPeerName(name: string): boolean {
  return namePattern.test(name);
}

export function spiffeId({ kind, name }: PeerName): string {
  if (!isPeerName(name)) throw new Error(`${JSON.stringify(name)} is not a name for a ${kind}`);
  return `spiffe://clawrden/${kind}/${name}`;
}

/** Takes Node's `subjectAltName` text; `undefined` if the certificate does not name one of our peers. */
export function parsePeerName(subjectAltName: string | undefined): PeerName | undefined {
  const [, kind, name] = alternativeNamePattern.exec(subjectAltName ?? '') ?? [];
  if (name === undefined) return undefined;
  return { kind: kind === 'operator' ? 'person' : (kind as PeerName['kind']), name };
}

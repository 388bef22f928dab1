/** Who a client certificate is for: its one subject alternative name, `spiffe://clawrden/KIND/NAME`. */
export interface PeerName {
  readonly kind: 'relay' | 'operator';
  readonly name: string;
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
// As Node prints it; anchored, so a certificate with any other or further name is nobody.
const alternativeNamePattern =
  /^URI:spiffe:\/\/clawrden\/(relay|operator)\/([A-Za-z0-9][A-Za-z0-9._-]{0,62})$/;

export function isPeerName(name: string): boolean {
  return namePattern.test(name);
}

export function spiffeId({ kind, name }: PeerName): string {
  if (!isPeerName(name)) throw new Error(`${JSON.stringify(name)} is not a name for a ${kind}`);
  return `spiffe://clawrden/${kind}/${name}`;
}

/** Takes Node's `subjectAltName` text; `undefined` where the certificate names no peer of ours. */
export function parsePeerName(subjectAltName: string | undefined): PeerName | undefined {
  const match = alternativeNamePattern.exec(subjectAltName ?? '');
  const [, kind, name] = match ?? [];
  return kind !== undefined && name !== undefined ? { kind: kind as PeerName['kind'], name } : undefined;
}

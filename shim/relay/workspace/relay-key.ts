import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityFiles } from '../../../src/pki/identity-files.ts';

/** Of all relays that may use an engine only this one has it, also once its certificate is renewed. */
export function relayKey(identity: string): string {
  const authority = new X509Certificate(readFileSync(join(identity, identityFiles.authority)));
  const own = new X509Certificate(readFileSync(join(identity, identityFiles.certificate)));
  const text = `${authority.fingerprint256}\0${own.subjectAltName}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

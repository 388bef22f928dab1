import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityFiles } from '../../../src/pki/identity-files.ts';

const fileName = 'relay-key';

/**
 * Of all relays that may use an engine only this one has it, also once its certificate is renewed or its gateway has
 * another authority: what it was at first is kept beside the certificate, with the name that it is for.
 */
export function relayKey(identity: string): string {
  const authority = new X509Certificate(readFileSync(join(identity, identityFiles.authority)));
  const { subjectAltName = '' } = new X509Certificate(
    readFileSync(join(identity, identityFiles.certificate)),
  );
  const kept = readKept(join(identity, fileName));
  if (kept?.name === subjectAltName) return kept.key;
  const text = `${authority.fingerprint256}\0${subjectAltName}`;
  const key = createHash('sha256').update(text).digest('hex').slice(0, 16);
  keep(join(identity, fileName), `${key} ${subjectAltName}\n`);
  return key;
}

/** A folder that cannot be written keeps no renewed certificate either: what would change the key never comes. */
function keep(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch {}
}

function readKept(file: string): { readonly key: string; readonly name: string } | undefined {
  try {
    const [, key, name] = /^([0-9a-f]{16}) (.*)\n$/.exec(readFileSync(file, 'utf8')) ?? [];
    return key === undefined || name === undefined ? undefined : { key, name };
  } catch {
    return undefined;
  }
}

import { createPublicKey } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { identityFiles } from '../../src/pki/identity-files.ts';
import { issueClientCertificate } from '../../src/pki/issue-certificate.ts';
import { makeKey } from '../../src/pki/keys.ts';
import { stateFiles } from '../../src/pki/state-files.ts';

export const second = 'bob';

/** Lets `bob`, an approver, into a gateway that has not started yet: nobody approves what he asked for himself. */
export async function addSecondPerson(state: string, gateway: string, context: string): Promise<void> {
  const [certificate, key] = await Promise.all(
    [stateFiles.authority, stateFiles.authorityKey].map((name) => readFile(join(state, name), 'utf8')),
  );
  const authority = { certificate: certificate ?? '', key: key ?? '' };
  const own = makeKey();
  const peer = { kind: 'person', name: second } as const;
  const identity = join(state, second);
  await mkdir(identity, { mode: 0o700 });
  const issued = await issueClientCertificate(authority, peer, createPublicKey(own));
  await writeFile(join(identity, identityFiles.authority), authority.certificate);
  await writeFile(join(identity, identityFiles.certificate), issued);
  await writeFile(join(identity, identityFiles.key), own, { mode: 0o600 });
  await writeFile(
    join(state, stateFiles.operators),
    JSON.stringify({ admin: 'admin', [second]: 'approver' }),
  );
  await writeFile(context, stringify({ gateway, identity }));
}

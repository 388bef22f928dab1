import { randomBytes, X509Certificate } from 'node:crypto';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import type { AuthorityPair } from './authorities.ts';

/** A new authority, and a certificate of it for the names of the present one. */
export async function makeAuthorityPair(gatewayId: string, present: AuthorityPair): Promise<AuthorityPair> {
  // Another name than that of the former one, for people who compare them.
  const authority = await makeAuthority(`Clawrden CA ${gatewayId} ${randomBytes(4).toString('hex')}`);
  const server = await issueServerCertificate(authority, namesOf(present.server.certificate));
  return { authority, server: { certificate: server.certificate + authority.certificate, key: server.key } };
}

function namesOf(chain: string): string[] {
  const names = new X509Certificate(chain).subjectAltName?.split(', ') ?? [];
  return names.flatMap((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1] ?? []);
}

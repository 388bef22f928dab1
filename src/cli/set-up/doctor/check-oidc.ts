import type { OidcConfig } from '../../../config/oidc-config.ts';
import { readSecret } from '../../../config/secret-field.ts';
import { checkKey } from './check-certificate.ts';
import { bad, type Finding, good, messageOf } from './finding.ts';

const waitMs = 10_000;

/** Whether the provider of gateway.yaml answers, as who it should be, and the gateway's secret is there. */
export async function checkOidc(oidc: OidcConfig | undefined): Promise<Finding[]> {
  if (oidc === undefined) return [];
  const { clientSecret, issuer } = oidc;
  const check = 'oidc';
  const held = 'file' in clientSecret ? [await checkKey('oidc.client-secret', clientSecret.file)] : [];
  try {
    await readSecret(clientSecret, 'oidc.client-secret');
  } catch (error) {
    return [...held, bad(check, messageOf(error), 'give it to this user, too, or run doctor as the gateway')];
  }
  const problem = await discoveryProblem(issuer);
  return [
    ...held,
    problem === undefined
      ? good(check, `${issuer} answers`)
      : bad(check, `${issuer}: ${problem}`, 'nobody can sign in by it until it answers; admins of init can'),
  ];
}

async function discoveryProblem(issuer: string): Promise<string | undefined> {
  try {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    // The gateway follows no redirect either.
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(waitMs) });
    if (!answer.ok) return `${url} answers ${answer.status}`;
    const { issuer: named } = (await answer.json()) as { issuer?: unknown };
    return named === issuer ? undefined : `it calls itself ${String(named)}; write oidc.issuer exactly so`;
  } catch (error) {
    const { cause } = error as Error;
    return messageOf(cause instanceof Error ? cause : error);
  }
}

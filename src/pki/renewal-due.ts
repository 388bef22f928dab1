import { X509Certificate } from 'node:crypto';
import type { Identity } from './identity-files.ts';
import { trustPrint } from './trust-print.ts';

/**
 * Whether a certificate is in the last third of its life, or the gateway has said that other authorities count now.
 * `told`: as `trustPrint`; empty if it said nothing.
 */
export function isRenewalDue(
  { certificate, authority }: Pick<Identity, 'certificate' | 'authority'>,
  told: string,
): boolean {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const life = validToDate.getTime() - validFromDate.getTime();
  const isOld = validToDate.getTime() - Date.now() < life / 3;
  return isOld || (told !== '' && told !== trustPrint(authority.toString()));
}

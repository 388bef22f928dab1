import { X509Certificate } from 'node:crypto';

/** Whether a certificate (PEM) is in the last third of its life. */
export function isRenewalDue(pem: Buffer): boolean {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  const life = validToDate.getTime() - validFromDate.getTime();
  return validToDate.getTime() - Date.now() < life / 3;
}

import type { IDToken } from 'openid-client';
import { BadAnswer } from './provider-fault.ts';

/** What the library leaves to us of an ID token. Throws BadAnswer. */
export function checkClaims({ sub, azp }: Pick<IDToken, 'sub' | 'azp'>, clientId: string): void {
  // As OpenID Connect has it, and as it is written to records and links.
  if (!/^[\x21-\x7e]{1,255}$/.test(sub))
    throw new BadAnswer('the subject (sub) is not 1 to 255 printable characters of ASCII');
  // A token that was given to another program, for it to show here.
  if (azp !== undefined && azp !== clientId)
    throw new BadAnswer('the ID token was given to another client (azp)');
}

import { randomBytes } from 'node:crypto';

/** What nobody can guess: 256 random bits, as 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

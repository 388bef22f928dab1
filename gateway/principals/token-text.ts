import { createHash, randomBytes } from 'node:crypto';

const begin = 'clw_';
const secretBytes = 32;
/** A text that is longer is no token. */
const longest = 256;

/** What an API token says: 256 random bits. */
export function newTokenText(): string {
  return `${begin}${randomBytes(secretBytes).toString('base64url')}`;
}

/** SHA-256, in hex: all that the gateway keeps. Every text takes about the same time. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text.slice(0, longest)).digest('hex');
}

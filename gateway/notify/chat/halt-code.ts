import { randomBytes } from 'node:crypto';
import { toBase64url } from '../../../src/text/base64url.ts';

const form = /^h[A-Za-z0-9_-]{40}$/;

/** What the button of one order carries: 240 random bits. */
export function newConfirm(): string {
  return `h${toBase64url(randomBytes(30))}`;
}

export function isConfirm(data: string): boolean {
  return form.test(data);
}

import { isLoopback } from '../../src/config/loopback.ts';
import { BadAnswer } from './provider-fault.ts';

/** An address that a person is told to open, as the provider writes it. Throws BadAnswer. */
export function shownUrl(text: string): string {
  if (!isShown(text)) throw new BadAnswer('its verification_uri is no plain https:// address');
  return text;
}

/** What a person types there, beside words of ours. Throws BadAnswer. */
export function shownCode(text: string): string {
  if (!/^[A-Za-z0-9._ -]{1,64}$/.test(text)) throw new BadAnswer('its user_code cannot be shown');
  return text;
}

function isShown(text: string): boolean {
  if (!/^https?:\/\/[\x21-\x7e]{1,2000}$/.test(text) || /[<>"'`\\]/.test(text) || !URL.canParse(text))
    return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isHere = isLoopback(hostname.replace(/^\[|\]$/g, ''));
  return username === '' && password === '' && (protocol === 'https:' || isHere);
}

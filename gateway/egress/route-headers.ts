import { EgressError } from '../../src/egress/egress-error.ts';
import type { Route } from '../../src/egress/route.ts';
import type { Secret } from '../secrets/open-secrets.ts';
import { type RawHeaders, spelling } from './http-headers.ts';

export interface OwnHeaders {
  readonly raw: RawHeaders;
  /** Whether a header of the answer would tell the client what is in ours. */
  readonly isEcho: (name: string, value: string) => boolean;
}

/** The headers of a route, with its secrets as they are now. */
export async function ownHeaders(
  { name, headers }: Route,
  secret: Secret,
  signal: AbortSignal,
): Promise<OwnHeaders> {
  const hidden: string[] = [];
  const raw: string[] = [];
  for (const header of headers) {
    const texts: string[] = [];
    for (const part of header.parts) {
      const text = 'text' in part ? part.text : await readSecret(part.secret, secret, signal, name);
      if ('secret' in part) hidden.push(text);
      texts.push(text);
    }
    raw.push(header.name, texts.join(''));
  }
  const names = new Set(headers.map((header) => spelling(header.name)));
  return {
    raw,
    isEcho: (other, value) => names.has(spelling(other)) || hidden.some((text) => value.includes(text)),
  };
}

async function readSecret(name: string, secret: Secret, signal: AbortSignal, route: string): Promise<string> {
  const unavailable = (why: string) =>
    new EgressError('unreachable', `secret-unavailable: route ${route} has no credentials now`, why);
  const value = await secret(name, signal).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : unavailable(`secrets.${name}: ${(error as Error).message}`);
  });
  const text = value.toString('latin1');
  if (!/^[\x20-\x7e]+$/.test(text)) throw unavailable(`secrets.${name} is not one line of ASCII`);
  return text;
}

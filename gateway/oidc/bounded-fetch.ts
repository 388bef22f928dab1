import type { CustomFetch } from 'openid-client';
import { judgeNamed, type NamingServer } from '../../src/egress/named-address.ts';
import { readAtMost } from '../../src/read-at-most.ts';
import { askServer } from '../../src/tls/ask-server.ts';

const mostBytes = 1 << 20;

/**
 * Of one call of the provider, with all its requests: they end at the deadline, and no answer is larger than 1 MiB.
 * Each address but the issuer's is one that the provider names.
 */
export function boundedFetch(provider: NamingServer, deadline: AbortSignal): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const signals = signal === undefined ? [deadline] : [deadline, signal];
    const form = body instanceof URLSearchParams || typeof body === 'string' ? String(body) : undefined;
    const reach = { private: judgeNamed(url, provider), byProxy: true };
    const request = { method, headers, reach, ...(form !== undefined && { body: form }) };
    const answer = await askServer(url, request, AbortSignal.any(signals));
    const { statusCode: status = 0, headersDistinct } = answer;
    const bytes = await readAtMost(answer, mostBytes, tooLarge);
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : new Uint8Array(bytes), {
      status,
      headers: pairsOf(headersDistinct),
    });
  };
}

const tooLarge = () => new Error('the answer is too large');

function pairsOf(headers: NodeJS.Dict<string[]>): [string, string][] {
  return Object.entries(headers).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
}

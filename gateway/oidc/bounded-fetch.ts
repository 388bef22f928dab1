import type { CustomFetch } from 'openid-client';
import { readAtMost } from '../../src/read-at-most.ts';

const mostBytes = 1 << 20;

/** Of one call of the provider, with all its requests: they end at the deadline, and no answer is larger than 1 MiB. */
export function boundedFetch(deadline: AbortSignal): CustomFetch {
  return async (url, { body, signal, ...options }) => {
    const signals = signal === undefined ? [deadline] : [deadline, signal];
    const response = await fetch(url, {
      ...options,
      ...(body !== undefined && body !== null && { body: body as NonNullable<RequestInit['body']> }),
      signal: AbortSignal.any(signals),
    });
    const { status, statusText, headers } = response;
    const bytes = await readAtMost(response.body ?? [], mostBytes, tooLarge);
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : bytes, { status, statusText, headers });
  };
}

const tooLarge = () => new Error('the answer is too large');

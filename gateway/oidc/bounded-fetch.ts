import type { CustomFetch } from 'openid-client';

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
    const bytes = await readBounded(response.body);
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : bytes, { status, statusText, headers });
  };
}

async function readBounded(body: ReadableStream<Uint8Array> | null): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > mostBytes) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

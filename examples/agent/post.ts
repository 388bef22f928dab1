import { setTimeout as sleep } from 'node:timers/promises';

/** In a container its way out is there a little later than the agent: a refused connection is tried again for 20 s. */
export async function post(
  url: string,
  headers: object,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  for (const deadline = performance.now() + 20_000; ; await sleep(500, undefined, { signal })) {
    try {
      return await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal,
      });
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
      if (code !== 'ECONNREFUSED' || performance.now() > deadline) throw error;
    }
  }
}

export function firstLine(text: string): string {
  return text.slice(0, 300).split('\n', 1)[0] ?? '';
}

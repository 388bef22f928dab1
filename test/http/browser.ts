import { expect } from 'vitest';
import { browserSession } from '../../src/http-api/session.ts';
import type { HttpGateway } from './http-gateway.ts';

/** What a browser that is signed in has. */
export interface Browser {
  readonly cookie: string;
  readonly csrf: string;
  readonly principal: string;
  /** Headers of a request that a page of the door makes: a change has more than a look. */
  readonly look: Readonly<Record<string, string>>;
  readonly change: Readonly<Record<string, string>>;
}

/** Uses up the code, as the page does. */
export function useCode(
  { url, fetch }: Pick<HttpGateway, 'url' | 'fetch'>,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch('/api/v1/session', {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code }),
  });
}

/** A browser that is signed in as the principal of the token, and is out when the token is removed. */
export async function signIn(
  door: HttpGateway,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Browser> {
  const answer = await useCode(door, await door.code(token), headers);
  expect([answer.status, answer.headers.getSetCookie().length]).toEqual([200, 1]);
  const { csrfToken: csrf, principal } = browserSession.parse(await answer.json());
  const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  const look = { cookie, 'sec-fetch-site': 'same-origin' };
  return { cookie, csrf, principal, look, change: { ...look, origin: door.url, 'x-clawrden-csrf': csrf } };
}

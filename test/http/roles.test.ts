import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Role, roles } from '../../gateway/ports/principal.ts';
import { callRules } from '../../gateway/principals/call-rules.ts';
import type { Route } from '../../src/http-api/route.ts';
import { callOf, routes } from '../../src/http-api/routes.ts';
import { signIn } from './browser.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

let gateway: HttpGateway;
beforeAll(async () => {
  gateway = await startHttpGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Whether each route refuses the role to who sends these headers. */
async function holdsToTable(role: Role, headersOf: (route: Route) => Readonly<Record<string, string>>) {
  for (const route of Object.values<Route>(routes)) {
    const path = route.path.replaceAll(/\{\w+\}/g, 'x');
    // The caller's own word about itself counts for nothing.
    const headers = {
      ...headersOf(route),
      'x-role': 'admin',
      'x-scope': 'admin',
      accept: 'application/json',
    };
    const answer = await gateway.fetch(path, { method: route.method, headers });
    const { status: told } = answer;
    await answer.body?.cancel();
    const may = callRules.get(callOf(route))?.roles.includes(role) === true;
    expect([callOf(route), told === 403]).toEqual([callOf(route), !may]);
  }
}

test.each(roles)('A-50 A-68 P17: the role %s may make exactly the calls of the table', async (role) => {
  const authorization = `Bearer ${gateway.token(role)}`;
  await holdsToTable(role, () => ({ authorization }));
});

test.each(roles)(
  'P17: the role %s may make exactly the calls of the table by a session, too',
  async (role) => {
    const [browser, leaving] = [
      await signIn(gateway, gateway.token(role)),
      await signIn(gateway, gateway.token(role)),
    ];
    await holdsToTable(role, (route) => {
      const { look, change } = callOf(route) === 'DELETE /api/v1/session' ? leaving : browser;
      return route.method === 'GET' ? look : change;
    });
  },
);

import type { Route } from '../../src/http-api/route.ts';
import { type BodyIn, type RouteName, type Routes, routes } from '../../src/http-api/routes.ts';

/** A request of one route that has the shape of the route, as it stands in its first line and its body. */
export interface GoodRequest {
  readonly route: Route;
  readonly target: string;
  /** Empty if the route takes none. */
  readonly body: string;
}

type WithBody = {
  [Name in RouteName]: Routes[Name] extends { readonly body: unknown } ? Name : never;
}[RouteName];

/** One for each route that takes a body: the compiler asks for what is missing. */
const bodies: { readonly [Name in WithBody]: BodyIn<Routes[Name]> } = {
  runExecution: {
    ...{ agent: '', tool: 'job', args: ['a', 'b'], cwd: '/', stdin: 'x', stdinEncoding: 'utf-8' },
    ...{ env: { LANG: 'C' }, hostLabels: { zone: 'a' } },
  },
  verdict: { planHash: 'p', verdict: 'approve', reason: 'r', grantMinutes: 5 },
  setAgentState: { state: 'paused', reason: 'r' },
  assignTool: { action: 'ask', reason: 'r' },
  setLockdown: { on: true, reason: 'r' },
  setHostState: { state: 'draining', reason: 'r' },
  setUser: { name: 'ann', role: 'viewer', scope: { team: 'web' }, ttlSeconds: 60, replace: false },
  linkUser: { principal: 'slack:T/U', reason: 'r' },
  createToken: { name: 'ci', role: 'viewer', scope: { team: 'web' }, agent: '', ttlSeconds: 60 },
  rotateToken: { overlapSeconds: 60 },
  programCode: {},
  signIn: { code: 'c' },
  oidcBrowser: {},
  oidcAuthorization: {
    ...{ redirectUri: 'http://127.0.0.1:9/callback', state: 'a'.repeat(43) },
    ...{ nonce: 'b'.repeat(43), challenge: 'c'.repeat(43) },
  },
  oidcDevice: {},
  oidcCertificate: { certificateRequest: 'r', deviceCode: 'd' },
  checkPolicy: { text: 'version: 1\n', force: true },
  explain: { agent: 'coder', tool: 'job', args: ['a'], uid: 1000, cwd: '/' },
};

const params: Readonly<Record<string, string>> = {
  id: 'a'.repeat(32),
  name: 'coder',
  agent: 'coder',
  kind: 'person',
  tool: 'gh',
};
const ownParams: { readonly [Name in RouteName]?: Readonly<Record<string, string>> } = {
  revokeGrant: { id: 'a'.repeat(16) },
  unlinkUser: { id: 'a'.repeat(16) },
  executionResult: { id: '0199f3a1-b2c3-7abc-8def-000000000001' },
  recording: { id: '0199f3a1-b2c3-7abc-8def-000000000001' },
  executionOutput: { id: '0199f3a1-b2c3-7abc-8def-000000000001' },
  cancelExecution: { id: '0199f3a1-b2c3-7abc-8def-000000000001' },
};

/** They ask nothing behind the door. */
const ofTheDoor: ReadonlySet<string> = new Set(['openApi', 'session', 'signOut']);

/** Of every route that asks what is behind the door, and answers at once. */
export const goodRequests: readonly GoodRequest[] = Object.entries<Route>(routes).flatMap(([name, route]) => {
  if (route.open || route.answer === undefined || ofTheDoor.has(name)) return [];
  const given = { ...params, ...ownParams[name as RouteName] };
  const target = route.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => given[key] ?? '');
  return { route, target, body: name in bodies ? JSON.stringify(bodies[name as WithBody]) : '' };
});

export const withBody = goodRequests.filter(({ body }) => body !== '');

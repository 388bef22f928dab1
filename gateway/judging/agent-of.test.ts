import { expect, test } from 'vitest';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { StartRequest } from '../ports/channel.ts';
import type { Principal } from '../ports/principal.ts';
import { agentOf } from './judge.ts';

const agentNamed = (name: string, team: string): [string, AgentConfig] => [
  name,
  { name, relay: 'host-1', users: [{ uid: 1000, gid: 1000 }], labels: { team }, cwd: '/app', hosts: {} },
];
const agents = new Map([agentNamed('web-1', 'web'), agentNamed('db-1', 'db')]);
const ci: Principal = { kind: 'program', name: 'ci', role: 'orchestrator', scope: { team: 'web' } };

function told(caller: Principal, agent: string): string {
  try {
    return `speaks for ${agentOf(agents, caller, { agent } as StartRequest)?.name}`;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message.replace(/"?(db-1|nothing)"?/, 'NAME')}`;
  }
}

test('A-68 P3: a scoped principal runs commands for its agents only, and others are unknown to it', () => {
  expect(told(ci, 'web-1')).toBe('speaks for web-1');
  expect(told(ci, 'db-1')).toBe(told(ci, 'nothing'));
  expect(told(ci, 'db-1')).toBe('agent-unknown: there is no agent NAME');
  expect(told(ci, '')).toBe('agent-unknown: name an agent of your scope');
  expect(told({ ...ci, scope: {} }, 'db-1')).toBe('speaks for db-1');
  expect(told({ ...ci, scope: {} }, '')).toBe('speaks for undefined');
});

test('A-52 P3 P17: an agent speaks for itself only, and of others it hears the same as of none', () => {
  const agent: Principal = { kind: 'agent', name: 'web-1', role: 'agent', scope: {} };
  expect(told(agent, 'web-1')).toBe('speaks for web-1');
  expect(told(agent, 'db-1')).toBe('identity-agent: agent web-1 speaks for itself only');
  expect(told(agent, 'nothing')).toBe(told(agent, 'db-1'));
  expect(told(agent, '')).toBe('identity-agent: agent web-1 speaks for itself only');
});

import { expect, test } from 'vitest';
import type { AgentConfig, WorkspaceConfig } from '../../src/config/gateway-config.ts';
import type { Policy } from '../../src/policy/policy.ts';
import type { AgentStates } from './agent-states.ts';
import { desiredState } from './desired-state.ts';

const states = { locked: () => false, stateOf: () => 'active' } as unknown as AgentStates;
const policy = { tools: new Map(), workspace: '/app' } as unknown as Policy;

const carried = {
  excludes: ['a'],
  conflicts: 'keep-tool',
  limits: { entries: 1, bytes: 2, file: 3, depth: 4 },
} as const;
const home = { kind: 'volume', source: 'app' } as const;

function told(workspace?: WorkspaceConfig) {
  const users = [{ uid: 1, gid: 1 }] as const;
  const agent = { ...{ name: 'a', relay: 'r', users, labels: {}, cwd: '/', hosts: {} }, workspace };
  return desiredState('r', new Map([['a', agent as AgentConfig]]), policy, new Map(), states).agents[0];
}

test('a relay is told of a workspace if replicas follow it, and only what it needs to keep the home', () => {
  const sync = { seenBy: { zone: 'a' }, hostBytes: 5, carried };
  expect(told({ ...home, sync })?.workspace).toEqual({ ...home, target: '/app', ...carried });
  expect(told(home)).not.toHaveProperty('workspace');
  expect(told()).not.toHaveProperty('workspace');
});

import { expect, test } from 'vitest';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { PrincipalOperations } from '../ports/known-principals.ts';
import type { Principal } from '../ports/principal.ts';
import { endingSessions } from './revoke-sessions.ts';

const by: Principal = { kind: 'person', name: 'admin', role: 'admin', scope: {} };
const agents = new Map(
  Object.entries({ one: 'r1', two: 'r1', three: 'r2' }).map(([name, relay]) => [
    name,
    { name, relay } as AgentConfig,
  ]),
);

test('A-534 P6: they end, too, if the revocation is in force and could not be kept', async () => {
  const fault = new ClawrdenError(
    'audit-unwritable',
    'it is in force, and a restart takes it from the audit',
  );
  let ended: string[] = [];
  const end = (concerned: (agent: string) => boolean) => {
    ended = [...agents.keys()].filter(concerned);
    return [];
  };
  const revoke = () => Promise.reject(fault);
  const principals = endingSessions({ revoke } as unknown as PrincipalOperations, {
    agents: () => agents,
    sessions: { end },
  });
  await expect(principals.revoke({ kind: 'relay', name: 'r1' }, by, '')).rejects.toBe(fault);
  expect(ended).toEqual(['one', 'two']);
});

test.each([
  [{ kind: 'relay', name: 'r1' }, ['one', 'two']],
  [{ kind: 'agent', name: 'three' }, ['three']],
  [{ kind: 'person', name: 'one' }, []],
  [{ kind: 'relay', name: 'refused' }, undefined],
] as const)('the sessions of what is revoked end: %j', async (who, ended) => {
  let found: string[] | undefined;
  const end = (concerned: (agent: string) => boolean) => {
    found = [...agents.keys()].filter(concerned);
    return [];
  };
  const revoke: PrincipalOperations['revoke'] = async ({ name }) =>
    name === 'refused' ? { refused: 'unknown' } : ({ value: {} } as never);
  const principals = endingSessions({ revoke } as PrincipalOperations, {
    agents: () => agents,
    sessions: { end },
  });
  await principals.revoke(who, by, '');
  expect(found).toEqual(ended);
});

import { expect, test } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import { Gate } from '../../src/gate.ts';
import type { InitSession } from '../../src/init-client/init-session.ts';
import type { Session } from '../scheduler/sessions/session.ts';
import { OtherFolder, ReplicaUnreachable } from '../workspaces/faults.ts';
import { createSessionPlacer } from './place-session.ts';
import { execution, plan } from './placed-command.fixture.ts';

const init = { mayRun: false, destroy: () => {} } as unknown as InitSession;

function sessionOn(name: string, did: string[]): Session {
  const enter = async () => {
    did.push(`enter ${name}`);
    return init;
  };
  return {
    ...{ host: { name, config: { name, labels: {} } }, ghost: { containerId: name } },
    ...{ enter, leave: () => void did.push(`leave ${name}`) },
  } as unknown as Session;
}

test('A-491 P20: a command whose host is left out while it waits there for home gets a session on another one', async () => {
  const did: string[] = [];
  const leftOut = new Set<string>();
  const sessions = ['a', 'b'].map((name) => sessionOn(name, did));
  const settle = async (name: string) => {
    if (name === 'b') return;
    leftOut.add(name);
    throw new ReplicaUnreachable('it held up exchanges with other hosts');
  };
  const gate = new Gate(() => 2);
  const place = createSessionPlacer({
    sessions: { of: () => sessions.find(({ host }) => !leftOut.has(host?.name ?? ''))! },
    workspaces: {
      visit: ({ name }) => ({
        ...{ settle: () => settle(name), exchange: () => settle(name), leaveIn: () => {}, end: () => {} },
        bringHome: () => Promise.resolve(undefined),
      }),
      hold: () => ({ [Symbol.dispose]: () => {} }),
      ...{ behindMs: () => 0, isLeftOut: ({ name }) => leftOut.has(name), gate: () => gate },
      following: () => 'its home',
    },
    ...{ startTimeoutMs: 1000, labelsOf: () => ({}) },
  });
  expect((await place(plan, execution())).lease.host.name).toBe('b');
  expect(did).toEqual(['enter a', 'leave a', 'enter b']);
});

test('A-628 P13: a command whose session mounts a replica that was removed gets another session', async () => {
  const did: string[] = [];
  const place = createSessionPlacer({
    sessions: { of: () => sessionOn(did.length === 0 ? 'a' : 'b', did) },
    workspaces: {
      visit: ({ name }) => {
        if (name === 'a') throw new OtherFolder('coder', name);
        return undefined;
      },
      hold: () => ({ [Symbol.dispose]: () => {} }),
      ...{ behindMs: () => 0, isLeftOut: () => false, gate: () => undefined, following: () => 'its home' },
    },
    ...{ startTimeoutMs: 1000, labelsOf: () => ({}) },
  });
  expect((await place(plan, execution())).lease.host.name).toBe('b');
  expect(did).toEqual(['enter a', 'leave a', 'enter b']);
});

test('A-572 P13: a command whose workspace is another one by then leaves the session that it has entered', async () => {
  const did: string[] = [];
  const session = sessionOn('a', did);
  const other = new ClawrdenError('workspace-unreachable', 'it has another workspace');
  const place = createSessionPlacer({
    sessions: { of: () => session },
    workspaces: {
      visit: () => {
        throw other;
      },
      hold: () => ({ [Symbol.dispose]: () => {} }),
      ...{ behindMs: () => 0, isLeftOut: () => false, gate: () => undefined, following: () => 'its home' },
    },
    ...{ startTimeoutMs: 1000, labelsOf: () => ({}) },
  });
  await expect((async () => place(plan, execution()))()).rejects.toBe(other);
  expect(did).toEqual(['enter a', 'leave a']);
});

import { expect, test } from 'vitest';
import { Gate } from '../../src/gate.ts';
import type { InitSession } from '../../src/init-client/init-session.ts';
import type { Session } from '../scheduler/sessions/session.ts';
import { ReplicaUnreachable } from '../workspaces/faults.ts';
import { createSessionPlacer } from './place-session.ts';
import { execution, plan } from './placed-command.fixture.ts';

test('A-491 P20: a command whose host is left out while it waits there for home gets a session on another one', async () => {
  const did: string[] = [];
  const leftOut = new Set<string>();
  const init = { mayRun: false, destroy: () => {} } as unknown as InitSession;
  const sessionOn = (name: string) =>
    ({
      ...{ host: { name, config: { name, labels: {} } }, ghost: { containerId: name } },
      enter: async () => {
        did.push(`enter ${name}`);
        return init;
      },
      leave: () => void did.push(`leave ${name}`),
    }) as unknown as Session;
  const sessions = ['a', 'b'].map(sessionOn);
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
      ...{ behindMs: () => 0, isLeftOut: ({ name }) => leftOut.has(name), gate: () => gate },
    },
    ...{ startTimeoutMs: 1000, labelsOf: () => ({}) },
  });
  expect((await place(plan, execution())).lease.host.name).toBe('b');
  expect(did).toEqual(['enter a', 'leave a', 'enter b']);
});

import { expect, test } from 'vitest';
import type { RelayState } from '../ports/relay-state.ts';
import { createRelays } from './relays.ts';

const never = new AbortController().signal;

test('A-327 P20: what changes for one agent is told to its relay, and to no other', () => {
  let states = 0;
  const told: string[] = [];
  const stateFor = (): RelayState => {
    states += 1;
    return { lockdown: false, agents: [] };
  };
  const relays = createRelays({ stateFor, onIncident: () => {} });
  const address = (name: string) => ({ peer: `${name}:1`, fingerprint: name, serial: name });
  for (const name of ['one', 'two', 'three'])
    relays.connect(
      name,
      {
        ...address(name),
        renewedTo: () => undefined,
        push: () => void told.push(name),
        displaced: () => {},
        handOver: () => {},
      },
      never,
    );
  told.splice(0);
  states = 0;
  relays.tell('two');
  relays.tell('unknown');
  expect([told, states]).toEqual([['two'], 1]);
  relays.tell(undefined);
  expect(told).toEqual(['two', 'one', 'two', 'three']);
});

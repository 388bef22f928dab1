import { expect, test } from 'vitest';
import { ClawrdenError } from '../../../src/errors.ts';
import { ghostlyEngine } from '../warm/waiting-ghost.fixture.ts';
import { DockerHost } from './docker-host.ts';

function newHost(): DockerHost {
  const config = { name: 'a', engine: 'unix:///none', labels: {}, slots: 1, warm: 0, starts: 3 };
  return new DockerHost(config, ghostlyEngine('a'));
}

const seen = ({ up, down, state, problem }: DockerHost) => ({ up, down, state, problem });

test('a host comes up with the first answer, is silent before it is lost, and comes up again', () => {
  const host = newHost();
  expect(seen(host)).toEqual({ up: false, down: true, state: 'down', problem: 'not reached yet' });
  host.missed('refused', true);
  expect(seen(host)).toEqual({ up: false, down: true, state: 'down', problem: 'refused' });
  expect([host.answered(), host.answered()]).toEqual([true, false]);
  expect(seen(host)).toEqual({ up: true, down: false, state: 'ready', problem: '' });
  host.missed('no answer', true);
  expect(seen(host)).toEqual({ up: false, down: false, state: 'down', problem: 'no answer' });
  host.lose(new ClawrdenError('host-lost', 'lost'));
  expect(seen(host)).toMatchObject({ down: true });
  expect(host.answered()).toBe(true);
});

test('one missed ping is a problem only until the next is answered', () => {
  const host = newHost();
  host.answered();
  host.missed('no answer', false);
  expect(seen(host)).toMatchObject({ state: 'ready', problem: 'no answer' });
  expect(host.answered()).toBe(false);
  expect(host.problem).toBe('');
});

test('draining is apart from what the engine answers', () => {
  const host = newHost();
  host.drain();
  expect(host.state).toBe('down');
  host.answered();
  expect([host.state, host.up]).toEqual(['draining', true]);
  host.undrain();
  expect(host.state).toBe('ready');
});

import { expect, test } from 'vitest';
import { containerLabels } from './container-labels.ts';

const now = Date.UTC(2026, 0, 1);
const inSeconds = now / 1000;

test('A-60 a ghost says whose it is and until when it may live', () => {
  expect(containerLabels('gw', { agent: 'coder', pool: 'k', timeoutMs: 90_500 }, now)).toEqual({
    'clawrden.gateway': 'gw',
    'clawrden.agent': 'coder',
    'clawrden.pool': 'k',
    'clawrden.expires': String(inSeconds + 600 + 91),
  });
});

test('a plan without a timeout never expires', () => {
  expect(containerLabels('gw', { agent: '', pool: '', timeoutMs: 0 }, now)['clawrden.expires']).toBe('0');
});

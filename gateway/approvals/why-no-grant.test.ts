import { expect, test } from 'vitest';
import type { Plan } from '../../src/plan.ts';
import { whyNoGrant } from './why-no-grant.ts';

const plan: Plan = {
  ...{ agent: 'coder', argv: ['tee', '/app/out'], env: [], cwd: '/app', workspace: '/app' },
  ...{ uid: 1000, gid: 1000, umask: 0o22, strategy: 'ghost', mounts: [], network: 'none', stdin: 'pipe' },
  limits: { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 },
  ...{ timeoutMs: 1000, idleTimeoutMs: 0, policyHash: 'p' },
};
const script = { path: 'x.sh', digest: '0'.repeat(64), file: '/app/x.sh' };

test('P10: a yes for a while holds for a tool without scripts, whatever is piped in', () => {
  expect(whyNoGrant(plan)).toBe('');
  expect(whyNoGrant({ ...plan, operands: [] })).toBe('');
});

test('P10: for a plan that runs a script only if its input is closed', () => {
  expect(whyNoGrant({ ...plan, operands: [script] })).toContain('`stdin: none`');
  expect(whyNoGrant({ ...plan, operands: [script], stdin: 'none' })).toBe('');
});

test('P10: never if something was not inspected', () => {
  for (const stdin of ['pipe', 'none'] as const) {
    const unseen = { ...plan, stdin, operands: [script, { notInspected: 'its hooks' }] };
    expect(whyNoGrant(unseen)).toBe('not all of it was inspected: its hooks');
    expect(whyNoGrant({ ...plan, stdin, scripts: [{ path: 'x.sh' }] })).toContain('not all of it');
  }
});

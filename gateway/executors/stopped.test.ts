import { expect, test } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import type { Permit } from '../approvals/permit.ts';
import { Execution } from '../execution/execution.ts';
import type { ToCaller } from '../ports/channel.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { Executor } from './executor.ts';
import { createMirror } from './mirror.ts';
import { createPassthrough } from './passthrough.ts';

const permit = { sealed: { plan: {}, canonical: '{}', hash: 'h' } } as Permit;

function attached(said: ToCaller[]): Execution {
  const wiring = { stdio: ['null', 'pipe', 'pipe'], ignored: [] } as const;
  const record = { state: 'received', receivedAt: 0, caller: 'relay:host-7' } as ExecutionRecord;
  const execution = new Execution(record, { wiring, hostLabels: {} }, () => {});
  const gone = new AbortController().signal;
  execution.attach({ gone, listen: () => {}, send: (item) => void said.push(item) });
  return execution;
}

test.each<[string, (onStart: () => void) => Executor]>([
  ['mirror', (recordStart) => createMirror({ recordStart, onVanished: () => {} })],
  ['passthrough', createPassthrough],
])(
  'P19: by %s, an execution that is stopped between its permit and its run tells nobody to run it',
  async (_name, create) => {
    const said: ToCaller[] = [];
    const execution = attached(said);
    let starts = 0;
    const run = await create(() => {
      starts += 1;
    })(permit, execution);
    execution.stop(new ClawrdenError('agent-killed', 'killed'));
    await expect(async () => await run()).rejects.toThrow('killed');
    expect([said, starts]).toEqual([[], 0]);
  },
);

test('A-601 P25: a mirrored command whose order was sent is recorded as started, though its relay did not tell it before its stop', async () => {
  const execution = attached([]);
  const starts: string[] = [];
  const recordStart = ({ record: { state, host } }: Execution) => void starts.push(`${state} ${host}`);
  const run = await createMirror({ recordStart, onVanished: () => {} })(permit, execution);
  const outcome = run();
  expect(starts).toEqual([]);
  execution.stop(new ClawrdenError('agent-killed', 'killed'));
  await expect(outcome).rejects.toThrow('killed');
  expect(starts).toEqual(['running host-7']);
});

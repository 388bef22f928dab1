import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExecutionRecord, ExecutionState } from '../ports/execution-record.ts';
import { Execution } from './execution.ts';

const end = {
  ...{ outcome: 'exited', exitCode: 0, exitSignal: 0, reason: '', text: '' },
  ...{ stdoutBytes: 0, stderrBytes: 0 },
};

const verbs: Readonly<Record<string, (execution: Execution) => void>> = {
  asks: (execution) => execution.asks('a1'),
  queued: (execution) => execution.queued(),
  started: (execution) => execution.started({ host: 'h', container: 'c' }),
  ended: (execution) => execution.ended(end),
};

const order: readonly ExecutionState[] = ['received', 'awaiting-approval', 'queued', 'running', 'ended'];

function newExecution(states: ExecutionState[]): Execution {
  const record = { state: 'received', receivedAt: 0 } as ExecutionRecord;
  const wiring = { stdio: ['null', 'pipe', 'pipe'], ignored: [] } as const;
  return new Execution(record, { wiring, hostLabels: {} }, ({ state }) => states.push(state));
}

test('an execution goes forward through its states, whatever is told of it and in whichever order', () => {
  const told = fc.array(fc.constantFrom(...Object.keys(verbs)), { maxLength: 12 });
  fc.assert(
    fc.property(told, (names) => {
      const states: ExecutionState[] = ['received'];
      const execution = newExecution(states);
      for (const name of names) verbs[name]?.(execution);
      const places = states.map((state) => order.indexOf(state));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      execution.end({ kind: 'exited', code: 0, signal: 0 });
    }),
  );
});

test('what comes after the end changes nothing', () => {
  const states: ExecutionState[] = [];
  const execution = newExecution(states);
  execution.started({ host: 'here', container: 'one' });
  execution.ended(end);
  execution.started({ host: 'there', container: 'two' });
  execution.queued();
  expect(execution.record).toMatchObject({ state: 'ended', host: 'here', container: 'one' });
  expect(states).toEqual(['running', 'ended']);
  execution.end({ kind: 'exited', code: 0, signal: 0 });
});

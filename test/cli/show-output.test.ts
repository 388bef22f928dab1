import { expect, test } from 'vitest';
import type { ExecutionRecord } from '../../gateway/ports/execution-record.ts';
import type { RecordedOutput } from '../../gateway/ports/recorded-output.ts';
import { startTestGateway } from '../grpc/gateway.ts';
import { clawrden, contextOf } from './clawrden.ts';

const stdout = {
  head: Buffer.from('one\n| two\\\u001b[2J\n\u00e4'),
  dropped: 123_456,
  tail: Buffer.from('end\n(9 bytes were not kept)\nlast'),
};
const stderr = { head: Buffer.from('half'), dropped: 0, tail: Buffer.from(' of a line\n') };

async function startGateway(output: RecordedOutput | undefined) {
  const record = { id: '0199-whole', caller: 'relay:host-7', state: 'ended' } as ExecutionRecord;
  const gateway = await startTestGateway({
    people: { admin: 'admin', vera: 'viewer' },
    warden: {
      execution: async () => record,
      output: async (caller, id) => (caller === record.caller && id === record.id ? output : undefined),
    },
  });
  const show = async (name: string, ...more: string[]) => {
    const context = await contextOf(gateway, { kind: 'person', name });
    return await clawrden(['show', '0199', '--output', ...more, '--context', context]);
  };
  return { show, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

test('P11: show --output: no line of a tool passes for one of ours, no byte moves the terminal, what is missing is marked', async () => {
  await using gateway = await startGateway({ stdout, stderr });
  expect(await gateway.show('admin')).toMatchObject({
    code: 0,
    stdout: [
      `stdout, ${stdout.head.length + 123_456 + stdout.tail.length} bytes`,
      '| one',
      '| | two\\\\\\x1b[2J',
      '| \\xc3\\xa4',
      '(no line end)',
      '(123456 bytes were not kept)',
      '| end',
      '| (9 bytes were not kept)',
      '| last',
      '(no line end)',
      'stderr, 15 bytes',
      '| half of a line',
      '',
    ].join('\n'),
  });
  expect(JSON.parse((await gateway.show('admin', '--json')).stdout)).toEqual({
    id: '0199-whole',
    stdout: { head: stdout.head.toString('base64'), dropped: 123_456, tail: stdout.tail.toString('base64') },
    stderr: { head: 'aGFsZg==', dropped: 0, tail: stderr.tail.toString('base64') },
  });
});

test('recorded output is for operators: it may hold secrets', async () => {
  await using gateway = await startGateway({ stdout, stderr });
  expect(await gateway.show('vera')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'clawrden: show: this needs the role operator or admin; ask a person who may\n',
  });
});

test('if nothing was recorded, it says so', async () => {
  await using gateway = await startGateway(undefined);
  expect(await gateway.show('admin')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'clawrden: show: nothing is kept of what 0199-whole wrote; see `record` in docs/policy.md\n',
  });
});

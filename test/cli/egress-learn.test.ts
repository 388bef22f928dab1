import { expect, test } from 'vitest';
import type { Learn, WantedLearning } from '../../gateway/ports/learning.ts';
import { startTestGateway } from '../grpc/gateway.ts';
import { clawrden, contextOf, ended, start } from './clawrden.ts';

/** Tells these, and learns until its caller has left. */
function learnOf(destinations: readonly string[], asked: WantedLearning[], left: AbortController): Learn {
  return async (wanted, _by, tell, signal) => {
    asked.push(wanted);
    signal.addEventListener('abort', () => left.abort());
    for (const destination of destinations) tell(destination);
    const until = Date.parse('2026-11-24T18:00:00Z');
    return { value: { network: 'none', until, ended: new Promise(() => {}) } };
  };
}

const hostile = '\u001b[2J"\n- x:443';

test.each([
  ['YAML', [], 'allow:\n  - "\\u001b[2J\\"\\n- x:443"\n  - "a.example:443"\n  - "b.example:443"\n'],
  ['JSON', ['--json'], '"allow":["\\u001b[2J\\"\\n- x:443","a.example:443","b.example:443"]'],
])('P11: ^C ends what it learns, and prints it: %s', async (_form, json, printed) => {
  const asked: WantedLearning[] = [];
  const left = new AbortController();
  await using gateway = await startTestGateway({
    warden: { learn: learnOf(['b.example:443', 'a.example:443', hostile], asked, left) },
  });
  const context = await contextOf(gateway);
  const child = start(['egress', 'learn', 'coder', '--tool', 'npm', '--context', context, ...json]);
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const result = ended(child);
  await expect.poll(() => said).toContain('until 2026-11-24T18:00:00.000Z');
  child.kill('SIGINT');
  const { code, stdout } = await result;
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\s/g, '')).toContain(printed.replaceAll(/\s/g, ''));
  expect(`${stdout}${said}`).toMatch(/^[\x20-\x7e\n]+$/);
  expect(asked).toEqual([{ agent: 'coder', tool: 'npm', ms: 600_000, reason: '' }]);
  await expect.poll(() => left.signal.aborted).toBe(true);
});

test('a time that is too long is refused here, and what the gateway refuses is one line', async () => {
  await using gateway = await startTestGateway();
  const context = await contextOf(gateway);
  const args = ['egress', 'learn', 'coder', '--tool', 'npm', '--context', context];
  expect(await clawrden([...args, '--for', '2h'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('of an hour at most; write it like 10m'),
  });
  expect(await clawrden(args)).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: 'clawrden: egress learn: nobody is known here; nothing was done\n',
  });
});

import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startRealGateway } from './real-gateway.ts';

const value = 'hunter2-hunter2-hunter2';

test('clawrden secrets list and check name the secrets and say whether they can be read, and nothing says what they are', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'clawrden-secrets-'));
  const file = join(folder.path, 'npm');
  await writeFile(file, `${value}\n`);
  const script = `echo ${value}; echo ${value} >&2; exit 7`;
  const secrets = {
    npm: { file },
    gone: { env: 'CLAWRDEN_NO_SUCH' },
    vault: { command: ['sh', '-c', script] },
  };
  await using gateway = await startRealGateway({ keys: { secrets } });
  const { stdout: list } = await gateway.cli('secrets', 'list');
  expect(
    list
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ +/)),
  ).toEqual([
    ['SECRET', 'SOURCE'],
    ['npm', 'file'],
    ['gone', 'env'],
    ['vault', 'command'],
  ]);
  const checked = await gateway.cli('secrets', 'check', '--json');
  expect(JSON.parse(checked.stdout)).toEqual([
    { name: 'npm', source: 'file', problem: '' },
    { name: 'gone', source: 'env', problem: expect.stringContaining('CLAWRDEN_NO_SUCH is not set') },
    { name: 'vault', source: 'command', problem: expect.stringContaining('sh ended with status 7') },
  ]);
  expect(checked.code).toBe(1);
  for (const said of [list, checked.stdout, checked.stderr]) expect(said).not.toContain('hunter2');
});

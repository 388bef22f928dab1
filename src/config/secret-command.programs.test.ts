import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { outputOfSecretCommand } from './secret-command.ts';
import { readSecret } from './secret-field.ts';

const said = 'hunter2-hunter2';
const sh = (script: string) => ({ command: ['sh', '-c', script] as const, ttl: 1000 });

test('a secret is what its command writes, without one line break at the end', async () => {
  expect(await readSecret(sh(`echo ${said}`), 'secrets.db')).toBe(said);
  expect(await readSecret(sh(`printf '%s\\n\\n' ${said}`), 'secrets.db')).toBe(`${said}\n`);
});

test('P12 its command gets PATH and HOME of the gateway, and nothing else', async () => {
  process.env.CLAWRDEN_TEST_SECRET = 'not for commands';
  const names = await readSecret({ command: ['env'], ttl: 1000 }, 'secrets.db');
  delete process.env.CLAWRDEN_TEST_SECRET;
  const named = names.split('\n').map((line) => line.split('=')[0]);
  expect(new Set(named)).toEqual(new Set(['HOME', 'PATH']));
});

test.each([
  ['which fails', `echo ${said}; echo ${said} >&2; exit 3`, 'sh ended with status 3'],
  ['which is killed', `kill -9 $$`, 'sh was ended by SIGKILL'],
  ['which writes too little', 'echo short', 'must have 8 to 65536 bytes, and no NUL'],
  ['which writes a NUL', `printf '${said}\\0'`, 'must have 8 to 65536 bytes, and no NUL'],
  ['which writes too much', `yes ${said}`, 'sh wrote more than 65536 bytes'],
  ['which writes no UTF-8', `printf '${said}\\377'`, 'sh did not write UTF-8'],
])('A-200 a command %s is told by name, and nothing that it wrote is', async (_what, script, why) => {
  const failure = await readSecret(sh(script), 'secrets.db').catch((error: Error) => error.message);
  expect(failure).toMatch(/^secrets\.db: /);
  expect(failure).toContain(why);
  expect(failure).not.toContain(said);
});

test('a program that is not there is named', async () => {
  const source = { command: ['no-such-vault', said] as const, ttl: 1000 };
  const failure = await readSecret(source, 'secrets.db').catch((error: Error) => error.message);
  expect(failure).toBe('secrets.db: no-such-vault cannot be run: there is no such program');
});

test('A-201 a command ends at its deadline, with everything that it started', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'clawrden-secret-'));
  const beats = join(folder.path, 'beats');
  const script = `(while :; do echo beat >> ${beats}; sleep 0.05; done) & sleep 60`;
  await expect(outputOfSecretCommand(['sh', '-c', script], 'secrets.db', 100, 400)).rejects.toThrow(
    'secrets.db: sh did not end within 0.4 s',
  );
  await sleep(200);
  const counted = readFileSync(beats, 'utf8').length;
  await sleep(300);
  expect(readFileSync(beats, 'utf8').length).toBe(counted);
});

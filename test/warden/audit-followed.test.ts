import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditFiles, rotatedFiles, rotatedName } from '../../src/audit/audit-files.ts';
import { lastLink } from '../../src/audit/last-link.ts';
import { launcher } from '../stack/launcher.ts';
import { newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const rounds = process.env['CLAWRDEN_LONG'] === '1' ? 10 : 3;
const waits = { timeout: 60_000, interval: 50 };

let gateway: RealGateway;

beforeAll(async () => {
  gateway = await startRealGateway();
}, 120_000);
afterAll(() => gateway?.[Symbol.asyncDispose]());

const tail = (...args: string[]) => [
  ...[process.execPath, launcher, '--context', gateway.context, 'audit', 'tail', ...args],
];

interface Shipper {
  readonly child: ChildProcess;
  readonly lines: () => string[];
  readonly said: () => string;
}

function ship(...args: string[]): Shipper {
  const [file = '', ...rest] = tail(...args);
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text));
  return { child, lines: () => out.split('\n').slice(0, -1), said: () => said };
}

async function work(commands: number): Promise<void> {
  const relay = await gateway.relay();
  try {
    for (let left = commands; left > 0; left -= 1)
      await play(relay, newMirrored(), { tool: 'run' }, gateway.audit);
  } finally {
    relay.close();
  }
}

async function written(): Promise<string[]> {
  const texts = await Promise.all((await auditFiles(gateway.audit)).map((part) => readFile(part, 'utf8')));
  return texts.flatMap((text) => text.split('\n').slice(0, -1));
}

/** As a gateway leaves its log that is killed while it renames a full file. */
async function rotate(): Promise<void> {
  const { seq } = await lastLink(await auditFiles(gateway.audit));
  await rename(gateway.audit, rotatedName(gateway.audit, seq));
}

test('A-270: a follower has each record once and in order, while the gateway is killed and its log begins new parts', {
  timeout: 300_000,
}, async () => {
  const shipper = ship('--from', '2', '--follow', '--json');
  try {
    // One that never reached a gateway ends at once.
    await expect.poll(() => shipper.lines().length, waits).toBeGreaterThan(0);
    for (let round = 0; round < rounds; round += 1) {
      const busy = work(20).catch(() => {});
      if (round % 2 === 1) await busy;
      await gateway.end('SIGKILL');
      await busy;
      if (round % 2 === 1) await rotate();
      await expect.poll(shipper.said, waits).toMatch(/does not answer \([^\n]+\); it is asked again\n$/);
      await gateway.start();
      await expect.poll(() => shipper.said().split('answers again\n').length - 1, waits).toBe(round + 1);
    }
    await work(3);
    expect(await rotatedFiles(gateway.audit)).toHaveLength(Math.floor(rounds / 2));
    await expect.poll(async () => shipper.lines().length === (await written()).length - 1, waits).toBe(true);
    expect(shipper.lines()).toEqual((await written()).slice(1));
    expect(shipper.child.exitCode).toBeNull();
  } finally {
    shipper.child.kill('SIGKILL');
  }
});

/** Asks again if the gateway wrote something meanwhile: it may tell of what came before. */
async function undisturbed<Said>(ask: (all: readonly string[]) => Promise<Said>): Promise<[Said, string[]]> {
  for (;;) {
    const all = await written();
    const said = await ask(all);
    if ((await written()).length === all.length) return [said, all];
  }
}

test("without a file the newest records are the gateway's; --from takes all from there; the end is told", {
  timeout: 120_000,
}, async () => {
  const tailed = (...args: string[]) => gateway.cli('audit', 'tail', ...args);
  const [newest, all] = await undisturbed(() => tailed('-n', '2'));
  expect(newest.stdout).toBe(`${all.slice(-2).join('\n')}\n`);
  const [from3, more] = await undisturbed(() => tailed('--from', '3'));
  expect(from3.stdout).toBe(`${more.slice(2).join('\n')}\n`);
  const [next] = await undisturbed(({ length }) => tailed('--from', String(length + 1)));
  expect(next).toMatchObject({ code: 0, stdout: '' });
  const [beyond, { length }] = await undisturbed((lines) => tailed('--from', String(lines.length + 2)));
  expect(beyond).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringContaining(`audit: it ends with record ${length}, before record ${length + 1};`),
  });
});

test('a follower whose reader goes away ends quietly, at the next record at the latest', {
  timeout: 120_000,
}, async () => {
  const shell = spawn('bash', ['-c', '"$@" | head -n 1; exit "${PIPESTATUS[0]}"', 'bash', ...tail('-f')]);
  let said = '';
  shell.stderr.on('data', (text: Buffer) => void (said += text.toString()));
  let ended = false;
  const code = once(shell, 'close').then(([status]) => {
    ended = true;
    return status as number;
  });
  const first = once(shell.stdout, 'data');
  await first;
  while (!ended) await work(1);
  expect([await code, said]).toEqual([0, '']);
});

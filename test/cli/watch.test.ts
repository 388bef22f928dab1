import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { contextOf, ended, start } from './clawrden.ts';
import { hasTmux } from './terminal.ts';
import { install, question, remove, startQueue, startWatch } from './watch-queue.ts';

describe.skipIf(!hasTmux)('clawrden watch on a terminal (of tmux)', () => {
  test('P10: shows what comes and goes within a second, approves what was read after a yes, and denies with a reason', async () => {
    await using queue = await startQueue();
    await using terminal = await startWatch(queue);
    await terminal.shows(/nothing waits/);
    queue.set(install);
    await sleep(1000);
    expect(await terminal.screen()).toMatch(/> aaaa000001 .* coder {2}npm install express/);
    queue.set(install, remove);
    await terminal.shows(/bbbb000002 .* rm -rf/);
    await terminal.type('a', 'y');
    await terminal.type('Enter');
    await terminal.shows(/argv +"npm"\n +"install"\n +"express"\n/);
    await terminal.type('a');
    await terminal.shows(/y: yes/);
    await terminal.type('n');
    await terminal.shows(/not approved, it still waits/);
    expect(queue.resolved).toEqual([]);
    await terminal.type('a');
    await terminal.shows(/y: yes, any other key: no/);
    await terminal.type('y');
    await terminal.shows(/approved coder: npm install express/);
    await terminal.type('Enter');
    await terminal.shows(/argv +"rm"\n/);
    await terminal.type('d', 'n', 'o', 'x', 'BSpace', 'Enter');
    await terminal.shows(/denied coder: rm -rf \/app\/dist/);
    const planHash = '7b3c5de19f42';
    expect(queue.resolved).toEqual([
      ['aaaa000001', { planHash, verdict: 'approved', reason: '', via: 'watch' }],
      ['bbbb000002', { planHash, verdict: 'denied', reason: 'no', via: 'watch' }],
    ]);
    await terminal.type('q');
    await terminal.shows(/left 0/);
    expect(await terminal.modes()).toBe('0 1\n');
  });

  test('A-626 P10: a later question of another agent is shown before the next one of this agent', async () => {
    const first = ['aaaa000001', 'aaaa000002', 'aaaa000003'].map((id) => question(id, ['npm', 'ci']));
    await using queue = await startQueue(...first);
    await using terminal = await startWatch(queue);
    await terminal.shows(/aaaa000003/);
    queue.set(...first, question('bbbb000001', ['npm', 'ci'], undefined, 'other'));
    await terminal.shows(/bbbb000001/);
    const ids = (await terminal.screen()).match(/[ab]{4}00000\d/g);
    expect(ids).toEqual(['aaaa000001', 'bbbb000001', 'aaaa000002', 'aaaa000003']);
  });

  test('shows what docs/operations.md shows', async () => {
    await using queue = await startQueue(install, remove);
    await using terminal = await startWatch(queue);
    const page = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const pictures = page
      .split(/```(?:text)?\n/)
      .filter((block) => /^(clawrden watch|aaaa000001) /.test(block));
    const list = await terminal.shows(/bbbb000002/);
    await terminal.type('Enter');
    await terminal.shows(/a approve/);
    await terminal.type('a');
    expect([list, await terminal.shows(/y: yes/)].map(timeless)).toEqual(pictures.map(timeless));
  });

  /** Without the parts that change with each run, and without empty rows. */
  function timeless(screen: string): string[] {
    const rows = screen.split('\n').filter((row) => row !== '');
    return rows.map((row) =>
      row
        .replace(/\d+ min \d+ s +|\d+ min \d+ s$/, 'TIME ')
        .replace(/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d/, 'DATE')
        .replace(/[a-z.]+:\d{2,5}$/, 'GATEWAY'),
    );
  }

  test('A-48: what was not shown to its end cannot be approved, and a cut line says so', async () => {
    const long = question('cccc000003', ['sh', '-c', `:${'x'.repeat(4000)}; rm -rf /app`]);
    await using queue = await startQueue(long);
    await using terminal = await startWatch(queue);
    await terminal.shows(/\\\+\d{4}\n/);
    await terminal.type('Enter');
    const first = await terminal.shows(/\d+ more rows below/);
    expect(first).not.toMatch(/a approve/);
    await terminal.type('a');
    await terminal.shows(/read it to its end first/);
    await terminal.type('Space');
    await terminal.shows(/\\ .*; rm -rf \/app"/);
    for (let page = 0; page < 4; page += 1) await terminal.type('Space');
    await terminal.shows(/a approve/);
    await terminal.type('q', 'q');
    await terminal.shows(/left 0/);
  });

  test('A-47: what an agent wrote moves nothing', async () => {
    const argv = ['npm', '\u001b[2J\u001b[1;1HOK safe', '\u202egnp.exe', 'a\nApprove: yes'];
    const operands = [
      { path: 'x.sh is /app/x.sh', digest: 'ab12', file: '/app/\u202ehs.z' },
      { path: 'z\n.sh', notInspected: 'it is \u001b[2J too large' },
    ];
    await using queue = await startQueue(question('dddd000004', argv, operands));
    await using terminal = await startWatch(queue);
    await terminal.shows(/npm "\\u\{1b\}\[2J\\u\{1b\}\[1;1HOK safe" "\\u\{202e\}gnp\.exe"/);
    await terminal.type('Enter');
    const shown = await terminal.shows(/a approve/);
    expect(shown).toMatch(/^dddd000004 /);
    expect(shown).toMatch(/\n +"a\\nApprove: yes"\n/);
    expect(shown).toContain('"x.sh is /app/x.sh" is "/app/\\u{202e}hs.z", sha256 ab12');
    expect(shown).toContain('"z\\n.sh" is not inspected: "it is \\u{1b}[2J too large"');
    expect(shown).not.toMatch(/[^\x20-\x7e\n]/);
  });

  test('what is pasted, and what was typed before the question was there, is no verdict', async () => {
    await using queue = await startQueue(install);
    await using terminal = await startWatch(queue);
    await terminal.type('Enter');
    await terminal.shows(/a approve/);
    await terminal.paste('ay');
    await terminal.type('ay');
    await terminal.shows(/y: yes, any other key: no/);
    await terminal.type('yyyy');
    await terminal.type('yes, I pasted this');
    await terminal.type('Escape');
    await terminal.shows(/still waits/);
    expect(queue.resolved).toEqual([]);
  });

  test('a question that goes while it is read is closed; nothing else takes its place under the keys', async () => {
    await using queue = await startQueue(install, remove);
    await using terminal = await startWatch(queue);
    await terminal.type('Enter');
    await terminal.shows(/a approve/);
    await terminal.type('a');
    await terminal.shows(/y: yes/);
    queue.set(remove);
    await terminal.shows(/aaaa000001 does not wait any more/);
    await terminal.type('y');
    await sleep(200);
    expect(queue.resolved).toEqual([]);
  });

  test('a resize keeps what is read, and asks for it to be read on', async () => {
    const args = Array.from({ length: 60 }, (_, index) => `argument-${index}`);
    await using queue = await startQueue(question('eeee000005', ['tool', ...args]));
    await using terminal = await startWatch(queue);
    await terminal.type('Enter');
    await terminal.shows(/more rows below/);
    await terminal.type('Space');
    await terminal.shows(/argument-40/);
    await terminal.resize(60, 12);
    await terminal.shows(/^eeee000005[^\n]*\n\n(?:[^\n]*\n){8}[^\n]*more rows below\nspace more/);
    await terminal.resize(30, 5);
    await terminal.shows(/too small/);
    await terminal.resize(120, 80);
    await terminal.shows(/argument-59[^]*a approve/);
  });

  test('a viewer reads and decides nothing', async () => {
    await using queue = await startQueue(install);
    await using terminal = await startWatch(queue, 'vera');
    await terminal.type('Enter');
    await terminal.shows(/a approve/);
    await terminal.type('a');
    await terminal.shows(/y: yes/);
    await terminal.type('y');
    await terminal.shows(/approve: this needs the role approver, operator or admin/);
    expect(queue.resolved).toEqual([]);
  });

  test('a gateway that goes is said to be gone, and found again', { timeout: 60_000 }, async () => {
    await using queue = await startQueue(install);
    await using terminal = await startWatch(queue);
    const back = queue.gateway.restart();
    await terminal.shows(/not live: /, 25_000);
    await back;
    queue.set(install, remove);
    const shown = await terminal.shows(/bbbb000002/, 25_000);
    expect(shown).not.toMatch(/not live/);
  });

  test.each([
    ['C-c', /left 0/],
    ['TERM', /left 143/],
    ['HUP', /left 129/],
  ])('%s gives the terminal back', async (how, left) => {
    await using queue = await startQueue(install);
    await using terminal = await startWatch(queue);
    if (how === 'C-c') await terminal.type('C-c');
    else await terminal.signal(how);
    await terminal.shows(left);
    expect(await terminal.modes()).toBe('0 1\n');
    await terminal.type('echo $((6*7))', 'Enter');
    await terminal.shows(/\$\(\(6\*7\)\)\n42/);
  });

  test('^Z stops it as a shell expects, and fg brings it back', async () => {
    await using queue = await startQueue(install);
    await using terminal = await startWatch(queue);
    await terminal.type('C-z');
    await terminal.shows(/Stopped/);
    expect(await terminal.modes()).toBe('0 1\n');
    await terminal.type('fg', 'Enter');
    await terminal.shows(/> aaaa000001/);
    await terminal.type('q');
    await terminal.shows(/\n# fg\n[^#]*\n#$/m);
  });
});

test('without a terminal: a line of JSON for what comes and goes, over a restart of the gateway', {
  timeout: 60_000,
}, async () => {
  await using queue = await startQueue(install);
  const watching = start(['watch', '--context', await contextOf(queue.gateway)]);
  const output = ended(watching);
  const lines: Record<string, unknown>[] = [];
  watching.stdout!.on('data', (chunk: Buffer) =>
    lines.push(
      ...chunk
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    ),
  );
  await expect.poll(() => lines.length).toBe(1);
  queue.set(install, remove);
  await expect.poll(() => lines.length).toBe(2);
  queue.set(remove);
  await expect.poll(() => lines.length).toBe(3);
  await queue.gateway.restart();
  await expect.poll(() => lines.length, { timeout: 25_000 }).toBe(4);
  queue.set();
  await expect.poll(() => lines.length).toBe(5);
  watching.kill();
  await output;
  expect(lines).toMatchObject([
    { event: 'waiting', id: 'aaaa000001', plan: { argv: ['npm', 'install', 'express'] } },
    { event: 'waiting', id: 'bbbb000002' },
    { event: 'gone', id: 'aaaa000001' },
    { event: 'lost' },
    { event: 'gone', id: 'bbbb000002' },
  ]);
});

test('a gateway that was never there is an error', async () => {
  await using queue = await startQueue();
  const context = await contextOf(queue.gateway);
  await queue.gateway.close(0);
  expect(await ended(start(['watch', '--json', '--context', context]))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^clawrden: gateway: localhost:\d+ does not answer/),
  });
});

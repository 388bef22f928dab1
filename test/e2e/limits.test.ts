import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processesMentioning } from '../lab/host-processes.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { listed, shells, untilNoGhosts } from './life.ts';
import { type Typed, type, typed } from './typed.ts';

const mebibyte = 1024 * 1024;
const mostExecutions = 6;
const image = 'clawrden-lab/busybox:latest';

// Each limit once by the tool and once by the rule; the first word of a script says which rule is meant.
const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
tools:
  ghostly: { strategy: ghost, image: "${image}", memory: 48m, cpus: 0.5, pids: 24 }
  mirrored: { strategy: mirror }
  yes: { strategy: ghost, image: "${image}", output: 1m }
  seq: { strategy: mirror, output: 64k }
  cat: { strategy: ghost, image: "${image}", idle-timeout: 500ms }
  usleep: { strategy: mirror, idle-timeout: 500ms }
  dd: { strategy: ghost, image: "${image}", file-size: 1m }
  truncate: { strategy: mirror, file-size: 1m }
  node: { strategy: ghost, image: "clawrden-lab/node:24" }
rules:
  - { name: output, tools: [ghostly, mirrored], args: [": output*"], output: 100k, action: allow }
  - { name: idle, tools: [ghostly, mirrored], args: [": idle*"], idle-timeout: 700ms, action: allow }
  - { name: time, tools: [ghostly, mirrored], args: [": time*"], timeout: 1500ms, action: allow }
  - { name: file, tools: [ghostly, mirrored], args: [": file*"], file-size: 64k, action: allow }
  - { name: few, tools: [ghostly], args: [": few*"], pids: 8, action: allow }
  - { name: slow, tools: [ghostly], args: [": slow*"], cpus: 0.2, timeout: 2500ms, action: allow }
  - { name: memory, tools: [ghostly], args: [": memory*"], memory: 16m, action: allow }
  - { name: look, tools: [node], args: ["-e", "*"], runs-anything: true, action: allow }
  - { name: rest, tools: [ghostly, mirrored, "yes", seq, cat, usleep, dd, truncate], action: allow }
complete: true
`;

describe.skipIf(!hasLab())('limits', () => {
  let stack: Stack;
  const agent = () => stack.agents.eater!;
  const run = (...argv: string[]) => typed(agent(), argv);
  const sizeOf = async (name: string) => (await stat(join(stack.workspaceOf('eater'), name))).size;

  beforeAll(async () => {
    stack = await startStack(sharedLab(), {
      name: 'limits',
      policy,
      agents: { eater: { container: { extra: ['--memory', '128m'] } } },
      gateway: { limits: { 'executions-per-agent': mostExecutions } },
    });
  });
  afterAll(() => stack?.stop());

  test('output: exactly so much of it, the line, and 137, by the tool and by the rule', async () => {
    const ends = await Promise.all([
      run('yes'),
      run('seq', '10000000'),
      ...shells.map(({ shell }) => run(shell, ': output; yes >&2')),
    ]);
    const sizes = [mebibyte, 65_536, 102_400, 102_400];
    for (const [index, end] of ends.entries()) {
      const { told, rest } = reasonOf(end);
      expect([end.code, told, end.stdout.length + rest]).toEqual([137, 'output-limit', sizes[index]]);
    }
  });

  test('silence: 124, by the tool and by the rule', async () => {
    const ends = await Promise.all([
      typed(agent(), ['cat'], { stdin: 'pipe' }),
      run('usleep', '30000000'),
      ...shells.map(({ shell }) => run(shell, ': idle; echo begun; sleep 60')),
    ]);
    for (const end of ends) expect([end.code, reasonOf(end).told]).toEqual([124, 'idle-timeout']);
    expect(ends[3]?.stdout.toString()).toBe('begun\n');
  });

  test('time: 124, and what was written by then', async () => {
    const ends = await Promise.all(shells.map(({ shell }) => run(shell, ': time; echo begun; sleep 60')));
    for (const end of ends) {
      expect([end.code, reasonOf(end).told]).toEqual([124, 'run-timeout']);
      expect(end.stdout.toString()).toBe('begun\n');
    }
  });

  test('A-61 a file in the workspace: it ends at the limit, by the tool and by the rule', async () => {
    const write = (name: string) =>
      `: file; exec /bin/busybox dd if=/dev/zero of=/app/${name} bs=64k count=160000`;
    const ends = await Promise.all([
      run('dd', 'if=/dev/zero', 'of=/app/by-tool', 'bs=1M', 'count=10240'),
      run('truncate', '-s', '10G', '/app/by-mirror'),
      ...shells.map(({ shell, strategy }) => run(shell, write(`by-rule-${strategy}`))),
    ]);
    expect(ends.map(({ signal }) => signal)).toEqual(Array(4).fill('SIGXFSZ'));
    expect(await sizeOf('by-tool')).toBe(mebibyte);
    expect(await sizeOf('by-mirror')).toBe(0);
    for (const { strategy } of shells) expect(await sizeOf(`by-rule-${strategy}`)).toBe(65_536);
  });

  test('A-61 memory, by what it allocates and by what it puts into /tmp: 137 and the line', async () => {
    const [grows, fills, byRule, mirrored] = await Promise.all([
      run('ghostly', 'exec tail /dev/zero'),
      run('ghostly', 'exec dd if=/dev/zero of=/tmp/x bs=1M count=10240'),
      run('ghostly', ': memory; tail /dev/zero'),
      run('mirrored', 'tail /dev/zero'),
    ]);
    for (const end of [grows, fills, byRule, mirrored])
      expect([end.code, reasonOf(end).told]).toEqual([137, 'out-of-memory']);
    expect(grows.stderr).toContain(`${48 * mebibyte} bytes`);
    expect(byRule.stderr).toContain(`${16 * mebibyte} bytes`);
    expect(mirrored.stderr).toContain('than its container has');
  });

  test('A-61 a fork bomb has its processes and no more, ends with its time, and keeps nobody waiting', async () => {
    const mark = randomUUID();
    const bomb = `: time ${mark}; b() { b | b & }; b 2> /dev/null; sleep 60`;
    const bombs = run('ghostly', bomb);
    const others = await Promise.all([run('ghostly', 'echo fine'), run('mirrored', 'echo fine')]);
    const most = (await processesMentioning(mark)).length;
    expect(others.map(({ stdout }) => stdout.toString())).toEqual(['fine\n', 'fine\n']);
    expect([(await bombs).code, reasonOf(await bombs).told]).toEqual([124, 'run-timeout']);
    expect(most).toBeLessThanOrEqual(24);
    await untilNoGhosts(sharedLab(), 'eater', 10_000);
    expect(await processesMentioning(mark)).toEqual([]);
  });

  test('processes: one more is refused to the tool, by the tool and by the rule', async () => {
    const some = (count: number) => `for i in $(seq ${count}); do sleep 3 & done; echo ${count} started`;
    const [byTool, fits, byRule] = await Promise.all([
      run('ghostly', some(30)),
      run('ghostly', some(12)),
      run('ghostly', `: few; ${some(12)}`),
    ]);
    expect(fits).toMatchObject({ code: 0, stdout: Buffer.from('12 started\n'), stderr: '' });
    for (const { code, stdout, stderr } of [byTool, byRule]) {
      expect([code, stdout.toString()]).toEqual([2, '']);
      expect(stderr).toMatch(/can't fork: Resource temporarily unavailable/);
    }
  });

  test('A-61 a million open files are 16 384', async () => {
    const opening = `const fds = []; try { for (;;) fds.push(fs.openSync('/dev/null')); } catch (error) { fs.writeSync(1, error.code + ' ' + fds.length); }`;
    const { code, stdout } = await run('node', '-e', opening);
    const [error, count] = stdout.toString().split(' ');
    expect([code, error]).toEqual([0, 'EMFILE']);
    expect(Number(count)).toBeLessThan(16_384);
    expect(Number(count)).toBeGreaterThan(16_000);
  });

  test.each([
    ['tool', ': time', 1500, 0.5],
    ['rule', ': slow', 2500, 0.2],
  ])(
    'A-61 one that only burns gets its share of the processors, by the %s, until its time is over',
    async (_, mark, ms, share) => {
      const told = 'read end x < /proc/uptime; echo $begin $end; cat /proc/$$/stat; exit';
      const burn = `${mark}; read begin x < /proc/uptime; trap '${told}' TERM; while :; do :; done`;
      const end = await run('ghostly', burn);
      expect([end.code, reasonOf(end).told]).toEqual([124, 'run-timeout']);
      expect(end.ms).toBeGreaterThan(ms);
      const words = end.stdout.toString().split(/[ \n]+/);
      const [from = 0, to = 0] = words.map(Number);
      const userSeconds = Number(words[2 + 13]) / 100;
      expect(userSeconds).toBeGreaterThan(0);
      // Memory that the kernel gives in advance adds to its share.
      expect(userSeconds).toBeLessThan((to - from) * share + 0.3);
    },
  );

  test('/tmp and HOME of a ghost have 512 MiB each', async () => {
    const room = `for (const path of ['/tmp', process.env.HOME]) { const { blocks, bsize } = fs.statfsSync(path); console.log(path, blocks * bsize); }`;
    const { stdout } = await run('node', '-e', room);
    expect(stdout.toString()).toBe(`/tmp ${512 * mebibyte}\n/home/ghost ${512 * mebibyte}\n`);
  });

  test('P20 executions of one agent: one too many is refused with 1, and the others go on', async () => {
    const waiting = Array.from({ length: mostExecutions }, () =>
      type(agent(), ['mirrored', 'read x; echo $x'], { stdin: 'pipe' }),
    );
    const all = await Promise.all(waiting);
    await waitUntil('all to be there', 20_000, async () => (await listed(stack, 'ps')).length === all.length);
    const end = await run('mirrored', 'echo no');
    expect([end.code, end.stdout.toString(), reasonOf(end).told]).toEqual([1, '', 'rate-limit']);
    for (const { stdin } of all) stdin?.end('on\n');
    for (const { ended } of all) expect((await ended).stdout.toString()).toBe('on\n');
    expect((await run('mirrored', 'echo yes')).code).toBe(0);
  });
});

/** The reason code of the last line, and how many bytes of stderr are before it. */
function reasonOf({ stderr }: Typed): { told: string; rest: number } {
  const found = /clawrden: ([a-z0-9-]+): [^\n]+\n$/.exec(stderr);
  return { told: found?.[1] ?? '', rest: found?.index ?? stderr.length };
}

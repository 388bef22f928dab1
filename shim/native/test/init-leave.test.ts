import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readStrings } from '../../../src/init-client/read-strings.ts';
import { FrameType } from '../../../src/wire/frames.ts';
import { InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'clawrden-leave-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

const causes = { own: 0, run: 1, output: 3, cancel: 4 };
const left = new Set<number>();

afterEach(() => {
  for (const pid of left) if (isThere(pid)) process.kill(pid, 'SIGKILL');
  left.clear();
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The process that a script left, once it has written its id. */
async function idIn(name: string): Promise<number> {
  const text = await vi.waitFor(
    async () => {
      const found = await readFile(join(directory, name), 'utf8');
      expect(found).toMatch(/^\d+\n$/);
      return found;
    },
    { timeout: 5000 },
  );
  const pid = Number(text);
  left.add(pid);
  return pid;
}

const gone = (pid: number) => vi.waitFor(() => expect(isThere(pid)).toBe(false), { timeout: 5000 });

describe.each(nativeBuilds)('what a command of a session leaves ($name)', ({ name: build, init: binary }) => {
  let count = 0;
  /** A script that leaves a process which writes for as long as it lives, and the name of the file with its id. */
  function leaving(rest: string, how = ''): { readonly script: string; readonly name: string } {
    count += 1;
    const name = `${build}-${count}`;
    const worker = `echo $$ >${directory}/${name}; while :; do echo more; echo more >&2; sleep 0.05; done`;
    return {
      name,
      script: `${how} sh -c '${worker}' & while [ ! -s ${directory}/${name} ]; do sleep 0.02; done; ${rest}`,
    };
  }

  test.each(['', 'setsid'])(
    'lives on when the command ended by itself, and may go on writing: %s',
    async (how) => {
      const { script, name } = leaving('echo own; exit 7', how);
      await using init = InitProcess.start(binary, { leave: true, script });
      const end = await init.end();
      expect(end).toMatchObject({ code: 7, cause: causes.own });
      expect(end.stdout.split('\n')).toContain('own');
      const pid = await idIn(name);
      // Longer than a pipe would hold what it writes if nobody read, and long enough for a broken one to kill it.
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(isThere(pid)).toBe(true);
    },
  );

  test('a control: without the flag it is gone with the command', async () => {
    const { script, name } = leaving('exit 0');
    await using init = InitProcess.start(binary, { script });
    expect(await init.end()).toMatchObject({ code: 0 });
    await gone(await idIn(name));
  });

  test('all that the command itself wrote comes, though a process that it left still has its pipe', async () => {
    const { script } = leaving('head -c 300000 /dev/zero');
    await using init = InitProcess.start(binary, { leave: true, script: script.replace('echo more;', '') });
    const end = await init.end();
    await idIn(`${build}-${count}`);
    expect(end.stdout.replaceAll(/[^\0]/g, '')).toHaveLength(300_000);
  });

  test('a process that floods the pipe does not hold up the end of its command', async () => {
    const { script, name } = leaving('exit 3');
    const flood = script.replace('echo more; echo more >&2; sleep 0.05', 'echo flood');
    await using init = InitProcess.start(binary, { leave: true, script: flood });
    expect(await init.end()).toMatchObject({ code: 3 });
    expect(isThere(await idIn(name))).toBe(true);
  });

  test('A-367: its own stderr comes, though a process that it left floods its stdout and is read slowly', async () => {
    const slowly =
      "perl -e 'while (sysread(STDIN, $b, 4096)) { syswrite(STDOUT, $b); select(undef, undef, undef, .002) }'";
    const wrapper = ['sh', '-c', `"$0" | ${slowly}`];
    const script = 'timeout 10 yes & sleep 0.3; echo own >&2; exit 0';
    await using init = InitProcess.start(binary, { leave: true, script }, wrapper);
    expect(await init.end()).toMatchObject({ code: 0, stderr: 'own\n' });
  });

  test('A-368: lives on, also if it was there while the init stood over an approved script', async () => {
    const path = join(directory, `${build}-approved`);
    const name = `${build}-approved-id`;
    await writeFile(path, `sh -c 'echo $$ >${directory}/${name}; exec sleep 30' &\nsleep 0.3\n`);
    const operands = [path];
    const orders = { argv: ['sh', path], operands };
    await using looking = InitProcess.start(binary, { ...orders, inspect: true });
    const found = readStrings((await looking.inbox.first(FrameType.operands)).payload);
    expect(found).toEqual([expect.stringMatching(/^held /)]);
    await using init = InitProcess.start(binary, { ...orders, leave: true, expected: found });
    expect(await init.end()).toMatchObject({ code: 0, cause: causes.own });
    const pid = await idIn(name);
    // Nothing tells that it lives on: long enough for the end of what traced it to kill it.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(isThere(pid)).toBe(true);
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^State:\tS/m);
  });

  test.each(['', 'setsid'])(
    'dies with a command that is canceled, even if that ends well: %s',
    async (how) => {
      const { script, name } = leaving('trap "exit 0" TERM; while :; do sleep 0.05; done', how);
      await using init = InitProcess.start(binary, { leave: true, script });
      const pid = await idIn(name);
      init.send(FrameType.cancel);
      expect(await init.end()).toMatchObject({ cause: causes.cancel });
      await gone(pid);
    },
  );

  test('dies with a command that ran too long, or wrote too much', async () => {
    const long = leaving('sleep 60');
    await using slow = InitProcess.start(binary, { leave: true, runMs: 300, script: long.script });
    expect(await slow.end()).toMatchObject({ cause: causes.run });
    await gone(await idIn(long.name));
    const loud = leaving('head -c 100000 /dev/zero; sleep 60');
    await using full = InitProcess.start(binary, { leave: true, outputBytes: 50_000, script: loud.script });
    expect(await full.end()).toMatchObject({ cause: causes.output });
    await gone(await idIn(loud.name));
  });

  test.each(['', 'setsid'])('dies with a command whose gateway is gone: %s', async (how) => {
    const { script, name } = leaving('sleep 60', how);
    await using init = InitProcess.start(binary, { leave: true, script });
    const pid = await idIn(name);
    init.hangUp();
    expect(await init.exited()).toBe(125);
    await gone(pid);
  });

  test('A-313: the end of stdin comes to a process that reads it after its command has ended', async () => {
    const { name, script } = leaving('exit 0', 'exec 3<&0;');
    const reads = script.replace(/while :; do.*done'/, `cat; echo read >${directory}/${name}-read' <&3`);
    await using init = InitProcess.start(binary, {
      leave: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      script: reads,
    });
    expect(await init.end()).toMatchObject({ code: 0, cause: causes.own });
    await gone(await idIn(name));
    expect(await readFile(join(directory, `${name}-read`), 'utf8')).toBe('read\n');
  });

  test('a command of a session has 1024 descriptors at first, however many its init may have', async () => {
    const wrapper = ['prlimit', '--nofile=16384:16384'];
    await using init = InitProcess.start(binary, { leave: true, script: 'ulimit -Sn; ulimit -Hn' }, wrapper);
    expect((await init.end()).stdout).toBe('1024\n16384\n');
  });

  test('lives on without the terminal of its command', async () => {
    const { script, name } = leaving('echo own; exit 0');
    await using init = InitProcess.start(binary, {
      ...{ leave: true, terminal: true, stdio: ['tty', 'tty', 'tty'], script },
    });
    expect(await init.end()).toMatchObject({ code: 0, cause: causes.own });
    expect(isThere(await idIn(name))).toBe(true);
  });

  test('the init of a session runs nothing, and ends when its gateway says anything or goes', async () => {
    for (const end of ['bytes', 'eof'] as const) {
      await using init = new InitProcess(binary, [], process.env, ['session']);
      await init.inbox.first(FrameType.ready);
      if (end === 'bytes') init.write(Buffer.from('x'));
      else init.hangUp();
      expect(await init.exited()).toBe(0);
    }
  });
});

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../lab/command.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { carrierOn, difference, digest, filesIn, ghostly, keptBeside, volumeOn } from './followed-home.ts';

const policy = ghostly();

const full = /^clawrden: workspace-full: [^\n]*\n$/;

describe.skipIf(!hasLab())('a disk that is full', () => {
  let stack: Stack;
  let host: LabHost;
  let other = '';
  /** On a small file system, with the carrier's own files. */
  let home = '';
  let disk = '';
  let gatewayId = '';

  beforeAll(async () => {
    const lab = sharedLab();
    host = lab.hosts[0]!;
    other = lab.hosts[1]!.name;
    stack = await startStack(
      { ...lab, home: smallHome },
      { name: 'full', policy, agents: { coder: { followed: {} } } },
    );
    await stack.cli(['drain', other]);
    gatewayId = readFileSync(join(stack.dir, 'warden/gateway-id'), 'utf8').trim();
  });
  afterAll(async () => {
    await stack?.stop();
    if (disk !== '') await run(['umount', '--lazy', disk]);
  });

  async function smallHome(name: string): Promise<string> {
    const folder = await sharedLab().home(name);
    await run(['mount', '-t', 'tmpfs', '-o', 'size=3m,mode=755', 'clawrden-small', folder]);
    disk = folder;
    home = join(folder, 'app');
    mkdirSync(home);
    await run(['chown', '1000:1000', home]);
    return home;
  }

  const sh = (script: string) => stack.agents['coder']!.exec(['/clawrden/bin/ghostly', script]);
  const write = (name: string, bytes: string | Buffer) => {
    writeFileSync(join(home, name), bytes);
    execFileSync('chown', ['1000:1000', join(home, name)]);
  };
  /** A file system over the replica's volume, for carriers and ghosts that start from now on. */
  async function coverVolume(size: string): Promise<() => Promise<void>> {
    const inside = ['nsenter', `--target=${await host.pid()}`, '--mount', '--pid'];
    const volume = await volumeOn(host, 'coder', gatewayId);
    await endCarrier();
    await run([...inside, 'mount', '-t', 'tmpfs', '-o', `size=${size}`, 'clawrden-small', volume]);
    return async () => {
      await endCarrier();
      await run([...inside, 'umount', '--lazy', volume]);
    };
  }
  const endCarrier = async () => void (await host.docker(['rm', '--force', await carrierOn(host, 'coder')]));

  test('23: at home moves nothing and says so, until there is room', async () => {
    write('file', 'old');
    expect(await sh(':')).toMatchObject({ code: 0, stderr: '' });
    const [before, free] = [filesIn(home), statfsSync(disk).bfree];
    const { code, stderr } = await sh('echo new > file; head -c 6000000 /dev/urandom > large; mkdir made');
    expect([code, stderr]).toEqual([125, expect.stringMatching(full)]);
    expect(stderr).toContain('at home');
    expect(filesIn(home)).toEqual(before);
    // The agent can still write.
    expect(statfsSync(disk).bfree).toBeGreaterThan(free - 64);
    // What waits there for room is not forgotten, and elsewhere work goes on.
    expect(await sh(':')).toMatchObject({ code: 125, stderr: expect.stringMatching(full) as string });
    await stack.cli(['undrain', other]);
    expect(await sh('cat file')).toMatchObject({ code: 0, stdout: 'old', stderr: '' });
    await stack.cli(['drain', other]);
    expect(filesIn(home)).toEqual(before);
    await run(['mount', '-o', 'remount,size=64m', disk]);
    expect(await sh('cat file')).toMatchObject({ code: 0, stdout: 'old', stderr: '' });
    expect(filesIn(home)).toEqual(before);
    expect(keptBeside(home)).toContain(digest('new\n'));
    const late = (await stack.audit()).filter(({ incident }) => incident === 'workspace-late');
    expect(late).toHaveLength(1);
    expect(difference(home, await volumeOn(host, 'coder', gatewayId))).toBe('');
  });

  test('23: on a Docker host takes no command; another host does, and home stays as it is', async () => {
    write('random', randomBytes(6_000_000));
    const before = filesIn(home);
    const uncover = await coverVolume('3m');
    try {
      const { code, stderr } = await sh('echo ran');
      expect([code, stderr]).toEqual([125, expect.stringMatching(full)]);
      expect(stderr).toContain(host.name);
      expect(filesIn(home)).toEqual(before);
      await stack.cli(['undrain', other]);
      expect(await sh('echo ran')).toMatchObject({ code: 0, stdout: 'ran\n', stderr: '' });
    } finally {
      await stack.cli(['drain', other]);
      await uncover();
    }
    expect(await sh('echo again > again')).toMatchObject({ code: 0, stderr: '' });
    expect(difference(home, await volumeOn(host, 'coder', gatewayId))).toBe('');
  });

  test('23: a tool that fills the disk of its host sees that, and what it could write is home', async () => {
    const uncover = await coverVolume('12m');
    try {
      const { code, stdout } = await sh(
        'head -c 30000000 /dev/urandom > filled || echo full; echo end > end; wc -c < filled',
      );
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^full\n\d+\n$/)]);
      expect(statSync(join(home, 'filled')).size).toBe(Number(stdout.split('\n')[1]));
      expect(await sh('rm filled; echo small > end')).toMatchObject({ code: 0, stderr: '' });
      expect(readFileSync(join(home, 'end'), 'utf8')).toBe('small\n');
    } finally {
      await uncover();
    }
    expect(await sh(':')).toMatchObject({ code: 0, stderr: '' });
    expect(difference(home, await volumeOn(host, 'coder', gatewayId))).toBe('');
  });
});

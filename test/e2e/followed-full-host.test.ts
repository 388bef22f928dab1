import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../lab/command.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { hostStates } from './fleet.ts';
import { ghostly } from './followed-home.ts';

const mebibyte = 1024 ** 2;

/** Makes so many folders in each other, and fills the disk from the last one. */
const diver = `
  #include <fcntl.h>
  #include <stdlib.h>
  #include <sys/stat.h>
  #include <unistd.h>
  int main(int count, char **words) {
      static char bytes[1 << 16];
      for (int left = atoi(words[count - 1]); left > 0; left--)
          if (mkdir("d", 0755) != 0 || chdir("d") != 0)
              return 1;
      int fd = open("f", O_CREAT | O_WRONLY, 0644);
      while (write(fd, bytes, sizeof bytes) > 0)
          ;
  }`;

describe.skipIf(!hasLab())('a Docker host whose disk agents share', () => {
  let lab: Lab;
  let stack: Stack;
  let host: LabHost;
  let inside: readonly string[];
  let volumes = '';

  /** All volumes of the host that are made from now on are on a small file system. */
  beforeAll(async () => {
    // What other gateways made on a host would be hidden.
    lab = await startLab({ hosts: 1 });
    host = lab.hosts[0]!;
    inside = ['nsenter', `--target=${await host.pid()}`, '--mount', '--pid'];
    volumes = `${(await host.docker(['info', '--format', '{{.DockerRootDir}}'])).stdout.trim()}/volumes`;
    await run([...inside, 'mount', '-t', 'tmpfs', '-o', 'size=96m,mode=701', 'clawrden-small', volumes]);
    const followed = { limits: { file: '1m' }, excludes: ['cache'] };
    const agents = { filler: { followed }, other: { followed } };
    stack = await startStack(lab, { name: 'full-host', policy: ghostly(), agents });
  });
  afterAll(async () => {
    await stack?.stop();
    if (volumes !== '') await run([...inside, 'umount', '--lazy', volumes]);
    await lab?.stop();
  });
  beforeEach(async () => void (await stack.cli(['undrain', host.name])));

  const sh = (agent: string, script: string) => stack.agents[agent]!.exec(['/clawrden/bin/ghostly', script]);
  const othersWork = async () => {
    const { code } = await sh(
      'other',
      'for i in 1 2 3 4 5 6 7 8 9; do head -c 900000 /dev/zero >part$i || exit 1; done; rm part*',
    );
    return code === 0;
  };
  const problem = async () => (await hostStates(stack))[host.name]?.problem ?? '';
  const incidents = async () =>
    (await stack.audit()).filter(({ incident }) => incident === 'workspace-filled-disk');

  test('A-548 P20: the size of a workspace there is what it takes, and of a host what all take', async () => {
    expect(await sh('filler', 'mkdir -p cache; head -c 20000000 /dev/zero >cache/f')).toMatchObject({
      code: 0,
    });
    const size = async () => {
      const { replicas } = JSON.parse((await stack.cli(['workspace', 'status', 'filler', '--json'])).stdout);
      return Number((replicas as { bytes: number | string }[])[0]?.bytes ?? 0);
    };
    await waitUntil('it to be counted', 40_000, async () => (await size()) > 19 * mebibyte);
  });

  test.each([
    ['a file too large to be carried', 'head -c 200000000 /dev/zero >large'],
    ['what is excluded', 'mkdir -p cache; head -c 200000000 /dev/zero >cache/f'],
    ['a name that is never carried', 'mkdir .clawrden; head -c 200000000 /dev/zero >.clawrden/f'],
  ])(
    'A-548 P20: its replica goes if an agent fills it by %s, and the other works on',
    async (_what, script) => {
      expect([(await sh('other', ':')).code, (await sh('filler', ':')).code]).toEqual([0, 0]);
      const before = (await incidents()).length;
      await sh('filler', script);
      await waitUntil('the other agent to work', 60_000, othersWork);
      await waitUntil('it to be told', 20_000, async () => (await problem()).includes('agent filler takes'));
      expect(await sh('filler', ':')).toMatchObject({
        code: 125,
        stderr: expect.stringContaining('is nearly full') as string,
      });
      expect((await incidents()).slice(before)).toEqual([
        expect.objectContaining({ text: expect.stringContaining('agent filler') as string }),
      ]);
      await stack.cli(['undrain', host.name]);
      expect(await sh('filler', ':')).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test('A-621 P20: its replica goes if an agent fills it in folders too deep to be counted', async () => {
    const program = join(stack.workspaceOf('filler'), 'dive');
    await writeFile(`${program}.c`, diver);
    await run(['musl-gcc', '-static', '-s', '-o', program, `${program}.c`]);
    expect([(await sh('other', ':')).code, (await sh('filler', ':')).code]).toEqual([0, 0]);
    await sh('filler', 'mkdir -p cache; cd cache; /app/dive 20000');
    await waitUntil('the other agent to work', 60_000, othersWork);
    const label = 'label=clawrden.workspace=filler';
    await waitUntil('its volume to go', 30_000, async () => {
      return (await host.docker(['volume', 'ls', '--quiet', '--filter', label])).stdout.trim() === '';
    });
  }, 120_000);

  test('A-625 P13: what no settle saw is kept beside home before its replica is removed', async () => {
    for (const script of ['echo first >f; mkdir -p cache', 'ln f cache/f', 'echo second >cache/f'])
      expect(await sh('filler', script)).toMatchObject({ code: 0 });
    expect(await readFile(join(stack.workspaceOf('filler'), 'f'), 'utf8')).toBe('first\n');
    const { code, stdout } = await stack.cli(['workspace', 'reset', 'filler', host.name]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 change that only it had is kept as ')]);
    const kept = JSON.parse((await stack.cli(['workspace', 'conflicts', 'filler', '--json'])).stdout);
    expect(JSON.stringify(kept)).toContain('"f"');
  });

  test('A-549 P20: its command ends if an agent fills it by a file without a name, and the other works on', async () => {
    expect([(await sh('other', ':')).code, (await sh('filler', ':')).code]).toEqual([0, 0]);
    const script = `exec 3>gone; rm gone; head -c 200000000 /dev/zero >&3; sleep 100`;
    const ended = sh('filler', script);
    expect(await ended).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(
        /^[^]*clawrden: workspace-full: the disk of Docker host .* is nearly full/,
      ) as string,
    });
    await waitUntil('the other agent to work', 20_000, othersWork);
    expect(await problem()).toContain('work of agent filler took it');
    expect(await run([...inside, 'df', '--output=avail', '-B1', volumes])).toMatch(/\n\d{8}/);
  }, 90_000);
});

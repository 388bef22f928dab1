import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasTmux, openTerminal } from '../cli/terminal.ts';
import { attempt, type CommandResult, run } from '../lab/command.ts';
import { agentImage, busyboxImage, nodeImage, scratchImage } from '../lab/images/catalogue.ts';
import type { Lab } from '../lab/lab.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { launcher } from '../stack/launcher.ts';
import { startToldSite, type ToldSite } from '../stack/told-site.ts';
import type { InspectedContainer } from './container-facts.ts';
import { lifePolicy } from './life.ts';

describe.skipIf(!hasLab())('agent run', () => {
  let lab: Lab;
  let site: ToldSite;
  let shared: string;
  const docker = (...args: string[]) => run(['docker', '-H', `unix://${lab.agentHost.socket}`, ...args]);
  /** `coder`, unless the line begins with another name. */
  const runs = (...line: string[]): Promise<CommandResult> => site.agent('run', line);
  const inspect = async (id: string) => {
    const [found] = JSON.parse(await docker('inspect', id)) as [InspectedContainer];
    return found;
  };
  const removeAll = async () => {
    const ids = (await docker('ps', '-aq', '--filter', 'label=clawrden.agent')).split('\n').filter(Boolean);
    if (ids.length > 0) await docker('rm', '-fv', ...ids);
  };

  beforeAll(async () => {
    lab = sharedLab();
    shared = await lab.workspace('told-run');
    const home = await lab.home('told-home');
    site = await startToldSite(lab, {
      name: 'run',
      policy: lifePolicy(),
      agents: {
        coder: { bind: shared },
        homed: { bind: home, sync: true },
      },
      relay: { 'agent-mounts': [dirname(shared)], 'workspace-roots': [dirname(home)] },
    });
  });
  // An agent has one container: what a test left would fail all others.
  afterEach(removeAll);
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
  });

  describe.each([
    ['Debian-like', nodeImage],
    ['Alpine-like', busyboxImage],
  ])('an image that is %s', (_kind, image) => {
    test('has its command judged, run on a Docker host, and its files in the workspace', async () => {
      const script =
        'ghostly "echo made > made; id -u; echo err >&2; exit 3"; echo "=> $?"; cat made; ghostly ": no"; echo "=> $?"';
      const line = ['--rm', '--volume', `${shared}:/app`, '--workdir', '/app', image, 'sh', '-c', script];
      const { code, stdout, stderr } = await runs('coder', ...line);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '1000\n=> 3\nmade\n=> 1\n' });
      expect(stderr).toMatch(/^err\nclawrden: denied-by-rule: not here/);
    });
  });

  test('an image that holds nothing has its command judged and run', async () => {
    const line = [
      '--rm',
      '--volume',
      `${shared}:/app`,
      '--entrypoint',
      '/clawrden/bin/ghostly',
      '-w',
      '/app',
    ];
    const { code, stdout } = await runs('coder', ...line, scratchImage, 'id -u; exit 4');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '1000\n' });
  });

  test('a workspace that follows its agent is mounted without a word, and nothing else can be there', async () => {
    const script = 'pwd; echo hello > told; ghostly "cat told; echo back > answer"; cat answer';
    const { code, stdout } = await runs('homed', '--rm', busyboxImage, 'sh', '-c', script);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '/app\nhello\nback\n' });
    for (const place of ['/app', '/app/x']) {
      const { code: refused, stderr } = await runs('homed', '--rm', '--tmpfs', place, busyboxImage, 'true');
      expect({ refused, stderr }).toMatchObject({
        refused: 125,
        stderr: expect.stringContaining('/app has its place'),
      });
    }
  });

  test.skipIf(!hasTmux)(
    'at a terminal it has its size, follows it, takes its keys, and gives it back',
    async () => {
      await using terminal = await openTerminal();
      const agentRun = `${process.execPath} ${launcher} agent run --config ${site.relayYaml}`;
      await terminal.type(`clear; ${agentRun} coder -it --rm ${busyboxImage} sh; echo left $?`, 'Enter');
      await terminal.shows(/^\/ .$/m, 30_000);
      await terminal.type('clear; stty size', 'Enter');
      await terminal.shows(/^30 100$/m);
      await terminal.resize(80, 20);
      await terminal.type('clear; stty size', 'Enter');
      await terminal.shows(/^20 80$/m);
      await terminal.type('sleep 1000', 'Enter');
      await terminal.shows(/sleep 1000$/m);
      await terminal.type('C-c');
      await terminal.type('echo on; exit 7', 'Enter');
      await terminal.shows(/^left 7$/m, 30_000);
      await terminal.type(
        `clear; stty -a | tr ' ' '\\n' | grep -xE 'icanon|echo|opost' | paste -sd +`,
        'Enter',
      );
      await terminal.shows(/^opost\+icanon\+echo$/m);
    },
  );

  test('P1: nothing that closes the container can be asked away, and agent check finds nothing', async () => {
    const { code, stdout } = await runs('coder', '--detach', '--name', 'ar-closed', agentImage);
    expect(code).toBe(0);
    const { Config, HostConfig, NetworkSettings, Mounts } = await inspect(stdout.trim());
    expect(Config).toMatchObject({ User: '1000:1000', Labels: { 'clawrden.agent': 'coder' } });
    expect(HostConfig).toMatchObject({
      ...{ NetworkMode: 'none', CapDrop: ['ALL'], CapAdd: null, Privileged: false },
      ...{ SecurityOpt: ['no-new-privileges'], IpcMode: 'private', CgroupnsMode: 'private', PidMode: '' },
    });
    expect(Object.keys(NetworkSettings.Networks)).toEqual(['none']);
    expect(Mounts.map(({ Destination, RW }) => `${Destination} ${RW}`).toSorted()).toEqual([
      '/clawrden/bin false',
      '/var/run/clawrden false',
    ]);
    const check = await site.agent('check', ['coder', '--json']);
    expect(JSON.parse(check.stdout)).toMatchObject([
      { level: 'ok', text: expect.stringContaining('is closed') },
    ]);
    const script =
      'id; cat /proc/self/status | grep -E "CapBnd|NoNewPrivs"; ls /sys/class/net; touch /clawrden/bin/x';
    const shell = await site.agent('shell', ['coder'], { input: `${script}; echo "$PATH"; exit 9\n` });
    expect(shell).toMatchObject({ code: 9, stderr: expect.stringMatching(/Read-only file system/) });
    expect(shell.stdout).toMatch(
      /^uid=1000\(agent\) gid=1000.*\nCapBnd:\s+0+\nNoNewPrivs:\s+1\nlo\n\/clawrden\/bin:/,
    );
    await docker('rm', '-f', 'ar-closed');
  });

  test('streams, input and exit status are those of docker run', async () => {
    for (const code of [0, 42]) {
      const script = `cat; echo err >&2; exit ${code}`;
      const ended = await site.agent('run', ['coder', '-i', '--rm', busyboxImage, 'sh', '-c', script], {
        input: 'typed\n',
      });
      expect(ended).toMatchObject({ code, stdout: 'typed\n', stderr: 'err\n' });
    }
    expect((await runs('coder', '--rm', busyboxImage, 'sh', '-c', 'kill -9 $$; sleep 9')).code).toBeOneOf([
      137, 0,
    ]);
    expect((await runs('coder', '--rm', busyboxImage, 'no-such-program')).code).toBe(127);
    expect((await runs('coder', '--rm', busyboxImage, '/etc')).code).toBe(126);
    expect((await runs('coder', 'no-such-image')).stderr).toMatch(
      /there is no image .*; docker pull no-such-image/,
    );
    expect((await docker('ps', '-aq', '--filter', 'label=clawrden.agent=coder')).trim()).toBe('');
  });

  test('a signal goes to the program, and a large output comes whole through a slow reader', async () => {
    const script = 'trap "echo caught; exit 6" TERM; echo ready; while :; do sleep 0.1; done';
    const args = [
      launcher,
      'agent',
      'run',
      '--config',
      site.relayYaml,
      'coder',
      '--rm',
      busyboxImage,
      'sh',
      '-c',
      script,
    ];
    const child = spawn(process.execPath, args);
    const said: string[] = [];
    child.stdout.on('data', (chunk) => said.push(String(chunk)));
    await waitUntil('the program', 60_000, async () => said.join('').includes('ready'));
    child.kill('SIGTERM');
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, said: said.join('') }).toEqual({ code: 6, said: 'ready\ncaught\n' });
    const own = `${process.execPath} ${launcher} agent run --config ${site.relayYaml} coder --rm ${busyboxImage}`;
    const { stdout } = await attempt(['sh', '-c', `${own} head -c 20000000 /dev/zero | (sleep 1; wc -c)`]);
    expect(stdout.trim()).toBe('20000000');
  });

  test('a second container of one agent is refused while the first one runs, also if docker run started that', async () => {
    const first = ['--label', 'clawrden.agent=coder', '--name', 'ar-first', busyboxImage, 'sleep', '600'];
    await docker('run', '--detach', ...first);
    const line = ['--rm', busyboxImage, 'true'];
    expect(await runs('coder', ...line)).toMatchObject({
      ...{ code: 125, stdout: '' },
      stderr:
        'clawrden: agent run: container ar-first of agent coder runs, and an agent has one (agent-ambiguous); docker stop ar-first, or enter it: clawrden agent shell coder\n',
    });
    expect(await runs('homed', ...line)).toMatchObject({ code: 0, stderr: '' });
    await docker('kill', 'ar-first');
    expect(await runs('coder', ...line)).toMatchObject({ code: 0, stderr: '' });
    await docker('rm', 'ar-first');
  });

  describe('what it refuses before anything is made', () => {
    const refused = async (...line: string[]): Promise<string> => {
      const { code, stderr } = await runs('coder', ...line, busyboxImage, 'true');
      expect({ code, stderr }).toMatchObject({ code: 125 });
      expect((await docker('ps', '-aq', '--filter', 'label=clawrden.agent=coder')).trim()).toBe('');
      return stderr;
    };

    test('P13: folders that agent-mounts does not name, also through links, and volumes that are anything', async () => {
      const link = join(shared, 'link');
      await attempt(['ln', '-sfn', '/etc', link]);
      const [own, beside] = [dirname(site.relayYaml), dirname(shared)];
      for (const folder of ['/etc', '/', '/var/run', link, own, beside, join(shared, 'none')])
        expect(await refused('--volume', `${folder}:/x`)).toMatch(/^clawrden: agent run: --volume/);
      await lab.workspaceVolume('ar-anything');
      expect(await refused('--volume', 'ar-anything:/x')).toMatch(/has options of its own/);
      expect(await refused('--volume', 'clawrden-init-1:/x')).toMatch(/a name of Clawrden's own/);
    });

    test('A-223 P13: an image that claims an agent, or has a volume over ours', async () => {
      const label = 'ar-claims:1';
      await docker('create', '--name', 'ar-source', busyboxImage);
      for (const [change, why] of [
        ['LABEL clawrden.agent=coder', /has the label clawrden.agent/],
        ['LABEL clawrden.gateway=x', /has the label clawrden.gateway/],
        ['VOLUME /clawrden', /has a volume: nothing is mounted at \/clawrden/],
        ['VOLUME /var/run', /has a volume: nothing is mounted at \/var\/run/],
        // in any spelling.
        ['VOLUME clawrden/', /has a volume: nothing is mounted at \/clawrden/],
        ['VOLUME ["/tmp/..//clawrden/./bin"]', /has a volume: nothing is mounted at \/clawrden\/bin/],
      ] as const) {
        await docker('commit', '--change', change, 'ar-source', label);
        const { code, stderr } = await runs('coder', '--rm', label, 'true');
        expect({ code, stderr }).toMatchObject({ code: 125, stderr: expect.stringMatching(why) });
      }
      await docker('rm', 'ar-source');
      await docker('rmi', '-f', label);
    });

    test('an agent that the relay does not know, after it said that it waits, and one that is paused', async () => {
      const unknown = await runs('nobody', busyboxImage);
      expect(unknown).toMatchObject({ code: 125, stdout: '' });
      expect(unknown.stderr).toMatch(
        /^clawrden: agent run: the relay was told of no agent nobody; waiting 10 s .*\nclawrden: agent run: .*not made it in 10 s;/,
      );
      await site.cli(['pause', 'coder']);
      await expect
        .poll(async () => (await runs('coder', busyboxImage, 'true')).stderr)
        .toMatch(/agent coder is paused; clawrden resume coder/);
      await site.cli(['resume', 'coder']);
      await expect.poll(async () => (await runs('coder', '--rm', busyboxImage, 'true')).code).toBe(0);
    });
  });
});

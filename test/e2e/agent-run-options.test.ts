import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attempt, run } from '../lab/command.ts';
import { agentImage } from '../lab/images/catalogue.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { launcher } from '../stack/launcher.ts';
import { makeServedAgent, type ServedAgent } from '../stack/served-agent.ts';
import { changes, type Facts, factsOf, type InspectedContainer } from './container-facts.ts';

/** A name or number of ours, so that each shows in what the engine says. */
function optionsIn(dir: string): string[][] {
  const folder = join(dir, 'mounts/data');
  return [
    ...[['--name', 'aro-named'], ['--hostname', 'h.example'], ['-e', 'X=1=2'], ['--env=HOME']],
    ...[['--env-file', join(dir, 'env')], ['-w', '/tmp'], ['-i'], ['-t'], ['--restart', 'on-failure:3']],
    ...[
      ['--memory', '64m'],
      ['--cpus', '1.25'],
      ['--pids-limit', '50'],
      ['--shm-size', '8m'],
    ],
    ...[
      ['--tmpfs', '/t'],
      ['--tmpfs', '/u:size=1m,exec'],
      ['--volume', 'aro-v:/v'],
      ['--volume', 'aro-v:/v1:ro'],
    ],
    ...[
      ['--volume', `${folder}:/v2`],
      ['--volume', `${folder}:/v3:ro`],
      ['--read-only'],
      ['--stop-timeout', '3'],
    ],
    ...[
      ['--label', 'a=b=c'],
      ['--label', 'bare'],
      ['--entrypoint', 'sleep'],
    ],
  ];
}

const alone = [
  ['--rm'],
  ['--restart=unless-stopped'],
  ['-it'],
  ['--workdir=/tmp/new'],
  ['--env', 'NOT_SET_HERE'],
];

describe.skipIf(!hasLab())('the options of agent run', () => {
  let dir: string;
  let served: ServedAgent;
  const onAgents = (...args: string[]) => ['docker', '-H', `unix://${sharedLab().agentHost.socket}`, ...args];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'clawrden-options-'));
    await mkdir(join(dir, 'mounts/data'), { recursive: true });
    await mkdir(join(dir, 'relay'));
    await writeFile(join(dir, 'env'), 'A="1"\n# no\nB=2\n');
    const mounts = { 'agent-mounts': [join(dir, 'mounts')] };
    const engine = `unix://${sharedLab().agentHost.socket}`;
    served = await makeServedAgent(join(dir, 'relay'), engine, { name: 'options' }, mounts);
  });
  afterAll(async () => {
    await served?.[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  });

  const lookAndRemove = async (id: string): Promise<Facts> => {
    const [found] = JSON.parse(await run(onAgents('inspect', id))) as [InspectedContainer];
    await run(onAgents('rm', '-fv', id));
    return factsOf(found, 'aro-');
  };
  const ours = async (line: readonly string[]): Promise<Facts> => {
    const own = [process.execPath, launcher, 'agent', 'run', '--config', served.relayYaml, 'options', '-d'];
    const { code, stdout, stderr } = await attempt([...own, ...line]);
    expect({ code, stderr, line }).toEqual({ code: 0, stderr: '', line });
    return await lookAndRemove(stdout.trim());
  };
  const dockers = async (line: readonly string[]): Promise<Facts> =>
    await lookAndRemove((await run(onAgents('create', '--network', 'none', ...line))).trim());

  test('each is taken as docker takes it, by what the engine says of both', async () => {
    const bare = [agentImage];
    const [ourBare, dockersBare] = [await ours(bare), await dockers(bare)];
    const each = optionsIn(dir);
    const isLong = process.env['CLAWRDEN_LONG'] === '1';
    for (const option of [each.flat(), ...(isLong ? [...each, ...alone] : alone.slice(0, 1))]) {
      const line = [...option, agentImage, ...(option.includes('--entrypoint') ? ['600000'] : [])];
      const changed = changes(ourBare, await ours(line));
      expect({ option, changed }).toEqual({ option, changed: changes(dockersBare, await dockers(line)) });
      if (!option.includes('NOT_SET_HERE')) expect({ option, changed }).not.toEqual({ option, changed: {} });
    }
    await run(onAgents('volume', 'rm', 'aro-v'));
  });
});

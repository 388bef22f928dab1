import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FakeRelay } from '../../shim/native/test/fake-relay.ts';
import { allIfLong } from '../fixtures/sampled.ts';
import { answerShims } from '../install/answering-relay.ts';
import { environmentOf } from '../install/every-shell.ts';
import { busyboxImage, nodeImage, scratchImage } from '../lab/images/catalogue.ts';
import { checkout } from '../lab/names.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';

interface Example {
  readonly name: string;
  /** Local images in the places of those that are named there. */
  readonly from: readonly string[];
  readonly shells: readonly string[];
}

const examples: readonly Example[] = [
  { name: 'debian', from: [`BASE=${nodeImage}`], shells: ['sh', 'bash'] },
  { name: 'python', from: [`BASE=${nodeImage}`], shells: ['sh', 'bash'] },
  { name: 'alpine', from: [`BASE=${busyboxImage}`], shells: ['sh'] },
  { name: 'distroless', from: [`BASE=${scratchImage}`, `TOOLS=${busyboxImage}`], shells: [] },
  { name: 'scratch', from: [`TOOLS=${busyboxImage}`], shells: [] },
];

describe.skipIf(!hasLab())('an image of docker/agents', () => {
  let folder: string;
  let relay: FakeRelay;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clawrden-images-'));
    await mkdir(join(folder, 'var/run/clawrden'), { recursive: true });
    relay = await answerShims(folder);
  });
  afterAll(async () => {
    await relay?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const docker = async (args: readonly string[]): Promise<string> => {
    // Images made here need no BuildKit, and it would need a plugin.
    const env = { ...process.env, DOCKER_BUILDKIT: '0' };
    const end = await sharedLab().agentHost.docker(args, { cwd: checkout, env, timeout: 300_000 });
    expect(end.code === 0 ? '' : end.stderr).toBe('');
    return end.stdout;
  };

  test.for(allIfLong(examples, 2))(
    '$name: built, with the variables that the installer prints, it finds the shim',
    async (example) => {
      const { name, from, shells } = example;
      const tag = `clawrden-examples/${name}`;
      const given = from.flatMap((pair) => ['--build-arg', pair]);
      const file = `docker/agents/${name}.Dockerfile`;
      const said = await docker(['build', '--network', 'none', '--file', file, '--tag', tag, ...given, '.']);

      const { User, Env } = JSON.parse(
        await docker(['inspect', '--format', '{{json .Config}}', tag]),
      ) as Config;
      expect(User).toBe('1000:1000');
      const printed = Object.entries(environmentOf(said)).map(([key, value]) => `${key}=${value}`);
      expect(printed.length).toBeGreaterThan(0);
      expect(Env).toEqual(expect.arrayContaining(shells.length > 0 ? printed : printed.slice(0, 1)));

      const socket = `${folder}/var/run/clawrden:/var/run/clawrden:ro`;
      const run = ['run', '--rm', '--network', 'none', '--volume', socket, tag];
      expect(await docker([...run, 'npm', 'install'])).toBe('shim npm\n');
      if (shells.length === 0) return;
      const ways = shells.flatMap((shell) =>
        ['-l -c', '-i -c', '-c'].map((way) => `${shell} ${way} 'npm x'`),
      );
      const answers = await docker([...run, 'sh', '-c', ways.join('; ')]);
      expect(answers.match(/^shim npm$/gm)).toHaveLength(ways.length);
    },
  );
});

interface Config {
  readonly User: string;
  readonly Env: readonly string[];
}

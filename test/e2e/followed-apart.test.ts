import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { carriersOf } from '../relay/told-host.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { editConfig } from './fleet.ts';
import { carrierOn, filesIn, ghostly, volumeOn } from './followed-home.ts';
import { ownOn } from './replica-on.ts';
import { type } from './typed.ts';

const policy = ghostly();

/** The same uid, the same host, at the same time. */
describe.skipIf(!hasLab())('two agents with replicas on one host', () => {
  let stack: Stack;
  let host: LabHost;
  let gatewayId = '';
  const secret = 'the secret of writer';

  beforeAll(async () => {
    host = sharedLab().hosts[0]!;
    stack = await startStack(sharedLab(), {
      name: 'apart',
      policy,
      agents: { coder: { followed: {} }, writer: { followed: {} } },
    });
    for (const name of stack.hosts) if (name !== host.name) await stack.cli(['drain', name]);
    gatewayId = readFileSync(join(stack.dir, 'warden/gateway-id'), 'utf8').trim();
  });
  afterAll(() => stack?.stop());

  const sh = (agent: string, script: string) => stack.agents[agent]!.exec(['/clawrden/bin/ghostly', script]);

  test('24: neither a tool nor a carrier of one reaches what the other has', async () => {
    const [coder, writer] = [stack.workspaceOf('coder'), stack.workspaceOf('writer')];
    writeFileSync(join(writer, 'secret'), secret);
    execFileSync('chown', ['1000:1000', join(writer, 'secret')]);
    const other = await type(stack.agents['writer']!, ['ghostly', 'echo there; usleep 20000000; cat secret']);
    await other.said('there');
    const volume = await volumeOn(host, 'writer', gatewayId);
    // The way is right on the host: a carrier or a ghost that saw the host would follow it.
    expect(readFileSync(join(volume, 'base/secret'), 'utf8')).toBe(secret);
    symlinkSync(join(volume, 'base/secret'), join(coder, 'to-file'));
    symlinkSync(join(volume, 'base'), join(coder, 'to-folder'));
    symlinkSync(`../../${volume.split('/').at(-2)}/_data/base`, join(coder, 'beside'));
    const looks = `cat to-file; cat to-folder/secret; cat beside/secret; cat /proc/[0-9]*/root/app/secret
      echo x > to-folder/planted; echo x > beside/planted; echo x > to-file; ls /w /clawrden/ws /var/lib/docker
      find / -xdev -name secret; grep -l secret /proc/[0-9]*/cmdline; cat /proc/self/mountinfo; true`;
    const { stdout, code } = await sh('coder', looks);
    expect([code, stdout.includes(secret), /^\/.*\/secret$/m.test(stdout)]).toEqual([0, false, false]);
    const volumes = stdout.match(/clawrden-ws-[0-9a-f]{16}/g) ?? [];
    expect(volumes).not.toContain(volume.split('/').at(-2));
    const mounts = async (agent: string) => {
      const format = '{{range .Mounts}}{{.Name}} {{end}}';
      const { stdout: names } = await host.docker([
        'inspect',
        '--format',
        format,
        await carrierOn(host, agent),
      ]);
      return names
        .trim()
        .split(' ')
        .filter((name) => name.startsWith('clawrden-ws-'));
    };
    const [ofCoder, ofWriter] = [await mounts('coder'), await mounts('writer')];
    expect([ofCoder.length, ofWriter]).toEqual([1, [volume.split('/').at(-2)]]);
    expect(ofCoder).not.toEqual(ofWriter);
    await other.signal('SIGTERM');
    await other.ended;
    expect([...filesIn(join(volume, 'base')).keys()]).toEqual(['secret']);
    expect([...filesIn(writer).keys()].filter((path) => !path.startsWith('.clawrden/'))).toEqual(['secret']);
  });

  test('12: when one is removed, both its carriers end at once, and its replica has its day', async () => {
    expect(await sh('writer', ':')).toMatchObject({ code: 0 });
    expect(carriersOf(stack.relay.pid).length).toBe(2);
    await editConfig(stack, (config) => {
      const agents = config['agents'] as { name: string }[];
      config['agents'] = agents.filter(({ name }) => name !== 'writer');
    });
    await waitUntil(
      'the carrier on the host to end',
      20_000,
      async () => (await carrierOn(host, 'writer')) === '',
    );
    await waitUntil(
      'the carrier at home to end',
      20_000,
      async () => carriersOf(stack.relay.pid).length === 1,
    );
    expect(await ownOn(host, gatewayId)).toEqual({ containers: 1, volumes: 2 });
    expect(await sh('coder', 'ls')).toMatchObject({ code: 0, stderr: '' });
  });
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HomeWorkspace } from '../../../../config/gateway-config.ts';
import { parseRelayConfig, type RelayConfig } from '../../../../config/relay-config.ts';
import { type ToldAgent, toldPlaces } from '../../../../config/told-agents.ts';
import { checkVolumes, checkWorkspace } from './check-sources.ts';

let folder: string;
let config: RelayConfig;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'clawrden-sources-')));
  for (const name of ['state', 'work/coder', 'work/other', 'mounts/a/sub', 'mounts/b'])
    mkdirSync(join(folder, name), { recursive: true });
  symlinkSync('/etc', join(folder, 'work/link'));
  const text = `gateway: "h:1"
identity: ${folder}/identity
docker: unix:///nowhere
state: ${folder}/state
workspace-roots: ["${folder}/work"]
agent-mounts: ["${folder}/mounts", "${folder}/work"]
`;
  config = parseRelayConfig(text, join(folder, 'relay.yaml'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function told(name: string, source: string): ToldAgent {
  const limits = { entries: 1, bytes: 2, file: 3, depth: 4 };
  const how = { target: '/app', excludes: [], conflicts: 'keep-agent', limits } as const;
  const workspace: HomeWorkspace = { kind: 'bind', source, ...how };
  return { name, users: [{ uid: 1000, gid: 999 }], workspace };
}

async function takes(source: string): Promise<void> {
  const coder = told('coder', source);
  const known = {
    places: toldPlaces(config, coder),
    told: [coder, told('other', join(folder, 'work/other'))],
    ...(coder.workspace && { workspace: coder.workspace }),
  };
  await checkWorkspace(known, config);
}

test('A-215 P13: a workspace that the relay does not keep is not mounted either, whatever the gateway told', async () => {
  await takes(join(folder, 'work/coder'));
  for (const source of ['/var/run', '/etc', '/', folder, join(folder, 'state'), join(folder, 'work')])
    await expect(takes(source)).rejects.toThrow(/its workspace: /);
  await expect(takes(join(folder, 'work/link'))).rejects.toThrow(/is a link/);
});

test('A-216 P13: no folder is mounted that is in another one which an agent may write, or holds one', async () => {
  const at = (name: string) => join(folder, name);
  const mount = (...sources: string[]) =>
    checkVolumes(
      sources.map((source, index) => ({ source, target: `/v${index}`, readOnly: false })),
      config,
      [told('other', at('work/other'))],
    );
  await mount(at('mounts/a'), at('mounts/b'));
  await mount(at('mounts/a'), at('mounts/a'));
  for (const sources of [
    [at('mounts/a'), at('mounts/a/sub')],
    [at('mounts/a/sub'), at('mounts/a')],
  ])
    await expect(mount(...sources)).rejects.toThrow(/which an agent may write/);
  mkdirSync(at('work/other/below'));
  await expect(mount(at('work/other/below'))).rejects.toThrow(/which an agent may write/);
});

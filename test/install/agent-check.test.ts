import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkLinks } from '../../src/cli/set-up/agent/check-links.ts';
import { checkPath } from '../../src/cli/set-up/agent/check-path.ts';
import { inspected } from '../../src/cli/set-up/agent/inspected.ts';
import type { JailEntry, JailFacts, JailWanted } from '../../src/cli/set-up/agent/jail-facts.ts';
import { environmentOf } from './every-shell.ts';
import { ownFolders } from './images.ts';
import { shim, Tree } from './tree.ts';

const startupNames = ['.bashrc', '.bash_profile', '.profile'];

test.skipIf(process.getuid?.() !== 0)(
  '`clawrden agent check` names what stands before the folder, and finds nothing after the installer was there',
  async () => {
    await using tree = await Tree.make(ownFolders);
    const before = await findingsOf(tree, ['PATH=/home/agent/.local/bin:/usr/bin']);
    expect(before).toEqual(['there is no folder /clawrden/bin in it', '/clawrden/bin is not on PATH']);

    const { stdout } = await tree.install(['--user', '1000', '--tools', 'npm,git']);
    const env = Object.entries(environmentOf(stdout)).map(([name, value]) => `${name}=${value}`);
    expect(await findingsOf(tree, env)).toEqual([]);

    await tree.install(['--uninstall']);
    expect(await findingsOf(tree, env)).toEqual([
      'there is no folder /clawrden/bin in it',
      '/home/agent/.bash_profile puts ~/.local/bin before /clawrden/bin: tools there are not judged',
      '/home/agent/.profile puts ~/.local/bin before /clawrden/bin: tools there are not judged',
    ]);
  },
);

async function findingsOf({ root }: Tree, env: readonly string[]): Promise<string[]> {
  const home = join(root, 'home/agent');
  const startupFiles = startupNames.map(async (name) => ({
    path: `/home/agent/${name}`,
    text: await readFile(join(home, name), 'utf8'),
  }));
  const facts: JailFacts = {
    container: inspected.parse({
      Name: '/coder',
      State: { Running: true },
      Config: { User: '1000:1000', Env: env },
      HostConfig: { NetworkMode: 'none', Privileged: false },
      Mounts: [],
    }),
    jail: await jailOf(join(root, 'clawrden/bin')),
    hasSocket: true,
    user: { uid: 1000, gid: 1000 },
    isUserKnown: true,
    startupFiles: await Promise.all(startupFiles),
    hasLocalBin: true,
    unlocked: [],
    foreignVolumes: [],
  };
  const wanted: JailWanted = {
    ...{ agent: 'coder', users: [], jail: '', socketFolder: '', engines: [], realPath: (path) => path },
    shim: await readFile(shim),
  };
  return [...checkLinks(facts, wanted), ...checkPath(facts, wanted)].map(({ text }) => text);
}

async function jailOf(folder: string): Promise<JailEntry[] | undefined> {
  const names = await readdir(folder).catch(() => undefined);
  return (
    names &&
    (await Promise.all(
      names.map(async (name): Promise<JailEntry> => {
        const target = await readlink(join(folder, name)).catch(() => '');
        const bytes = await readFile(join(folder, name));
        const { mode } = await stat(join(folder, name));
        return { name, target, bytes, mode, type: target === '' ? 'file' : 'link' };
      }),
    ))
  );
}

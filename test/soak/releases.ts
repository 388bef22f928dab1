import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../lab/names.ts';
import { release as earlierCommit, earlierLauncher, whyNoEarlierRelease } from '../skew/earlier-release.ts';
import { launcher } from '../stack/launcher.ts';

/** A `clawrden` that can be started. */
export interface Release {
  /** For people. */
  readonly name: string;
  /** What it says of itself. */
  readonly version: string;
  readonly launcher: string;
}

export interface Releases {
  /** The last release, from which the soak begins; absent if it cannot be built here. */
  readonly earlier?: Release;
  readonly present: Release;
  /** The present programs under another version. */
  readonly other: Release;
}

export async function findReleases(folder: string, say: (line: string) => void): Promise<Releases> {
  const version = await versionIn(checkout);
  const present = { name: `version ${version}`, version, launcher };
  const other = await copyOf(folder, `${version}-soak`);
  const missing = await whyNoEarlierRelease();
  if (missing !== '') {
    say(`no upgrade from the last release: ${missing}`);
    return { present, other };
  }
  say('building the last release, unless it was built before');
  const earlier = await earlierLauncher();
  const root = join(earlier, '../../..');
  const name = `release ${earlierCommit.slice(0, 8)}`;
  return { earlier: { name, version: await versionIn(root), launcher: earlier }, present, other };
}

async function versionIn(root: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** A program takes its version from the package.json above itself: so its own files are copied, and nothing else. */
async function copyOf(folder: string, version: string): Promise<Release> {
  const programs = 'build/programs';
  await mkdir(join(folder, 'build'), { recursive: true });
  await cp(join(checkout, programs), join(folder, programs), { recursive: true });
  for (const shared of ['build/native', 'build/dashboard', 'proto', 'node_modules', 'policy.yaml'])
    await symlink(join(checkout, shared), join(folder, shared));
  const told = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as object;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...told, version }));
  return {
    name: `version ${version}`,
    version,
    launcher: join(folder, programs, 'src/cli/launcher.cjs'),
  };
}

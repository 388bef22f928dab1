import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { attempt, run } from '../lab/command.ts';
import { cacheDir } from '../lab/images/image-cache.ts';
import { checkout } from '../lab/names.ts';

/** The release that this one must get on with: a commit of this repository. */
export const release = readFileSync(join(import.meta.dirname, 'release'), 'utf8').trim();

/** Empty, or why that release cannot be built here. */
export async function whyNoEarlierRelease(): Promise<string> {
  const { code } = await attempt(['git', '-C', checkout, 'cat-file', '-e', `${release}^{commit}`]);
  return code === 0 ? '' : `the history of this clone does not reach back to ${release.slice(0, 8)}`;
}

/** Its `clawrden`, from its sources, with its own shim; built once for the checkout. */
export async function earlierLauncher(): Promise<string> {
  const folder = join(cacheDir, 'skew', release);
  if (!existsSync(folder)) await build(folder);
  return join(folder, 'src/cli/launcher.cjs');
}

/** Under another name first, so that what was cut off is no release. */
async function build(folder: string): Promise<void> {
  const [unfinished, archive] = [`${folder}.new`, `${folder}.tar`];
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  // Its tests would count among those of this checkout.
  const programs = ['.', ':(exclude)test', ':(exclude)*.test.ts'];
  await run(['git', '-C', checkout, 'archive', '--output', archive, release, '--', ...programs]);
  await run(['tar', '-xf', archive, '-C', unfinished]);
  await rm(archive);
  await provideModules(unfinished);
  const make = ['make', '-s', '-C', join(unfinished, 'shim/native')];
  await run([...make, `NODE_HEADERS=${await nodeHeaders()}`], { timeout: 600_000 });
  await rename(unfinished, folder);
}

async function nodeHeaders(): Promise<string> {
  const [node] = (await readdir(join(checkout, 'node_modules'))).filter((name) =>
    name.startsWith('node-linux-'),
  );
  return join(checkout, 'node_modules', node ?? '', 'include/node');
}

async function provideModules(folder: string): Promise<void> {
  if (hasOurModules(folder)) return symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  const install = [
    'npm',
    'ci',
    '--omit=dev',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  // npm of our own Node is beside it.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` };
  await run(install, { cwd: folder, timeout: 600_000, env });
}

/** Whether what is installed here has every module that it runs with, in its version. */
function hasOurModules(folder: string): boolean {
  const installed = lockedIn(join(checkout, 'node_modules/.package-lock.json'));
  return [...lockedIn(join(folder, 'package-lock.json'))].every(
    ([path, { version, isNeeded }]) => !isNeeded || installed.get(path)?.version === version,
  );
}

interface Locked {
  readonly version: string;
  readonly isNeeded: boolean;
}

function lockedIn(file: string): Map<string, Locked> {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean; optional?: boolean; devOptional?: boolean }>;
  };
  const modules = Object.entries(packages).filter(([path]) => path !== '');
  return new Map(
    modules.map(([path, { version, dev, optional, devOptional }]) => [
      path,
      { version, isNeeded: !(dev === true || optional === true || devOptional === true) },
    ]),
  );
}

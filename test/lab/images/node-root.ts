import { appendFile, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../command.ts';

const packages = [
  'git',
  'less',
  'vim-tiny',
  'procps',
  'python3-minimal',
  'ca-certificates',
  'file',
  'diffutils',
];
const minutes = 60_000;

/** The sources of the node image, besides this file. */
export interface NodeSources {
  readonly suite: string;
  readonly mirror: string;
  readonly npm: string;
  readonly registry: string;
  readonly caBundle: string;
}

/** Path of the machine's CA bundle inside the image. */
export const caInImage = '/etc/ssl/certs/ca-certificates.crt';

/** Finds on the machine the suite, mirror, registry and CA bundle that reach the network from here. */
export async function findNodeSources(): Promise<NodeSources> {
  const registry = (await run(['npm', 'config', 'get', 'registry', '--logs-max=0'])).trim();
  const env = process.env;
  return {
    suite: /^VERSION_CODENAME=(\w+)/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1] ?? 'bookworm',
    mirror: await findMirror(),
    npm: 'npm@11',
    registry,
    caBundle: env['NODE_EXTRA_CA_CERTS'] ?? env['SSL_CERT_FILE'] ?? caInImage,
  };
}

/** Debian with Node (the one that runs this program), npm, git, common tools and `more`. Takes about half a minute. */
export async function makeNodeRoot(
  root: string,
  sources: NodeSources,
  more: readonly string[] = [],
): Promise<void> {
  const include = `--include=${[...packages, ...more].join(',')}`;
  // In a mount namespace, because an interrupted debootstrap would leave its mounts.
  const debootstrap = [
    'unshare',
    '--mount',
    'debootstrap',
    '--variant=minbase',
    include,
    sources.suite,
    root,
    sources.mirror,
  ];
  const ifLate = `packages come too slowly from ${sources.mirror}; try again, or name a nearer mirror in /etc/apt`;
  await run(debootstrap, { timeout: 10 * minutes, ifLate });
  await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
  await installNpm(root, sources);
  await copyFile(sources.caBundle, join(root, caInImage));
  await appendFile(join(root, 'etc/passwd'), 'agent:x:1000:1000:agent:/home/agent:/bin/sh\n');
  await appendFile(join(root, 'etc/group'), 'agent:x:1000:\n');
  for (const folder of ['home/agent', 'app']) await mkdir(join(root, folder), { recursive: true });
  await run(['chown', '1000:1000', join(root, 'home/agent'), join(root, 'app')]);
  await dropCaches(root);
}

async function installNpm(root: string, { npm, registry }: NodeSources): Promise<void> {
  const prefix = join(root, 'usr/local');
  await run(['npm', 'install', '--global', '--ignore-scripts', '--prefix', prefix, npm], {
    timeout: 5 * minutes,
    ifLate: `npm comes too slowly from ${registry}; try again, or name a nearer one: npm config set registry URL`,
  });
  await mkdir(join(prefix, 'etc'), { recursive: true });
  const settings = [`registry=${registry}`, 'audit=false', 'fund=false', 'update-notifier=false', ''];
  await writeFile(join(prefix, 'etc/npmrc'), settings.join('\n'));
}

async function dropCaches(root: string): Promise<void> {
  for (const folder of [
    'var/cache/apt',
    'var/lib/apt/lists',
    'usr/share/doc',
    'usr/share/locale',
    'usr/share/man',
  ]) {
    await rm(join(root, folder), { recursive: true, force: true });
  }
}

async function findMirror(): Promise<string> {
  const sources = await run([
    'sh',
    '-c',
    'cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null; :',
  ]);
  const found = /^URIs:\s*(\S+)/m.exec(sources) ?? /^deb\s+(?:\[.*?\]\s+)?(\S+)/m.exec(sources);
  if (found?.[1] === undefined) throw new Error('no mirror is named in /etc/apt; name one, for debootstrap');
  return found[1];
}

import { realpathSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../lab/command.ts';
import { group, makeBusyboxRoot, passwd } from '../lab/images/busybox-root.ts';

export interface MadeImage {
  readonly name: string;
  /** By name; the first one runs the script. */
  readonly shells: readonly string[];
  readonly isEtcReadOnly?: boolean;
  /** A line that runs npm without a shell. */
  readonly python?: string;
  readonly make: (root: string) => Promise<void>;
}

/** Says that it runs, with its arguments. */
async function original(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '#!/bin/sh\necho original "$@"\n', { mode: 0o755 });
}

async function inPlaces(root: string): Promise<void> {
  for (const path of ['usr/local/bin/npm', 'usr/bin/npm', 'usr/bin/docker']) await original(join(root, path));
}

// Alpine's, without the last line break.
const alpineProfile = `export PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
for script in /etc/profile.d/*.sh; do
  if [ -r "$script" ]; then . "$script"; fi
done
unset script`;

async function alpine(root: string): Promise<void> {
  await makeBusyboxRoot(root);
  await mkdir(join(root, 'etc/profile.d'));
  await writeFile(join(root, 'etc/profile'), alpineProfile);
  await inPlaces(root);
}

const programs = ['dash', 'bash', 'env', 'id', 'mkdir', 'rmdir', 'mv', 'cp', 'ln', 'rm', 'chmod', 'chown']
  .concat(['cmp', 'readlink', 'cat', 'sed', 'ls'])
  .map((name) => `/usr/bin/${name}`);

/** This machine's Debian: its shells with their start-up files, and what belongs to every Debian. */
async function debian(root: string): Promise<void> {
  for (const folder of ['bin', 'sbin', 'lib', 'lib64']) {
    await mkdir(join(root, 'usr', folder), { recursive: true });
    await symlink(`usr/${folder}`, join(root, folder));
  }
  for (const folder of ['dev', 'tmp', 'run', 'var', 'etc/profile.d', 'etc/alternatives', 'usr/local/bin'])
    await mkdir(join(root, folder), { recursive: true });
  await symlink('/run', join(root, 'var/run'));
  await symlink('dash', join(root, 'usr/bin/sh'));
  await copyPrograms(root, programs);
  await cp('/usr/share/base-files/profile', join(root, 'etc/profile'));
  await cp('/etc/bash.bashrc', join(root, 'etc/bash.bashrc'));
  await cp('/etc/skel', join(root, 'home/agent'), { recursive: true });
  await run(['chown', '-R', '1000:1000', join(root, 'home/agent')]);
  await writeFile(join(root, 'etc/passwd'), passwd);
  await writeFile(join(root, 'etc/group'), group);
}

async function copyPrograms(root: string, paths: readonly string[]): Promise<void> {
  const said = await run(['ldd', ...paths]);
  const libraries = [...said.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!);
  await run(['cp', '--dereference', '--parents', ...new Set([...paths, ...libraries]), root]);
}

async function debianWithPlaces(root: string): Promise<void> {
  await debian(root);
  await inPlaces(root);
}

async function withPython(root: string): Promise<void> {
  await debianWithPlaces(root);
  await copyPrograms(root, [pythonAt]);
  await symlink(pythonAt.replace('/usr/bin/', ''), join(root, 'usr/bin/python3'));
  const library = join('/usr/lib', pythonAt.replace('/usr/bin/', ''));
  const modules = ['*.py', 'encodings', 'collections', 'importlib', 're'].map((name) => `${library}/${name}`);
  await run(['sh', '-c', `cp -r --parents ${modules.join(' ')} "$1"`, 'sh', root]);
}

const pythonAt = realpathSync('/usr/bin/python3');

/** As update-alternatives makes them: npm's file has the name elsewhere, docker's has another on PATH. */
async function withAlternatives(root: string): Promise<void> {
  await debian(root);
  await original(join(root, 'usr/lib/npm/bin/npm'));
  await original(join(root, 'usr/bin/docker-20'));
  for (const [name, target] of [
    ['npm', '/usr/lib/npm/bin/npm'] as const,
    ['docker', '/usr/bin/docker-20'] as const,
  ]) {
    await symlink(target, join(root, 'etc/alternatives', name));
    await symlink(`/etc/alternatives/${name}`, join(root, 'usr/bin', name));
  }
  // Leads to the same by PATH's own folders, and to itself.
  await symlink('/usr/bin/npm', join(root, 'usr/local/bin/npm'));
}

/** The agent has folders of its own that bash puts before all others. */
async function withOwnFolders(root: string): Promise<void> {
  await debianWithPlaces(root);
  await original(join(root, 'home/agent/.local/bin/docker'));
  await writeFile(join(root, 'home/agent/.bash_profile'), '. ~/.profile\nPATH=~/.local/bin:$PATH');
  await run(['chown', '-R', '1000:1000', join(root, 'home/agent')]);
  await chmod(join(root, 'home/agent/.bash_profile'), 0o640);
}

const execNpm = "import os; os.execvp('npm', ['npm', 'a'])";
const shells = ['sh', 'bash'];

export const busyboxOnly: MadeImage = { name: 'busybox without bash', shells: ['sh'], make: alpine };
export const ownFolders: MadeImage = { name: 'Debian', shells, make: withOwnFolders };
export const readOnlyEtc: MadeImage = {
  name: 'Debian with a read-only /etc',
  shells,
  isEtcReadOnly: true,
  make: debianWithPlaces,
};

export const images: readonly MadeImage[] = [
  busyboxOnly,
  ownFolders,
  readOnlyEtc,
  { name: 'Debian with python', shells, make: withPython, python: execNpm },
  { name: 'Debian with its tools as alternatives', shells, make: withAlternatives },
];

/** A program and nothing else. */
export const scratch: MadeImage = {
  name: 'scratch',
  shells: [],
  make: async (root) => {
    await mkdir(join(root, 'app'));
    await mkdir(join(root, 'usr/bin'), { recursive: true });
    await cp('/bin/busybox', join(root, 'app/program'));
    await writeFile(join(root, 'usr/bin/docker'), await readFile('/bin/busybox'), { mode: 0o755 });
  },
};

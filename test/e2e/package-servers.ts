import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { run } from '../lab/command.ts';
import type { Internet } from './internet.ts';

/** Real servers of git (https, ssh), an index for pip and modules for go, in the namespace of `internet`. */
export interface PackageServers extends AsyncDisposable {
  /** PEM: who vouches for packages.example and git.example. */
  readonly authority: string;
  /** The private key of who may log in by ssh, and the line that the server is known by. */
  readonly sshKey: string;
  readonly knownHosts: string;
  /** Of `made.git`, bare; `crate.git` beside it is a crate of Rust. */
  readonly repository: string;
}

export const sshPort = 2222;

export async function startPackageServers(internet: Internet, files: number): Promise<PackageServers> {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-packages-'));
  const at = (name: string) => join(folder, name);
  const authority = await makeAuthority('test');
  const { certificate, key } = await issueServerCertificate(authority, ['packages.example', 'git.example']);
  await Promise.all([writeFile(at('cert'), certificate), writeFile(at('key'), key)]);
  await makeWheel(folder);
  await makeRepository(folder, 'made', filesOf(files));
  await makeRepository(folder, 'crate', crate);
  await makeModule(folder);
  const ssh = await makeSsh(folder);
  const main = join(import.meta.dirname, '../egress/packages-main.ts');
  const https = start(internet.inside([process.execPath, main, folder]));
  await once(https, 'message', { signal: AbortSignal.timeout(30_000) });
  const sshd = start(internet.inside(['/usr/sbin/sshd', '-D', '-e', '-f', at('sshd')]));
  return {
    ...{ authority: authority.certificate, repository: at('made.git'), ...ssh },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([end(https), end(sshd)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Of one module. */
async function makeWheel(folder: string): Promise<void> {
  const info = 'tiny-1.0.dist-info';
  const script = `
import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1], 'w')
wheel.writestr('tiny.py', 'said = "tiny is here"\\n')
wheel.writestr('${info}/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')
wheel.writestr('${info}/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
wheel.writestr('${info}/RECORD', '')
wheel.close()`;
  await run(['python3', '-c', script, join(folder, 'tiny-1.0-py3-none-any.whl')]);
}

type Files = Readonly<Record<string, string>>;

function filesOf(count: number): Files {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`file-${i}`, `content ${i}\n`]));
}

const crate: Files = {
  'Cargo.toml': '[package]\nname = "tiny"\nversion = "1.0.0"\n\n[lib]\npath = "lib.rs"\n',
  'lib.rs': 'pub const SAID: &str = "tiny is here";\n',
};

async function makeRepository(folder: string, name: string, files: Files): Promise<void> {
  const tree = join(folder, 'tree');
  const git = ['git', '-C', tree, '-c', 'user.name=maker', '-c', 'user.email=maker@git.example'];
  await run(['git', 'init', '-q', '-b', 'main', tree]);
  for (const [path, text] of Object.entries(files)) await writeFile(join(tree, path), text);
  await run([...git, 'add', '.']);
  await run([...git, 'commit', '-q', '-m', 'made']);
  const bare = join(folder, `${name}.git`);
  await run(['git', 'clone', '-q', '--bare', tree, bare]);
  await run(['git', '-C', bare, 'config', 'http.receivepack', 'true']);
  await rm(tree, { recursive: true });
}

/** example.org/tiny, as a proxy of Go's modules has it. */
async function makeModule(folder: string): Promise<void> {
  const at = join(folder, 'go/example.org/tiny/@v');
  await mkdir(at, { recursive: true });
  const files: Files = {
    list: 'v1.0.0\n',
    'v1.0.0.info': '{ "Version": "v1.0.0", "Time": "2026-01-01T00:00:00Z" }',
    'v1.0.0.mod': 'module example.org/tiny\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(at, name), text);
  const script = `
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1], 'w')
archive.writestr('example.org/tiny@v1.0.0/go.mod', 'module example.org/tiny\\n')
archive.writestr('example.org/tiny@v1.0.0/tiny.go', 'package tiny\\n')
archive.close()`;
  await run(['python3', '-c', script, join(at, 'v1.0.0.zip')]);
}

async function makeSsh(folder: string): Promise<Pick<PackageServers, 'sshKey' | 'knownHosts'>> {
  const at = (name: string) => join(folder, name);
  for (const name of ['client', 'server'])
    await run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', at(name)]);
  await cp(at('client.pub'), at('authorized'));
  const lines = [
    `Port ${sshPort}`,
    `HostKey ${at('server')}`,
    `AuthorizedKeysFile ${at('authorized')}`,
    ...['PidFile none', 'StrictModes no', 'UsePAM no', 'PasswordAuthentication no'],
    ...['KbdInteractiveAuthentication no', 'PermitRootLogin prohibit-password'],
  ];
  await writeFile(at('sshd'), `${lines.join('\n')}\n`);
  const server = await readFile(at('server.pub'), 'utf8');
  return {
    sshKey: await readFile(at('client'), 'utf8'),
    knownHosts: `[git.example]:${sshPort} ${server}`,
  };
}

function start([program = '', ...args]: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGKILL');
  await ended;
}

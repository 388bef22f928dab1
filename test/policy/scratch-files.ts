import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Programs for which tools search PATH by themselves; here each one only leaves its mark. */
const programs = [
  'inner',
  'other',
  'ssh',
  'rsh',
  'vi',
  'editor',
  'less',
  'pager',
  'man',
  'gpg',
  'xdg-open',
  'docker-credential-x',
];

/**
 * Fills `dir` with something for every tool to work on. The programs of `${dir}.bin`, and `c.sh`, write to `mark` how
 * they were called.
 */
export function fillScratch(dir: string, mark: string): void {
  // If a shell takes it as its script and not as a program, it is named without a folder.
  const script = `#!/bin/sh\ncase $0 in */*) ;; *) exit ;; esac\n{ printf %s "\${0##*/}"; for word; do printf '\\037%s' "$word"; done; echo; } >>${mark}\n`;
  for (const [name, text] of Object.entries(filesOf(dir, mark))) write(join(dir, name), text);
  for (const name of ['c.sh', 'kept/git-x', 'docker/cli-plugins/docker-x']) {
    write(join(dir, name), script);
    chmodSync(join(dir, name), 0o755);
  }
  makePrograms(`${dir}.bin`, script);
  makeRepository(dir);
}

function filesOf(dir: string, mark: string): Readonly<Record<string, string>> {
  const runs = `BEGIN { system("./c.sh </dev/null") }\n`;
  const npmrc = 'registry=http://127.0.0.1:9\nfetch-retries=0\nupdate-notifier=false\nlogs-max=0\n';
  return {
    f: 'b 1\na 2\n'.repeat(4000),
    'sub/g': 'x\n',
    // Read as options by tools that look for options in a file.
    hostile: '--checkpoint=1\n--checkpoint-action=exec=./c.sh\n-I./c.sh\n--to-command=./c.sh\n-oWRITTEN\nf\n',
    'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
    'Cargo.lock': 'version = 3\n\n[[package]]\nname = "a"\nversion = "0.1.0"\n',
    'src/main.rs': 'fn main() {}\n',
    'go.mod': 'module example.com/a\n\ngo 1.19\n',
    Makefile: 'all:\n\t./c.sh\n',
    'p.awk': runs,
    'p.sed': '1e ./c.sh\n',
    'c.js': `require('node:fs').appendFileSync(${JSON.stringify(mark)}, 'c.js\\n')\n`,
    'script.sh': 'inner from a script\n',
    ssh_config: 'Host *\n  ProxyCommand ./c.sh\n',
    'package.json':
      '{ "name": "a", "version": "1.0.0", "scripts": { "test": "true", "x": "true", "y": "node -e 0" } }\n',
    'other/package.json': '{ "name": "b", "version": "1.0.0", "scripts": { "x": "../c.sh" } }\n',
    '.npmrc': `${npmrc}cache=${dir}.cache\n`,
    'evil.npmrc': 'script-shell=./c.sh\n',
    'kube.yaml': kubeConfig(
      'https://127.0.0.1:9',
      '{ exec: { apiVersion: client.authentication.k8s.io/v1beta1, command: ./c.sh, interactiveMode: Never } }',
    ),
    '.kube/config': kubeConfig('http://127.0.0.1:9', '{}'),
    '.config/pip/pip.conf':
      '[global]\nno-index = true\ndisable-pip-version-check = true\nno-cache-dir = true\n',
    '.docker/config.json': '{}\n',
    'docker/config.json': '{}\n',
    '.gitconfig': '[user]\n  name = a\n  email = a@b\n',
    't.tf': 'locals {\n  a = 1\n}\n',
    'ugly.tf': 'locals {\na=1\n}\n',
  };
}

function kubeConfig(server: string, user: string): string {
  return `apiVersion: v1
kind: Config
current-context: x
clusters: [{ name: x, cluster: { server: "${server}" } }]
contexts: [{ name: x, context: { cluster: x, user: x } }]
users: [{ name: x, user: ${user} }]
`;
}

function makePrograms(bin: string, script: string): void {
  write(join(bin, 'mark'), script);
  chmodSync(join(bin, 'mark'), 0o755);
  for (const name of programs) symlinkSync('mark', join(bin, name));
}

function makeRepository(dir: string): void {
  for (const line of ['tar -cf y.tar f sub', 'git init -q -b main .', 'git add f sub', 'git commit -qm one'])
    run(dir, line);
  addSigned(dir);
  cpSync(join(dir, '.git'), join(dir, 'evil.git'), { recursive: true });
  write(join(dir, 'evil.git/config'), '[core]\n  repositoryformatversion = 0\n  fsmonitor = ./c.sh\n');
}

/** A commit with an invalid signature; gpg looks at every signature. */
function addSigned(dir: string): void {
  const [headers = '', message = ''] = run(dir, 'git cat-file commit HEAD').split('\n\n');
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n iHUEABYKAB0=\n -----END PGP SIGNATURE-----';
  const id = run(
    dir,
    'git hash-object -w -t commit --stdin',
    `${headers}\n${signature}\n\n${message}`,
  ).trim();
  run(dir, `git branch signed ${id}`);
}

function run(dir: string, line: string, input = ''): string {
  const [tool = '', ...args] = line.split(' ');
  const env = { PATH: process.env['PATH'], HOME: dir };
  const { status, stdout } = spawnSync(tool, args, { cwd: dir, input, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${line}: status ${status}`);
  return stdout;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { attempt, run } from '../lab/command.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { asUser } from '../stack/as-user.ts';
import { leaveMounts } from './leave-mounts.ts';
import { type Sandboxed, secret, startSandboxed, uid } from './sandboxed.ts';

/** What `{ … }` of a script would print if it worked; its errors are hidden, and `over` says that all was tried. */
const tried = (...scripts: string[]) =>
  `${scripts.map((each) => `{ ${each}; } 2>/dev/null`).join('\n')}\necho over`;

describe.skipIf(!hasLab()).each(['root', 'user'] as const)('a sandbox without Docker, as %s', (mode) => {
  let on: Sandboxed;
  beforeAll(async () => {
    on = await startSandboxed(mode);
  });
  afterAll(async () => {
    await on?.[Symbol.asyncDispose]();
  });
  beforeEach(() => on.empty());

  test('a shimmed command works there, and its files are right on both sides', async () => {
    const script =
      'pwd; echo hello > told; ghostly "cat told; id -u; echo back > answer; exit 3"; echo $?; cat answer';
    const { stdout, stderr, code } = await on.inside(script);
    expect({ stdout, stderr, code }).toEqual({ stdout: '/app\nhello\n1000\n3\nback\n', stderr: '', code: 0 });
    expect(await readFile(join(on.home, 'answer'), 'utf8')).toBe('back\n');
    expect(await run(['stat', '-c', '%u', join(on.home, 'told')])).toBe('1000\n');
  });

  test('its exit status is that of its program, and a signal ends all of it', async () => {
    expect((await on.inside('exit 7')).code).toBe(7);
    await using child = await on.begin(`sleep 98${process.pid} & sleep 0.1; echo ready; wait`);
    const sleeping = () => attempt(['pgrep', '-f', `sleep 9[8]${process.pid}`]);
    expect((await sleeping()).stdout).not.toBe('');
    child.kill('SIGTERM');
    await once(child, 'close');
    expect((await sleeping()).stdout).toBe('');
  });

  test('what needs a container of the agent says so', async () => {
    const { code, stderr } = await on.inside('mirrored true');
    expect(stderr).toMatch(/^clawrden: needs-agent: [^\n]*\n$/);
    expect(code).toBe(1);
  });

  test('A-244: it is the agent’s user without any right, and sees no process but its own', async () => {
    const { stdout } = await on.inside(
      'id -u; id -G; grep -E "^(CapInh|CapEff|CapPrm|CapBnd|CapAmb|NoNewPrivs)" /proc/self/status; all=$(cat /proc/[0-9]*/comm); echo "$all" | sort -u',
    );
    const none = ['Inh', 'Prm', 'Eff'].map((set) => `Cap${set}:\t0{16}\n`).join('');
    // An ordinary user's are those that it would have as root of its own namespace, and it has no way to be that.
    const most = `CapBnd:\t${mode === 'root' ? '0{16}' : '[0-9a-f]{16}'}\nCapAmb:\t0{16}\n`;
    expect(stdout).toMatch(new RegExp(`^1000\n1000\n${none}${most}NoNewPrivs:\t1\nbwrap\ncat\nsh\n$`));
  });

  test('A-244: what its user could read outside cannot be read: the home of who starts it, /tmp, the relay’s files', async () => {
    const folders = [join(sharedLab().dir, `home-${mode}`), `/tmp/sandboxed-${process.pid}`];
    const files = await Promise.all(folders.map(on.secretAt));
    const { stdout } = await on.inside(
      tried(
        ...files.flatMap((file) => [
          `cat ${file} $HOME/${file}`,
          `ln -s ${file} link; cat link; rm link`,
          `ln ${file} hard; cat hard`,
          `cat /proc/1/root${file} /proc/[0-9]*/root${file} /proc/[0-9]*/cwd/../../../../../../..${file}`,
        ]),
        `cat ${dirname(on.site.relayYaml)}/*`,
        'ls -A /tmp /root /home/agent | grep -v :$ | grep .',
        `ls ${sharedLab().agentHost.socket} /run/docker.sock /var/run/docker.sock /run/user`,
      ),
      [],
      { env: { ...process.env, HOME: folders[0] } },
    );
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
    expect(stdout).toBe('over\n');
  });

  test('A-244: nothing of this machine can be written', async () => {
    const { stdout } = await on.inside(
      tried(
        ...['/', '/usr', '/etc', '/dev', '/clawrden/bin', '/var/run/clawrden', '/var'].map(
          (folder) => `touch ${folder}/x && echo ${folder}`,
        ),
      ),
    );
    expect(stdout).toBe('over\n');
  });

  test('A-244: what the starter had open is not passed on', async () => {
    const file = await on.secretAt(join(sharedLab().dir, `opened-${mode}`));
    const script = 'cat <&9; cat <&200; ls /proc/self/fd/9/ /proc/self/fd/200';
    const start = `exec 9<${file} 200<${dirname(file)}; exec "$@"`;
    const { stdout } = await attempt([
      'bash',
      '-c',
      start,
      'bash',
      ...on.line(),
      `bash -c '${tried(script)}'`,
    ]);
    expect(stdout).toBe('over\n');
    const { stdout: open } = await attempt([
      'bash',
      '-c',
      start,
      'bash',
      ...on.line(),
      'ls /proc/self/fd | wc -l',
    ]);
    // stdin, stdout, stderr, and the folder that is listed.
    expect(open).toBe('4\n');
  });

  test('A-244: a process outside can be neither traced nor sent a signal', async () => {
    const script = `import ctypes, os
try:
    os.kill(${process.pid}, 0); print("seen")
except OSError as e:
    print(e.errno)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(16, ${process.pid}, 0, 0), ctypes.get_errno())
`;
    const { stdout } = await on.inside(`/usr/bin/python3 -c '${script}'`);
    expect(stdout).toBe('3\n-1 3\n');
  });

  test('A-244: the kernel’s keyrings, other sockets than those of its network, and other ways to either are closed', async () => {
    const script = `import ctypes, os, socket, sys
x64 = os.uname().machine == "x86_64"
add, get = (248, 250) if x64 else (217, 219)
call = ctypes.CDLL(None, use_errno=True).syscall
def tell(what, result):
    print(what, "worked" if result >= 0 else ctypes.get_errno(), flush=True)
def vsock():
    try:
        return socket.socket(40, socket.SOCK_STREAM).close() or 0
    except OSError as e:
        ctypes.set_errno(e.errno)
        return -1
if len(sys.argv) > 1:
    tell("join", call(get, 1, b"starter"))
    tell("add", call(add, b"user", b"clawrden-test", b"secret", 6, ctypes.c_int(-3)))
    os.execvp(sys.argv[1], sys.argv[1:])
tell("search", call(get, 10, ctypes.c_int(-3), b"user", b"clawrden-test", 0))
tell("link", call(get, 8, ctypes.c_int(-4), ctypes.c_int(-3)))
tell("vsock", vsock())
tell("ring", call(425, 8, None))
if x64:
    tell("x32", call(0x40000000 + 39))
`;
    const python = ['/usr/bin/python3', '-c', script];
    const { stdout: outside } = await attempt([...python, ...python]);
    expect(outside).toBe(
      'join worked\nadd worked\nsearch worked\nlink worked\nvsock worked\nring 14\nx32 38\n',
    );
    const { stdout } = await attempt([...python, ...on.line(), `/usr/bin/python3 -c '${script}'`]);
    expect(stdout).toBe('join worked\nadd worked\nsearch 38\nlink 38\nvsock 97\nring 38\nx32 38\n');
  });

  test.each([
    ['without a terminal', (line: readonly string[]) => line],
    [
      'at a terminal',
      (line: readonly string[]) => ['script', '-qec', line.map((word) => `'${word}'`).join(' '), '/dev/null'],
    ],
  ])('A-279: %s it cannot end who started it, and so keep what it made', async (_where, start) => {
    const { stdout, stderr } = await attempt([...start([...on.line(), 'echo x > .envrc; kill -9 0; exit'])]);
    expect(stdout + stderr).toContain('.envrc appeared in the workspace; it is in ');
    expect(await on.names()).toEqual([]);
  });

  test('A-244: neither an abstract socket nor a port of this machine is reached, and there is no device', async () => {
    const abstract = createServer((socket) => socket.end(secret)).listen(`\0clawrden-sandbox-${mode}`);
    const port = createServer((socket) => socket.end(secret)).listen(0, '127.0.0.1');
    await Promise.all([once(abstract, 'listening'), once(port, 'listening')]);
    const { port: number } = port.address() as { port: number };
    const script = `import socket
for family, at in ((socket.AF_UNIX, "\\0clawrden-sandbox-${mode}"), (socket.AF_INET, ("127.0.0.1", ${number}))):
    try:
        s = socket.socket(family); s.connect(at); print(s.recv(99))
    except OSError as e:
        print(type(e).__name__)
`;
    try {
      const outside = await run([...asUser(uid), '/usr/bin/python3', '-c', script]);
      expect(outside).toBe(`b'${secret}'\n`.repeat(2));
      const { stdout } = await on.inside(`/usr/bin/python3 -c '${script}'; grep -c : /proc/net/dev`);
      expect(stdout).toBe('ConnectionRefusedError\nConnectionRefusedError\n1\n');
    } finally {
      abstract.close();
      port.close();
    }
  });

  test('A-277: what others would run later can neither be written nor renamed away', async () => {
    await mkdir(join(on.home, '.git/hooks'), { recursive: true });
    await writeFile(join(on.home, '.git/config'), 'as it was');
    await writeFile(join(on.home, '.envrc'), 'as it was');
    await run(['chown', '-R', '1000:1000', on.home]);
    const { stderr } = await on.inside(
      'echo x > .git/config; echo x > .git/hooks/post-checkout; echo x > .envrc; rm -f .envrc; mv .git other; mv .git/hooks .git/h',
    );
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3);
    expect(stderr.match(/busy/g)).toHaveLength(3);
    expect(await readFile(join(on.home, '.git/config'), 'utf8')).toBe('as it was');
    expect(await on.names()).toEqual(['.envrc', '.git']);
    expect(await readdir(join(on.home, '.git/hooks'))).toEqual([]);
    await on.inside('echo x > .envrc', ['--writable', '.envrc']);
    expect(await readFile(join(on.home, '.envrc'), 'utf8')).toBe('x\n');
  });

  test('A-391: nobody inside can leave the mounts that guard names, and rename what was below them', async () => {
    await mkdir(join(on.home, '.git'), { recursive: true });
    await writeFile(join(on.home, '.git/config'), 'as it was');
    await writeFile(join(on.home, '.envrc'), 'as it was');
    await writeFile(join(on.home, 'leave.py'), leaveMounts);
    await run(['chown', '-R', '1000:1000', on.home]);
    const before = await on.names();
    const { stdout } = await on.inside('/usr/bin/python3 leave.py');
    expect(stdout).toBe('unshare 1\nclone 1\nclone3 38\n.git 16\n.envrc 16\n');
    expect(await on.names()).toEqual(before);
    expect(await readFile(join(on.home, '.git/config'), 'utf8')).toBe('as it was');
  });

  test('A-278: what has a second name is refused by name before anything runs', async () => {
    await writeFile(join(on.home, '.envrc'), '');
    await run(['ln', join(on.home, '.envrc'), join(on.home, 'second')]);
    const { code, stdout, stderr } = await on.inside('echo ran');
    expect(stderr).toMatch(
      /^clawrden: sandbox: \.envrc of the workspace has 2 hard links, [^\n]*--writable \.envrc\n$/,
    );
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  });

  test('A-279: what appears is taken away at the end, or by the next start if all was killed', async () => {
    const made = 'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; echo x > .mcp.json; chmod 500 .git';
    const { stderr, code } = await on.inside(made);
    const lines = stderr.trim().split('\n');
    expect(lines).toHaveLength(2);
    const [, archive = ''] =
      /^clawrden: sandbox: \.git\/hooks appeared in the workspace; it is in (\S+\.tar) now$/.exec(
        lines[0] ?? '',
      ) ?? [];
    expect(await run(['tar', '-xOf', archive, '--wildcards', '*/pre-commit'])).toBe('x\n');
    expect(code).toBe(0);
    expect(await on.names()).toEqual(['.git']);
    expect(await readdir(join(on.home, '.git'))).toEqual([]);
    await using child = await on.begin('echo x > .envrc; echo ready; sleep 60');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await on.names()).toContain('.envrc');
    await waitUntil('the sandbox to end', 20_000, async () => (await on.inside('true')).code === 0);
    expect(await on.names()).not.toContain('.envrc');
  });

  test('a second sandbox of the agent, another folder and what leads out are refused in one line', async () => {
    const refused = async (why: RegExp, ...options: string[]) => {
      const { code, stdout, stderr } = await on.inside('echo ran', options);
      expect(stderr).toMatch(why);
      expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    };
    await refused(
      /^clawrden: sandbox: --workspace \/srv: the workspace of agent coder is [^\n]*\n$/,
      ...['--workspace', '/srv'],
    );
    for (const path of ['/', '/run', '/tmp', dirname(on.site.relayYaml)])
      await refused(/^clawrden: sandbox: --allow [^\n]*\n$/, '--allow', path);
    await refused(/^clawrden: sandbox: --writable x: it is not guarded; [^\n]*\n$/, '--writable', 'x');
    await using _child = await on.begin('echo ready; sleep 60');
    await refused(/^clawrden: another sandbox uses the folder [^\n]*\n$/);
  });

  test('a path that is allowed can be read at its place, and not written', async () => {
    const file = await on.secretAt(join(sharedLab().dir, `allowed-${mode}`));
    const { stdout, stderr } = await on.inside(`cat ${file}; echo x > ${file}`, ['--allow', dirname(file)]);
    expect(stdout).toBe(secret);
    expect(stderr).toContain('Read-only file system');
  });

  test('P19: it ends when its agent is killed, and none starts', async () => {
    await using child = await on.begin('echo ready; sleep 60');
    const ended = once(child, 'close');
    expect((await on.site.cli(['kill', 'coder'])).code).toBe(0);
    try {
      expect((await ended)[0]).toBe(137);
      expect((await on.inside('echo ran')).stderr).toMatch(
        /^clawrden: sandbox: agent coder is killed; [^\n]*\n$/,
      );
    } finally {
      await on.site.cli(['resume', 'coder']);
    }
  });
});

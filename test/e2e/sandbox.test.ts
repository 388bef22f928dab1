import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { attempt, type CommandResult, run } from '../lab/command.ts';
import type { Lab } from '../lab/lab.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { launcher } from '../stack/launcher.ts';
import { startToldSite, type ToldSite } from '../stack/told-site.ts';
import { lifePolicy } from './life.ts';

const secret = 'a-secret-of-this-machine';

describe.skipIf(!hasLab())('a sandbox without Docker, as root', () => {
  let lab: Lab;
  let site: ToldSite;
  let home: string;
  const line = (...options: string[]) => [
    ...[process.execPath, launcher, 'sandbox', '--config', site.relayYaml, '--agent', 'coder', ...options],
  ];
  const inside = (script: string, ...options: string[]): Promise<CommandResult> =>
    attempt([...line(...options), '--', 'sh', '-c', script]);

  beforeAll(async () => {
    lab = sharedLab();
    home = await lab.home('sandboxed');
    site = await startToldSite(lab, {
      ...{ name: 'sandbox', policy: lifePolicy() },
      agents: { coder: { bind: home, sync: true }, plain: undefined },
      relay: { 'workspace-roots': [dirname(home)] },
    });
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    for (const name of await readdir(home)) await rm(join(home, name), { recursive: true });
  });

  test('a shimmed command works there, and its files are right on both sides', async () => {
    const script = 'pwd; echo hello > told; ghostly "cat told; id -u; echo back > answer; exit 3"; echo $?; cat answer';
    expect(await inside(script)).toMatchObject({ stdout: '/app\nhello\n1000\n3\nback\n', stderr: '', code: 0 });
    expect(await readFile(join(home, 'answer'), 'utf8')).toBe('back\n');
    expect(await run(['stat', '-c', '%u', join(home, 'told')])).toBe('1000\n');
  });

  test('its exit status is that of its program, and a signal ends all of it', async () => {
    expect((await inside('exit 7')).code).toBe(7);
    const [program = '', ...args] = [...line(), '--', 'sh', '-c', 'echo ready; sleep 987654 & wait'];
    const child = spawn(program, args);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    await once(child, 'close');
    expect((await attempt(['pgrep', '-f', 'sleep 98765[4]'])).stdout).toBe('');
  });

  test('what needs a container of the agent says so', async () => {
    const { code, stderr } = await inside('mirrored true');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/^clawrden: needs-agent: /) });
  });

  test('A-244: it is the agent’s user without any right, and sees no process but its own', async () => {
    const { stdout } = await inside(
      'id -u; id -G; grep -E "^(CapEff|CapPrm|CapBnd|CapAmb|NoNewPrivs)" /proc/self/status; ls -d /proc/[0-9]* | wc -l',
    );
    expect(stdout).toMatch(
      /^1000\n1000\nCapPrm:\t0+\nCapEff:\t0+\nCapBnd:\t0+\nCapAmb:\t0+\nNoNewPrivs:\t1\n([1-9])\n$/,
    );
  });

  test.each([
    ['the home of who starts it', () => `cat ${process.env['HOME'] ?? '/root'}/*; cat /root/.ssh/*; ls -A /home/agent`],
    ['/tmp of this machine', () => 'ls -A /tmp'],
    ['the state of the relay', () => `cat ${dirname(site.relayYaml)}/*; ls ${join(lab.dir)}`],
    ['a socket of an engine', () => 'ls /run/docker.sock /var/run/docker.sock'],
    ['files by the root of another process', () => 'cat /proc/1/root/etc/shadow /proc/[0-9]*/root/root/.ssh/*'],
    ['a link out of the workspace', () => 'ln -s /etc/shadow link; cat link'],
  ])('A-244: %s cannot be read', async (_what, script) => {
    const { stdout } = await inside(`{ ${script()}; } 2>/dev/null; true`);
    expect(stdout).toBe('');
  });

  test('A-244: what the starter had open is not passed on', async () => {
    const file = join(lab.dir, 'opened');
    await writeFile(file, secret);
    const script = 'ls /proc/self/fd | wc -l; cat /proc/self/fd/9 /proc/self/fd/200 2>/dev/null';
    const start = `exec 9<${file}; exec 200<${file}; exec "$@"`;
    const { stdout } = await attempt(['bash', '-c', start, 'bash', ...line(), '--', 'sh', '-c', script]);
    // stdin, stdout, stderr, and the folder that is listed.
    expect(stdout).toBe('4\n');
  });

  test('A-244: neither an abstract socket nor a port of this machine is reached, and there is no device', async () => {
    const abstract = createServer((socket) => socket.end(secret)).listen('\0clawrden-sandbox-test');
    const port = createServer((socket) => socket.end(secret)).listen(0, '127.0.0.1');
    await Promise.all([once(abstract, 'listening'), once(port, 'listening')]);
    const { port: number } = port.address() as { port: number };
    try {
      const script = `import socket
for family, at in ((socket.AF_UNIX, "\\0clawrden-sandbox-test"), (socket.AF_INET, ("127.0.0.1", ${number}))):
    try:
        s = socket.socket(family); s.connect(at); print(s.recv(99))
    except OSError as e:
        print(type(e).__name__)
`;
      const { stdout } = await inside(`python3 -c '${script}'; ls /sys/class/net 2>/dev/null`);
      expect(stdout).toBe('ConnectionRefusedError\nConnectionRefusedError\n');
    } finally {
      abstract.close();
      port.close();
    }
  });

  test('A-277: what others would run later can neither be written nor renamed away', async () => {
    await mkdir(join(home, '.git/hooks'), { recursive: true });
    await writeFile(join(home, '.git/config'), 'as it was');
    await writeFile(join(home, '.envrc'), 'as it was');
    await run(['chown', '-R', '1000:1000', home]);
    const script =
      'echo x > .git/config; echo x > .git/hooks/post-checkout; echo x > .envrc; rm -f .envrc; mv .git other; mv .git/hooks .git/h';
    const { stderr } = await inside(script);
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3);
    expect(stderr.match(/busy/g)).toHaveLength(3);
    expect(await readFile(join(home, '.git/config'), 'utf8')).toBe('as it was');
    expect(await readdir(join(home, '.git/hooks'))).toEqual([]);
    await inside('echo x > .envrc', '--writable', '.envrc');
    expect(await readFile(join(home, '.envrc'), 'utf8')).toBe('x\n');
  });

  test('A-279: what appears is taken away at the end, or by the next start if all was killed', async () => {
    const made = 'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; echo x > .mcp.json';
    const { stderr } = await inside(made);
    expect(stderr.match(/appeared in the workspace; it is in /g)).toHaveLength(2);
    expect(await readdir(home)).toEqual(['.git']);
    const [program = '', ...args] = [...line(), '--', 'sh', '-c', `echo x > .envrc; echo ready; sleep 60`];
    const child = spawn(program, args);
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await readdir(home)).toContain('.envrc');
    await waitUntil('the sandbox to end', 20_000, async () => (await inside('true')).code === 0);
    expect(await readdir(home)).not.toContain('.envrc');
  });

  test('a second sandbox of the agent, another folder and what leads out are refused in one line', async () => {
    const refused = async (why: RegExp, ...options: string[]) => {
      const { code, stdout, stderr } = await inside('echo ran', ...options);
      expect({ code, stdout, stderr }).toMatchObject({ code: 125, stdout: '', stderr: expect.stringMatching(why) });
    };
    await refused(/^clawrden: sandbox: --workspace \/srv: the workspace of agent coder is .*\n$/, '--workspace', '/srv');
    for (const path of ['/', '/run', '/var/run', '/tmp', '/proc', dirname(site.relayYaml)])
      await refused(/^clawrden: sandbox: --allow [^\n]*\n$/, '--allow', path);
    await refused(/--writable x: it is not guarded/, '--writable', 'x');
    const [program = '', ...args] = [...line(), '--', 'sh', '-c', 'echo ready; sleep 60'];
    const child = spawn(program, args);
    await once(child.stdout, 'data');
    await refused(/another sandbox uses the folder/);
    child.kill('SIGTERM');
    await once(child, 'close');
  });
});

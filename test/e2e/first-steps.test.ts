import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type InstalledPackage, installPackage } from '../install/installed-package.ts';
import type { CommandResult } from '../lab/command.ts';
import { agentImage, busyboxImage } from '../lab/images/catalogue.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { freePorts } from '../stack/free-port.ts';
import type { Program } from '../stack/program.ts';

const minutes = 60_000;
const volume = 'first-steps-app';
const policy = {
  version: 1,
  default: 'deny',
  workspace: '/app',
  tools: {
    ghostly: { strategy: 'ghost', image: busyboxImage },
    wc: { strategy: 'ghost', image: busyboxImage },
    mirrored: { strategy: 'mirror' },
  },
  rules: [
    { name: 'asked', tools: ['ghostly'], action: 'ask', reason: 'a person looks' },
    { name: 'look', tools: ['wc', 'mirrored'], action: 'allow' },
  ],
  complete: true,
};

/** What README ("First steps") and docs/setup.md say, with nothing but the package: no file of the checkout is used. */
describe.skipIf(!hasLab())('first steps with the package, on one engine', () => {
  let installed: InstalledPackage;
  let gateway: Program;
  let relay: Program;
  let relayYaml: string;
  let context: string;
  const docker = (...args: string[]) => sharedLab().agentHost.docker(args);
  const clawrden = (...args: string[]) => installed.clawrden(args);
  const asAdmin = (...args: string[]) => clawrden('--context', context, ...args);

  beforeAll(async () => {
    installed = await installPackage('--own');
    const { folder } = installed;
    const state = join(folder, 'gateway');
    const engine = `unix://${sharedLab().agentHost.socket}`;
    await succeeds(clawrden('init', '--dir', state, '--name', 'localhost'));
    const [grpc, enroll, http] = (await freePorts(3)).map((port) => ({ listen: `127.0.0.1:${port}` }));
    const agents = [
      { name: 'coder', relay: 'here', users: ['1000:1000'], cwd: '/app', workspace: { volume } },
    ];
    const keys = { grpc, enroll, http, agents, hosts: [{ name: 'local', engine }] };
    await change(join(state, 'gateway.yaml'), keys);
    await writeFile(join(state, 'policy.yaml'), stringify(policy));
    await succeeds(clawrden('policy', 'check', join(state, 'policy.yaml')));
    gateway = await installed.start(['gateway', '--config', join(state, 'gateway.yaml')]);
    context = join(folder, 'context.yaml');
    await writeFile(context, `gateway: ${grpc?.listen}\nidentity: ${join(state, 'admin')}\n`);
    const token = await succeeds(asAdmin('relay', 'invite', 'here', '--agent', 'coder'));
    const where = ['--gateway', enroll?.listen ?? '', '--dir', join(folder, 'relay')];
    await succeeds(clawrden('relay', 'enroll', ...where, '--token', token.trim()));
    relayYaml = join(folder, 'relay/relay.yaml');
    // The gateway serves calls elsewhere than by default.
    await change(relayYaml, { gateway: grpc?.listen, docker: engine });
    relay = await installed.start(['relay', '--config', relayYaml]);
    await succeeds(docker('volume', 'create', volume));
    const options = ['--detach', '--name', 'first-steps', '--volume', `${volume}:/app`, '--workdir', '/app'];
    const line = ['agent', 'run', '--config', relayYaml, 'coder', ...options, agentImage];
    await succeeds(clawrden(...line));
  }, 10 * minutes);

  afterAll(async () => {
    await docker('rm', '-fv', 'first-steps');
    await relay?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
    await docker('volume', 'rm', volume);
    await installed?.[Symbol.asyncDispose]();
  });

  test('an agent types a command; a person approves it; it runs in a ghost and its bytes come back', async () => {
    const script = 'echo made > file; cat file; echo err >&2; exit 3';
    const typed = docker('exec', 'first-steps', 'ghostly', script);
    let id = '';
    await waitUntil('the question', minutes, async () => {
      const [question] = JSON.parse((await asAdmin('pending', '--json')).stdout) as { id: string }[];
      id = question?.id ?? '';
      return id !== '';
    });
    expect(await asAdmin('approve', id)).toMatchObject({ code: 0 });
    expect(await typed).toMatchObject({ code: 3, stdout: 'made\n', stderr: 'err\n' });
    const mirrored = await docker('exec', 'first-steps', 'mirrored', 'cat file');
    expect(mirrored).toMatchObject({ code: 0, stdout: 'made\n' });
    expect((await docker('exec', 'first-steps', 'ls', '/clawrden/bin')).stdout).toContain('ghostly\n');
  });

  test('`clawrden exec` runs one from outside, under the same policy', async () => {
    const line = ['exec', '--agent', 'coder', '--', 'wc', '-c', 'file'];
    expect(await asAdmin(...line)).toMatchObject({ code: 0, stdout: '5 file\n', stderr: '' });
    const refused = await asAdmin('exec', '--agent', 'coder', '--', 'npm', 'publish');
    expect(refused.stderr).toContain('clawrden: tool-unknown: ');
  });

  test('the container is closed, the history knows what ran, and the record is whole', async () => {
    expect(await clawrden('agent', 'check', '--config', relayYaml, 'coder')).toMatchObject({ code: 0 });
    expect((await asAdmin('history', '--agent', 'coder')).stdout).toMatch(/ghostly/);
    const audit = join(installed.folder, 'gateway/audit.jsonl');
    expect(await clawrden('audit', 'verify', audit)).toMatchObject({ code: 0 });
  });
});

async function succeeds(command: Promise<CommandResult>): Promise<string> {
  const { code, stdout, stderr } = await command;
  if (code !== 0) throw new Error(`exit status ${code}: ${stderr}`);
  return stdout;
}

async function change(file: string, keys: object): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, stringify({ ...(parse(text) as object), ...keys }), { mode: 0o600 });
}

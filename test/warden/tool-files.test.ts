import { spawn } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launcher } from '../stack/launcher.ts';
import { type Program, startProgram } from '../stack/program.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const isRoot = process.getuid?.() === 0;
const patience = { timeout: 60_000, interval: 50 };

// The folder is mounted as the agent has it, at a place of its own.
const policy = `version: 1
workspace: /mnt/app
rules:
  - { name: tools, tools: [uname, nproc], action: allow }
complete: true
`;
const toolText = (name: string, strategy = 'passthrough') =>
  `---\nname: ${name}\ndescription: says what this machine is\nstrategy: ${strategy}\n---\nRun it without options.\n`;

let tools: string;
let gateway: RealGateway;
let relay: Program;
beforeAll(async () => {
  tools = await mkdtemp(join(tmpdir(), 'clawrden-tools-'));
  gateway = await startRealGateway({ keys: { 'tool-files': tools } });
  writeFileSync(join(gateway.state, 'policy.yaml'), policy);
  relay = await startRelay();
});
afterAll(async () => {
  await relay?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await rm(tools, { recursive: true, force: true });
});

function startRelay(): Promise<Program> {
  return startProgram({
    argv: [process.execPath, launcher, 'relay', '--config', join(gateway.relayFolder, 'relay.yaml')],
    log: join(dirname(gateway.state), 'relay.log'),
  });
}

function save(name: string, text: string): void {
  writeFileSync(join(tools, `${name}.new`), text);
  renameSync(join(tools, `${name}.new`), join(tools, `${name}.md`));
}

const folder = () => join(gateway.relayFolder, 'state/agents/coder');
const jail = () => readdir(join(folder(), 'bin')).catch((): string[] => []);
const told = async () => (await gateway.cli('policy', 'show')).stdout;

/** As an agent that is running: uid 1000, its two folders mounted before there is a tool. */
function startAgent(script: string) {
  const mounts = `mount -t tmpfs none /mnt && mkdir /mnt/run /mnt/bin /mnt/app &&
    mount --bind ${folder()}/socket /mnt/run && mount --bind ${folder()}/bin /mnt/bin && cd /mnt/app &&
    CLAWRDEN_SOCKET=/mnt/run/warden.sock PATH=/mnt/bin:$PATH`;
  const become = `setpriv --reuid 1000 --regid 1000 --clear-groups sh -c '${script}'`;
  const agent = spawn('unshare', ['-m', 'sh', '-c', `${mounts} exec ${become}`]);
  let output = '';
  for (const stream of [agent.stdout, agent.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return {
    output: () => output,
    [Symbol.dispose]: () => void agent.kill('SIGKILL'),
  };
}

test.skipIf(!isRoot)(
  'P8: a running agent sees a tool within a second of its file, uses it, keeps it while the file is faulty and everything starts again, and loses it with the file',
  async () => {
    await expect.poll(jail, patience).toEqual(expect.arrayContaining(['.shim']));
    await expect.poll(told, patience).toContain('workspace: /mnt/app');
    using agent = startAgent(`
      until [ -e /mnt/bin/uname ]; do sleep 0.05; done; echo seen; uname; echo used $?
      while [ -e /mnt/bin/uname ]; do sleep 0.05; done; echo lost; /mnt/bin/uname; echo gone $?`);
    expect(await jail()).not.toContain('uname');
    save('uname', toolText('uname'));
    await expect.poll(agent.output, patience).toBe('seen\nLinux\nused 0\n');
    expect((await gateway.cli('tools', 'show', 'uname')).stdout).toContain('Run it without options.');

    save('uname', toolText('uname').replace('strategy', 'strategi: x\nstrategy'));
    await expect.poll(told, patience).toMatch(/not in force +.*uname\.md:4: strategi: is not a known key/);
    save('nproc', toolText('nproc'));
    await expect.poll(jail, patience).toEqual(expect.arrayContaining(['uname', 'nproc']));
    const refused = readFileSync(gateway.audit, 'utf8')
      .split('\n')
      .filter((line) => line.includes('policy-refused'));
    expect(refused).toEqual([expect.stringContaining('uname.md:4: strategi')]);
    save('uname', toolText('uname'));
    await expect.poll(told, patience).not.toContain('not in force');

    await relay[Symbol.asyncDispose]();
    relay = await startRelay();
    await gateway.end('SIGTERM');
    await gateway.start();
    await expect.poll(told, patience).toContain('--- # tool file uname.md');
    expect(await jail()).toEqual(expect.arrayContaining(['uname', 'nproc']));
    expect(agent.output()).toBe('seen\nLinux\nused 0\n');

    rmSync(join(tools, 'uname.md'));
    await expect
      .poll(agent.output, patience)
      .toMatch(/^seen\nLinux\nused 0\nlost\n(.*not found\n)?gone 127\n/s);
    expect(await jail()).toContain('nproc');
  },
);

test('P7: what an admin assigns is one more rule, outlives a start, and ends when it is taken back', async () => {
  save('nproc', toolText('nproc'));
  await expect.poll(told, patience).toContain('--- # tool file nproc.md');
  const assign = (...args: string[]) => gateway.cli('tools', 'assign', ...args);
  expect((await assign('nobody', 'nproc')).stderr).toContain('there is no agent "nobody"');
  expect((await assign('coder', 'nprok')).stderr).toContain('nearest valid tool is "nproc"');
  expect(await assign('coder', 'nproc')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('asked about'),
  });
  const rules = async () =>
    (
      JSON.parse((await gateway.cli('tools', 'show', 'nproc', '--json')).stdout) as {
        rules: { name: string }[];
      }
    ).rules;
  expect((await rules()).map(({ name }) => name)).toEqual(['tools', 'assigned:coder:nproc']);
  await gateway.end('SIGKILL');
  await gateway.start();
  const explain = async () =>
    (await gateway.cli('policy', 'explain', '--agent', 'coder', '--cwd', '/mnt/app', '--', 'nproc')).stdout;
  expect(await explain()).toContain('assigned:coder:nproc');
  expect(await told()).toContain('- { agent: "coder", tool: "nproc", action: ask }');
  const doctor = async () =>
    (JSON.parse((await gateway.cli('doctor', '--json')).stdout) as { check: string }[]).filter(
      ({ check }) => check === 'assignment',
    );
  expect(await doctor()).toEqual([]);
  rmSync(join(tools, 'nproc.md'));
  await expect.poll(told, patience).not.toContain('--- # tool file nproc.md');
  expect(await doctor()).toEqual([
    {
      ...{ check: 'assignment', level: 'warning' },
      text: 'assigned:coder:nproc matches nothing: nothing defines the tool nproc',
      fix: 'put it back, or clawrden tools unassign coder nproc',
    },
  ]);
  const { stdout } = await gateway.cli('tools', 'unassign', 'coder', 'nproc', '--reason', 'done');
  expect(stdout).toBe('the rule assigned:coder:nproc is gone\n');
  expect(await explain()).not.toContain('assigned:');
  expect((await gateway.cli('tools', 'unassign', 'coder', 'nproc')).stderr).toContain(
    'is not assigned to coder',
  );
  const records = readFileSync(gateway.audit, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"assignment"'));
  expect(records.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
    'assigned',
    'unassigned',
  ]);
});

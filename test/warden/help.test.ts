import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { attempt } from '../lab/command.ts';
import { inJail } from '../relay/told-host.ts';
import { launcher } from '../stack/launcher.ts';
import { startProgram } from '../stack/program.ts';
import { startRealGateway } from './real-gateway.ts';

const list = `Agent coder may run these tools. Each command is judged by itself; clawrden-help TOOL says more.
  run    runs
  kept   runs
  here   runs
  ask    asks a person first
  touch  asks a person first
  sh     asks a person first
`;

test.skipIf(process.geteuid?.() !== 0)(
  'P18: every jail has clawrden-help; it says, byte by byte and from any folder, what this agent may run, and what was refused',
  async () => {
    await using gateway = await startRealGateway();
    await using _ = await startProgram({
      argv: [process.execPath, launcher, 'relay', '--config', join(gateway.relayFolder, 'relay.yaml')],
      log: join(dirname(gateway.state), 'relay.log'),
    });
    const folder = join(gateway.relayFolder, 'state/agents/coder');
    const jail = () => readdir(join(folder, 'bin')).catch(() => []);
    await expect.poll(jail, { timeout: 60_000 }).toContain('clawrden-help');
    const run = (script: string) => attempt(inJail(folder, script));
    expect(await run('clawrden-help')).toMatchObject({ code: 0, stdout: list, stderr: '' });
    // Its input is its caller's, to the last byte.
    expect((await run('printf "1\\n2\\n" | (clawrden-help >/dev/null; cat)')).stdout).toBe('1\n2\n');
    expect(await run('run x')).toMatchObject({ code: 1, stderr: expect.stringContaining('cwd-outside') });
    const [{ stdout: text }, { stdout: json }, unknown] = await Promise.all([
      run('clawrden-help run'),
      run('clawrden-help --json'),
      run('clawrden-help nothing'),
    ]);
    expect(text).toMatch(
      /^run: runs\n {2}runs in your own container\n[^]*Refused lately:\n.* run x\n {4}cwd-outside: /,
    );
    expect(JSON.parse(json)).toMatchObject({ agent: 'coder', refusals: [{ command: 'run x' }] });
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^clawrden-help: /) });
    const { stdout } = await gateway.cli('history', '--agent', 'coder', '--tool', 'clawrden-help', '--json');
    expect(stdout).toContain('"strategy":"help"');
  },
);

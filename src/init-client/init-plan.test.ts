import { describe, expect, it } from 'vitest';
import type { Command, Stdio } from '../command.ts';
import type { Plan } from '../plan.ts';
import { initPlanOf, inspectionOf } from './init-plan.ts';

const plan: Plan = {
  agent: 'coder',
  argv: ['ls', '-la'],
  env: ['LANG=C'],
  cwd: '/app/src',
  workspace: '/app',
  uid: 1000,
  gid: 1000,
  umask: 0o27,
  strategy: 'ghost',
  mounts: [],
  network: 'none',
  limits: { memoryBytes: 1, cpus: 1, pids: 1, outputBytes: 10, fileBytes: 20 },
  stdin: 'pipe',
  timeoutMs: 1000,
  idleTimeoutMs: 500,
  policyHash: '',
};

function command(stdio: Stdio): Command {
  return { tool: 'ls', args: [], cwd: '/elsewhere', env: ['A=b'], umask: 0, stdio, ignored: [1], version: 1 };
}

describe('initPlanOf', () => {
  it('takes everything that was decided on from the plan, nothing of it from the claim', () => {
    expect(initPlanOf(plan, command(['pipe', 'pipe', 'pipe']))).toMatchObject({
      mirror: false,
      confine: true,
      stdinNone: false,
      cwd: '/app/src',
      workspace: '/app',
      argv: ['ls', '-la'],
      env: ['LANG=C'],
      umask: 0o27,
      runMs: 1000,
      idleMs: 500,
      outputBytes: 10,
      fileBytes: 20,
      ignored: [1],
    });
  });

  it.each<[Stdio, boolean, string[]]>([
    [['tty', 'tty', 'tty'], true, ['tty', 'tty', 'tty']],
    [['tty', 'tty', '=1'], true, ['tty', 'tty', 'same']],
    [['tty', 'tty', 'file'], true, ['tty', 'tty', 'pipe']],
    [['pipe', 'tty', 'tty'], false, ['pipe', 'pipe', 'pipe']],
    [['tty', 'pipe', '=1'], false, ['pipe', 'pipe', 'same']],
    [['file', 'file', 'file'], false, ['pipe', 'pipe', 'pipe']],
    [['null', 'null', 'closed'], false, ['null', 'null', 'closed']],
  ])('makes of %j a terminal only if stdin and stdout are one', (stdio, terminal, expected) => {
    expect(initPlanOf(plan, command(stdio))).toMatchObject({ terminal, stdio: expected });
  });

  it('names the files that are run: what was seen of them is expected again, else anything will do', () => {
    const orders = { operands: ['x.sh'], expected: [] };
    const scripts = [{ path: 'x.sh' }, { notInspected: 'what sh reads from its input' }];
    expect(initPlanOf({ ...plan, scripts }, command(['pipe', 'pipe', 'pipe']))).toMatchObject(orders);
    const digest = 'ab'.repeat(32);
    const operands = [
      { path: 'x.sh', digest, file: '/app/x.sh' },
      { notInspected: 'what sh reads from its input' },
      { path: 'y.sh', notInspected: 'there is no such file' },
    ];
    expect(inspectionOf({ ...plan, operands })).toMatchObject({
      inspect: true,
      operands: ['x.sh', 'y.sh'],
      expected: [`held sha256:${digest} /app/x.sh`, 'unseen: there is no such file'],
    });
  });

  it('says that a mirrored command is one and is not confined', () => {
    const mirrored = initPlanOf(
      { ...plan, strategy: 'mirror', stdin: 'none' },
      command(['null', 'pipe', 'pipe']),
    );
    expect(mirrored).toMatchObject({ mirror: true, confine: false, stdinNone: true });
  });
});

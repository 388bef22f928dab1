import type { PendingApproval, ShownVerdict } from '../../gateway/ports/verdict.ts';
import { canonicalJson, type Operand, type Plan } from '../../src/plan.ts';
import { recordable } from '../../src/recordable-command.ts';
import { admin, startTestGateway } from '../grpc/gateway.ts';
import { launcher } from '../stack/launcher.ts';
import { contextOf } from './clawrden.ts';
import { openTerminal, type Terminal } from './terminal.ts';

function planOf(argv: readonly string[], operands?: readonly Operand[]): Plan {
  return {
    agent: 'coder',
    argv,
    env: ['LANG=C'],
    cwd: '/app',
    workspace: '/app',
    uid: 1000,
    gid: 1000,
    umask: 0o22,
    strategy: 'ghost',
    image: { reference: 'node:24', id: 'sha256:4c1a9a6dbd4f' },
    mounts: [{ kind: 'volume', source: 'coder-app', target: '/app' }],
    network: 'none',
    limits: { memoryBytes: 512 * 1024 ** 2, cpus: 1, pids: 256, outputBytes: 0, fileBytes: 0 },
    stdin: 'none',
    timeoutMs: 300_000,
    idleTimeoutMs: 0,
    policyHash: 'e08d3f2a90c1',
    ...(operands === undefined ? {} : { operands }),
  };
}

export function question(
  id: string,
  argv: readonly string[],
  operands?: readonly Operand[],
  agent = 'coder',
): PendingApproval {
  const rest = {
    caller: 'relay:host-7',
    executionId: `e-${id}`,
    agent,
    planHash: '7b3c5de19f42',
    rule: 'install',
    reason: 'fetches',
  };
  const times = { createdAt: Date.now(), expiresAt: Date.now() + 600_000 };
  const plan = { ...planOf(argv, operands), agent };
  const command = recordable(argv, plan.cwd);
  const needs = { consent: { approvals: 1, role: 'approver' }, missing: 1, yeses: [] } as const;
  return { id, ...rest, ...times, ...needs, plan: canonicalJson(plan), command, noGrant: '', said: '' };
}

export const install = question('aaaa000001', ['npm', 'install', 'express']);
export const remove = question('bbbb000002', ['rm', '-rf', '/app/dist']);

/** A gateway with a queue that the test changes. */
export async function startQueue(...first: PendingApproval[]) {
  let waiting = first;
  const listeners = new Set<() => void>();
  const resolved: [string, Omit<ShownVerdict, 'by'>][] = [];
  const set = (...next: PendingApproval[]) => {
    waiting = next;
    for (const listener of listeners) listener();
  };
  const gateway = await startTestGateway({
    people: { admin: 'admin', vera: 'viewer' },
    warden: {
      approvals: () => waiting,
      watchApprovals: (listener, signal) => {
        listeners.add(listener);
        signal.addEventListener('abort', () => listeners.delete(listener));
      },
      resolveApproval: async (id, verdict) => {
        const approval = waiting.find((each) => each.id === id);
        if (approval === undefined) return { type: 'already-resolved', text: `${id} was resolved before` };
        resolved.push([id, verdict]);
        set(...waiting.filter((each) => each.id !== id));
        return { type: 'resolved', approval: { ...approval, missing: 0 } };
      },
    },
  });
  return { gateway, resolved, set, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

/** `clawrden watch` on a terminal, once it is live. */
export async function startWatch(
  queue: Awaited<ReturnType<typeof startQueue>>,
  name: string = admin.name,
): Promise<Terminal> {
  const context = await contextOf(queue.gateway, { kind: 'person', name });
  const terminal = await openTerminal();
  await terminal.type(`${process.execPath} ${launcher} watch --context ${context}; echo left $?`, 'Enter');
  await terminal.shows(/clawrden watch(?![^]*connecting)[^]*q quit/);
  return terminal;
}

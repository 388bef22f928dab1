import type { Command, StdioKind, TerminalSize } from '../command.ts';
import type { Plan } from '../plan.ts';
import type { InitFile, InitPlan, InitStdio } from './plan-encoding.ts';
import { operandOrders } from './plan-operands.ts';

/** The kinds of the caller's descriptors. They are not in a plan, because they change with every call. */
export type Wiring = Pick<Command, 'stdio' | 'ignored' | 'blocked' | 'terminal'>;

const defaultSize: TerminalSize = { cols: 80, rows: 24 };
const initKinds: Readonly<Record<StdioKind, InitStdio>> = {
  tty: 'pipe',
  pipe: 'pipe',
  file: 'pipe',
  null: 'null',
  closed: 'closed',
  '=1': 'same',
};

/** The values of a plan's secrets: variables, as NAME=value, and files. */
export interface InitSecrets {
  readonly env: readonly string[];
  readonly files: readonly InitFile[];
}

const noSecrets: InitSecrets = { env: [], files: [] };

const noWiring: Wiring = { stdio: ['null', 'null', 'null'], ignored: [] };

/** Orders for an init that only inspects what the command of this plan would run. */
export function inspectionOf(plan: Plan): InitPlan {
  return { ...initPlanOf(plan, noWiring), inspect: true };
}

/** The tool's own terminal: it has one if and only if the caller's fds 0 and 1 are both terminals. */
export function terminalOf({ stdio, terminal = defaultSize }: Wiring): TerminalSize | undefined {
  return stdio[0] === 'tty' && stdio[1] === 'tty' ? terminal : undefined;
}

/** Orders for an init. */
export function initPlanOf(plan: Plan, wiring: Wiring, secrets = noSecrets): InitPlan {
  const terminal = terminalOf(wiring) !== undefined;
  const { cols, rows } = wiring.terminal ?? defaultSize;
  const stdio = wiring.stdio.map((kind) => (terminal && kind === 'tty' ? 'tty' : initKinds[kind]));
  return {
    mirror: plan.strategy === 'mirror',
    confine: plan.strategy === 'ghost',
    inspect: false,
    network: plan.reach !== undefined,
    leave: plan.isolation === 'session',
    stdinNone: plan.stdin === 'none',
    terminal,
    stdio: [stdio[0] ?? 'null', stdio[1] ?? 'pipe', stdio[2] ?? 'pipe'],
    umask: plan.umask,
    cols,
    rows,
    ignored: wiring.ignored,
    blocked: wiring.blocked ?? [],
    runMs: plan.timeoutMs,
    idleMs: plan.idleTimeoutMs,
    outputBytes: plan.limits.outputBytes,
    fileBytes: plan.limits.fileBytes,
    cwd: plan.cwd,
    workspace: plan.workspace,
    argv: plan.argv,
    env: [...plan.env, ...secrets.env],
    files: secrets.files,
    ...operandOrders(plan),
  };
}

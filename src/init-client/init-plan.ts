import type { Command, Stdio, StdioKind } from '../command.ts';
import type { Plan } from '../plan.ts';
import type { InitPlan, InitStdio } from './plan-encoding.ts';

const noSize = { cols: 0, rows: 0 };

/**
 * What the init is told: the Plan, and from the Command only how the caller's descriptors and ignored signals look,
 * which no decision depends on.
 */
export function initPlanOf(plan: Plan, command: Command): InitPlan {
  const mirror = plan.strategy === 'mirror';
  const [stdin, stdout] = command.stdio;
  const terminal = stdin === 'tty' && stdout === 'tty';
  const { cols, rows } = command.terminal ?? noSize;
  return {
    mirror,
    stdinNone: plan.stdin === 'none',
    terminal,
    confine: !mirror,
    stdio: initStdio(command.stdio, terminal),
    umask: plan.umask,
    cols,
    rows,
    ignored: command.ignored,
    runMs: plan.timeoutMs,
    idleMs: plan.idleTimeoutMs,
    outputBytes: plan.limits.outputBytes,
    fileBytes: plan.limits.fileBytes,
    cwd: plan.cwd,
    workspace: plan.workspace,
    argv: plan.argv,
    env: plan.env,
  };
}

function initStdio([stdin, stdout, stderr]: Stdio, terminal: boolean): InitPlan['stdio'] {
  const kind = (of: StdioKind) => initKind(of, terminal);
  return [kind(stdin), kind(stdout), kind(stderr)];
}

/** Outside terminal mode a tty is a pipe: what writes to it may not believe that it is alone with a person. */
function initKind(kind: StdioKind, terminal: boolean): InitStdio {
  switch (kind) {
    case 'tty':
      return terminal ? 'tty' : 'pipe';
    case 'file':
      return 'pipe';
    case '=1':
      return 'same';
    default:
      return kind;
  }
}

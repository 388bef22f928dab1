import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentContainer } from '../lab/agent-container.ts';
import type { CommandResult } from '../lab/command.ts';
import { waitUntil } from '../lab/wait.ts';
import type { Stack } from '../stack/start-stack.ts';

/** One line of `scripts/demo --json`. */
export interface Step {
  readonly step: string;
  readonly command: string;
  readonly decision: string;
  readonly rule: string;
  readonly host: string;
  readonly container: string;
  readonly exitCode: number | null;
  readonly ms: number;
}

export interface Shown {
  readonly step: Step;
  readonly output: string;
  /** Empty, or why the step did not show what it should. */
  readonly problem: string;
}

interface Execution {
  readonly id: string;
  readonly decision: string;
  readonly rule: string;
  readonly host: string;
  readonly container: string;
}

export interface StepOptions {
  readonly step: string;
  readonly argv: readonly string[];
  readonly expectCode: number;
  /** What the output must contain. */
  readonly expect?: string;
  /** It reaches something by name: the step shows what, and it must have ended like this. */
  readonly reached?: string;
  /** Whether a person approves it from the command line while it waits. */
  readonly approve?: boolean;
  /** Whether it must not run where the command before it ran, if there is another host. */
  readonly elsewhere?: boolean;
}

/** Runs a command in the agent's container and looks up what the gateway decided. */
export async function typeCommand(
  stack: Stack,
  agent: AgentContainer,
  options: StepOptions,
  lastHost = '',
): Promise<Shown> {
  const drained = options.elsewhere === true && stack.hosts.length > 1 ? lastHost : '';
  if (drained !== '') await stack.cli(['drain', drained]);
  const began = performance.now();
  const running = agent.exec(options.argv, { timeout: 180_000 });
  const approved = options.approve === true ? await approveNext(stack) : '';
  const result = await running;
  const ms = Math.round(performance.now() - began);
  if (drained !== '') await stack.cli(['undrain', drained]);
  const execution = await newestExecution(stack);
  const { decision, rule, host, container } = execution;
  const reached = options.reached === undefined ? '' : await reachedBy(stack, execution.id, options.reached);
  const step = { step: options.step, command: options.argv.join(' '), decision, rule, host, container };
  return {
    step: { ...step, exitCode: result.code, ms },
    output: `${drained && `[clawrden drain ${drained}]\n`}${approved}${result.stdout}${result.stderr}${reached}`,
    problem: problemOf(result, options),
  };
}

/** Each connection is recorded at its end, which may come after that of its command. */
async function reachedBy(stack: Stack, id: string, outcome: string): Promise<string> {
  let told = '';
  await waitUntil(`${id} to have reached something: ${outcome}`, 30_000, async () => {
    const { stdout } = await stack.cli(['show', id]);
    told = /^reached .*(?:\n .*)*/m.exec(stdout)?.[0] ?? '';
    return told.includes(outcome);
  });
  return `[clawrden show ${id.slice(0, 13)}]\n${told}\n`;
}

/** Looks around inside the agent's container, without Clawrden: nothing is decided and nothing recorded. */
export async function look(
  agent: AgentContainer,
  step: string,
  script: string,
  expect: string,
): Promise<Shown> {
  const began = performance.now();
  const result = await agent.exec(['/bin/sh', '-c', script]);
  const ms = Math.round(performance.now() - began);
  const nothing = { decision: '', rule: '', host: '', container: agent.name };
  return {
    step: { step, command: script, ...nothing, exitCode: result.code, ms },
    output: result.stdout + result.stderr,
    problem: problemOf(result, { expectCode: 0, expect }),
  };
}

function problemOf(
  result: CommandResult,
  { expectCode, expect }: Pick<StepOptions, 'expectCode' | 'expect'>,
): string {
  if (result.code !== expectCode) return `exit code ${result.code} instead of ${expectCode}`;
  if (expect !== undefined && !(result.stdout + result.stderr).includes(expect))
    return `the output lacks "${expect}"`;
  return '';
}

async function approveNext(stack: Stack): Promise<string> {
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; await sleep(100)) {
    const pending = await stack.cli(['pending', '--json']);
    const [first] = JSON.parse(pending.stdout || '[]') as { id: string; reason: string }[];
    if (first === undefined) continue;
    const approved = await stack.cli(['approve', first.id, '--reason', 'shown in the demo']);
    if (approved.code !== 0) throw new Error(`clawrden approve ${first.id}: ${approved.stderr}`);
    return `[waits: ${first.reason}]\n[clawrden approve ${first.id}]\n`;
  }
  throw new Error('nothing came up for approval within 30 s');
}

async function newestExecution(stack: Stack): Promise<Execution> {
  const history = await stack.cli(['history', '--json']);
  const [newest] = JSON.parse(history.stdout || '[]') as Execution[];
  if (newest === undefined) throw new Error(`clawrden history shows nothing: ${history.stderr}`);
  return newest;
}

import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import type { Action, Decision, Policy, ToolDefinition } from '../policy/policy.ts';
import { readPolicy } from './read-policy.ts';

interface ExplainOptions {
  readonly policy?: string;
  readonly agent: string;
  readonly uid: number;
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Exit status 0 once there is an answer, whatever it is. */
export function policyExplainCommand(): Command {
  return new Command('explain')
    .description('say what would happen to a command, and why, without running it')
    .usage('[options] -- TOOL [ARG …]')
    .argument('<tool>', 'the tool, as the agent would type it')
    .argument('[args...]', 'its arguments')
    .option('--policy <file>', 'the policy to ask (without it: the running gateway)')
    .option('--agent <name>', 'the agent that asks', '')
    .option('--uid <number>', "the agent's user", parseUid, 1000)
    .option('--cwd <directory>', 'where it would start (default: the workspace)')
    .option('--json', 'print one JSON object')
    .action(explain);
}

function parseUid(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

async function explain(tool: string, args: string[], options: ExplainOptions): Promise<void> {
  if (options.policy === undefined) {
    return fail('the running gateway cannot be asked yet; give the policy with --policy FILE');
  }
  const result = await readPolicy(options.policy);
  if ('problems' in result) {
    for (const problem of result.problems) process.stderr.write(`${problem}\n`);
    return fail(`${options.policy} is no policy; see what \`clawrden policy check ${options.policy}\` says`);
  }
  const explanation = await explainCommand(result.policy, [tool, ...args], options);
  if (options.json === true) process.stdout.write(`${JSON.stringify(explanation)}\n`);
  else print(explanation);
}

function fail(text: string): void {
  process.stderr.write(`clawrden: policy explain: ${text}\n`);
  process.exitCode = 1;
}

interface Explanation extends Decision {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly line?: number;
  readonly approvalExpiresMs: number;
  readonly policyHash: string;
}

async function explainCommand(
  policy: Policy,
  argv: readonly [string, ...string[]],
  { agent, uid, cwd = policy.workspace }: ExplainOptions,
): Promise<Explanation> {
  const [{ decide }, { locateCwd }] = await Promise.all([
    import('../policy/decide.ts'),
    import('../policy/normalize-cwd.ts'),
  ]);
  const [tool, ...args] = argv;
  const place = locateCwd(policy, cwd);
  const decision: Decision =
    place === undefined
      ? {
          action: 'deny',
          rule: 'cwd-outside',
          reason: `${cwd} is not inside ${policy.roots.join(' or ')}`,
          code: 'cwd-outside',
        }
      : decide(policy, { agent, tool, args, uid, gid: uid, cwd: place.cwd });
  const line = policy.rules.find(({ name }) => name === decision.rule)?.line;
  return {
    ...decision,
    ...(line === undefined ? {} : { line }),
    argv,
    cwd: place?.cwd ?? cwd,
    approvalExpiresMs: policy.approvalExpiresMs,
    policyHash: policy.hash,
  };
}

const colors = { allow: 'green', ask: 'yellow', deny: 'red' } as const satisfies Record<Action, string>;

function print(explanation: Explanation): void {
  const { action, argv, rule, reason, line, tool, code, cwd, policyHash } = explanation;
  const rows: (readonly [string, string | undefined])[] = [
    ['rule', `${rule}${line === undefined ? '' : ` (line ${line})`}: ${reason}`],
    ['code', code],
    ['runs', tool && describeTool(tool)],
    ['timeout', tool && duration(explanation.timeoutMs ?? tool.timeoutMs)],
    ['question', action === 'ask' ? `refused after ${duration(explanation.approvalExpiresMs)}` : undefined],
    ['cwd', quote(cwd)],
    ['policy', policyHash],
  ];
  process.stdout.write(`${styleText(colors[action], action)}  ${argv.map(quote).join(' ')}\n`);
  for (const [name, text] of rows) {
    if (text !== undefined) process.stdout.write(`  ${name.padEnd(10)}${text}\n`);
  }
}

function describeTool({ strategy, image, network, memoryBytes, cpus, pids, stdin }: ToolDefinition): string {
  if (strategy === 'passthrough') return 'by the agent itself, in its own container (passthrough)';
  if (strategy === 'mirror') return "in the agent's own container, recorded (mirror)";
  const limits = `${Math.round(memoryBytes / 1024 ** 2)} MiB, ${cpus} CPU, ${pids} processes`;
  return `in a fresh ${image} (ghost), network ${network}, ${limits}, stdin ${stdin}`;
}

function duration(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}

/** As JSON where the text alone would not show what it is. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
}

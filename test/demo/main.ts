import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { say } from '../../src/text/say.ts';
import { startLab } from '../lab/lab.ts';
import type { Machines } from '../stack/machines.ts';
import { type Stack, type StackOptions, startStack } from '../stack/start-stack.ts';
import { publicImage, reachOneEngine } from './one-engine.ts';
import { look, type Shown, type StepOptions, typeCommand } from './steps.ts';

const usage = `Usage: scripts/demo [--json] [--keep]

Shows the main job for real: two Docker engines, a gateway, an agent host with a relay, an agent's container. Without
root the engine at DOCKER_HOST, or the machine's own, serves as the one host.

  --json   one JSON object per step
  --keep   leave everything running and say how to use it
  --help   this text
`;

const commands: readonly StepOptions[] = [
  {
    step: 'allowed, in the agent itself',
    argv: ['ls', '-la', '/app'],
    expectCode: 0,
    expect: 'package.json',
  },
  { step: 'allowed, in a fresh container', argv: ['id'], expectCode: 0, expect: 'uid=' },
  { step: 'denied', argv: ['curl', 'https://example.com'], expectCode: 1, expect: 'use npm for packages' },
  {
    step: 'asked, approved',
    argv: ['npm', 'install', 'is-number'],
    expectCode: 0,
    expect: 'added',
    approve: true,
  },
  {
    step: 'allowed, on another host, which sees what was installed',
    argv: ['node', '-p', 'require("is-number")(42)'],
    expectCode: 0,
    expect: 'true',
    elsewhere: true,
  },
];

const shownLines = 8;

try {
  await main();
} catch (error) {
  // Most useful on a machine where the demo cannot run: the message says what to do.
  say('demo', error instanceof Error ? error.message : String(error));
  process.exit(1);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, keep: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return;
  }
  const shown = values.json === true ? showJson : showPage;
  const began = performance.now();
  const progress = (line: string) => process.stderr.write(`demo: ${line}\n`);
  const root = process.getuid?.() === 0;
  const lab = root
    ? await startLab({ hosts: 2, keep: values.keep === true, progress })
    : await reachOneEngine(progress);
  try {
    const stack = await startStack(lab, { name: 'demo', progress, ...(await demoOptions(root)) });
    try {
      process.exitCode = await showAll(stack, shown);
      if (values.json !== true) await showAudit(stack, Math.round(performance.now() - began));
      if (values.keep === true) return showHowToUse(lab, stack);
    } finally {
      if (values.keep !== true) await stack.stop();
    }
  } finally {
    if (values.keep !== true) await lab.stop();
  }
}

async function demoOptions(root: boolean): Promise<Pick<StackOptions, 'policy' | 'agents'>> {
  const policy = await readFile(join(import.meta.dirname, 'policy.yaml'), 'utf8');
  if (root) return { policy, agents: { coder: { followed: {} } } };
  const user = `${process.getuid?.()}:${process.getgid?.()}`;
  return {
    policy: policy.replaceAll(/clawrden-lab\/[\w:]+/g, publicImage),
    agents: {
      coder: { users: [user], container: { image: publicImage, user, command: ['/bin/sleep', 'infinity'] } },
    },
  };
}

async function showAll(stack: Stack, show: (shown: Shown) => void): Promise<number> {
  let problems = 0;
  for await (const shown of play(stack)) {
    show(shown);
    if (shown.problem !== '') problems += 1;
  }
  return problems === 0 ? 0 : 1;
}

async function* play(stack: Stack): AsyncGenerator<Shown> {
  const { coder } = stack.agents;
  if (coder === undefined) throw new Error('the stack has no agent');
  const app = stack.workspaceOf('coder');
  yield look(coder, 'no network', 'ls /sys/class/net', 'lo');
  yield look(coder, 'no Docker socket', 'ls /var/run/docker.sock 2>&1 || true', 'No such file');
  await coder.exec(['/bin/sh', '-c', 'echo "{}" > /app/package.json']);
  const hosts = new Set<string>();
  for (const command of commands) {
    const shown = await typeCommand(stack, coder, command, [...hosts].at(-1));
    if (stack.hosts.includes(shown.step.host)) hosts.add(shown.step.host);
    yield shown;
  }
  yield await ownership(app, coder.name);
  if (hosts.size < Math.min(2, stack.hosts.length)) {
    throw new Error(`everything ran on ${[...hosts].join(', ')}: two hosts were expected`);
  }
}

async function ownership(app: string, container: string): Promise<Shown> {
  const agent = await stat(app);
  const { uid, gid } = await stat(join(app, 'node_modules', 'is-number', 'package.json'));
  const step = { step: 'files are the agent’s', command: 'stat /app/node_modules/is-number/package.json' };
  const facts = { decision: '', rule: '', host: '', container, exitCode: 0, ms: 0 };
  const problem = uid === agent.uid && gid === agent.gid ? '' : 'node_modules is not owned by the agent';
  return { step: { ...step, ...facts }, output: `owner ${uid}:${gid}\n`, problem };
}

function showJson({ step, problem }: Shown): void {
  process.stdout.write(`${JSON.stringify(step)}\n`);
  if (problem !== '') process.stderr.write(`clawrden: demo: ${step.step}: ${problem}\n`);
}

function showPage({ step, output, problem }: Shown): void {
  const { stdout } = process;
  const facts = [
    `exit ${step.exitCode}`,
    step.decision === '' ? '' : `${step.decision} by ${step.rule}`,
    step.host === ''
      ? ''
      : `on ${step.host}${step.container === '' ? '' : ` in ${step.container.replace(/^([0-9a-f]{12})[0-9a-f]{52}$/, '$1')}`}`,
    `${step.ms} ms`,
  ];
  stdout.write(`\n${bold(step.step)}\n  $ ${step.command}\n`);
  const lines = output.trimEnd().split('\n');
  for (const line of lines.slice(0, shownLines)) stdout.write(`    ${line}\n`);
  if (lines.length > shownLines) stdout.write(`    … ${lines.length - shownLines} more lines\n`);
  stdout.write(`  ${grey(facts.filter(Boolean).join(', '))}\n`);
  if (problem !== '') stdout.write(`  ${styleText('red', `not as expected: ${problem}`)}\n`);
}

async function showAudit(stack: Stack, ms: number): Promise<void> {
  process.stdout.write(`\n${bold('what the audit says')}\n`);
  for (const line of await stack.audit()) {
    if (line.type === 'lifecycle') continue;
    const { type, decision, verdict, outcome, rule, by, host, code, argv } = line;
    const said = [
      decision,
      verdict,
      outcome,
      rule,
      by,
      host,
      type === 'outcome' ? `code ${String(code)}` : '',
    ];
    const what = Array.isArray(argv) ? grey(argv.join(' ')) : '';
    const number = String(line.seq).padStart(3);
    process.stdout.write(
      `  ${number} ${type.padEnd(9)} ${said.filter(Boolean).join(' ').padEnd(26)} ${what}\n`,
    );
  }
  process.stdout.write(`\n${bold(`all of it in ${(ms / 1000).toFixed(1)} s`)}\n`);
}

function showHowToUse(lab: Machines, stack: Stack): void {
  stack.relay.release();
  stack.gateway.release();
  const docker = `docker -H unix://${lab.agentHost.socket}`;
  process.stdout.write(`
${bold('It is still running.')}
  a shell in the agent:    ${docker} exec -it ${stack.agents.coder?.name} sh
  the operator's commands: build/programs/src/cli/launcher.cjs --context ${join(stack.dir, 'context.yaml')} pending
  the engines:             scripts/lab status
  stop everything:         kill ${stack.relay.pid} ${stack.gateway.pid}; scripts/lab down
`);
}

function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
}

function grey(text: string): string {
  return styleText('grey', text, { stream: process.stdout });
}

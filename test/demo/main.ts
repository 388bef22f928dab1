import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { say } from '../../src/text/say.ts';
import { startLab } from '../lab/lab.ts';
import { waitUntil } from '../lab/wait.ts';
import type { Machines } from '../stack/machines.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { reachOneEngine } from './one-engine.ts';
import { engineScene, labScene, type Scene } from './scene.ts';
import { look, type Shown, type StepOptions, typeCommand } from './steps.ts';
import { think } from './think.ts';

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
    reached: 'closed',
  },
  {
    step: 'that container has no network device',
    argv: ['node', '-p', 'Object.keys(os.networkInterfaces())'],
    expectCode: 0,
    expect: "[ 'lo' ]",
  },
  {
    step: 'allowed, on another host, which sees what was installed',
    argv: ['node', '-p', 'require("is-number")(42)'],
    expectCode: 0,
    expect: 'true',
    elsewhere: true,
  },
];

/** After the policy has lost the registry. */
const refused: StepOptions = {
  step: 'asked, approved, but the policy no longer names the registry',
  argv: ['npm', 'install', 'is-number'],
  expectCode: 1,
  expect: 'clawrden: egress-denied',
  approve: true,
  reached: 'denied',
};

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
  const { lab, open } = root
    ? await onLab(values.keep === true, progress)
    : await onOneEngine(progress);
  try {
    const scene = await open();
    try {
      const stack = await startStack(lab, { name: 'demo', progress, ...scene.options });
      try {
        process.exitCode = await showAll(stack, scene, shown);
        if (values.json !== true) await showAudit(stack, Math.round(performance.now() - began));
        if (values.keep === true) return showHowToUse(lab, stack);
      } finally {
        if (values.keep !== true) await stack.stop();
      }
    } finally {
      if (values.keep === true) scene.release();
      else await scene[Symbol.asyncDispose]();
    }
  } finally {
    if (values.keep !== true) await lab.stop();
  }
}

interface Ground {
  readonly lab: Machines & { readonly stop: () => Promise<void> };
  readonly open: () => Promise<Scene>;
}

async function onLab(keep: boolean, progress: (line: string) => void): Promise<Ground> {
  const lab = await startLab({ hosts: 2, keep, progress });
  return { lab, open: () => labScene(lab) };
}

async function onOneEngine(progress: (line: string) => void): Promise<Ground> {
  const lab = await reachOneEngine(progress);
  return { lab, open: () => engineScene(lab) };
}

async function showAll(stack: Stack, scene: Scene, show: (shown: Shown) => void): Promise<number> {
  let problems = 0;
  for await (const shown of play(stack, scene)) {
    show(shown);
    if (shown.problem !== '') problems += 1;
  }
  return problems === 0 ? 0 : 1;
}

async function* play(stack: Stack, { modelKey, narrowed }: Scene): AsyncGenerator<Shown> {
  const { coder } = stack.agents;
  if (coder === undefined) throw new Error('the stack has no agent');
  const app = stack.workspaceOf('coder');
  yield look(coder, 'no network', 'ls /sys/class/net', 'lo');
  yield look(coder, 'no Docker socket', 'ls /var/run/docker.sock 2>&1 || true', 'No such file');
  if (modelKey !== undefined) yield* think(stack, coder, modelKey);
  // Without its patience npm would ask three times, for a minute, what is refused.
  await coder.exec(['/bin/sh', '-c', 'echo "{}" > package.json; echo fetch-retries=0 > .npmrc']);
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
  await changePolicy(stack, narrowed);
  await coder.exec(['/bin/sh', '-c', 'rm -rf node_modules package-lock.json; echo "{}" > package.json']);
  yield await typeCommand(stack, coder, refused);
}

async function changePolicy(stack: Stack, policy: string): Promise<void> {
  const hash = async () =>
    (JSON.parse((await stack.cli(['policy', 'show', '--json'])).stdout) as { hash: string }).hash;
  const before = await hash();
  await writeFile(join(stack.dir, 'warden', 'policy.yaml'), policy);
  await waitUntil('the policy to count', 30_000, async () => (await hash()) !== before);
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
    const { type, decision, verdict, outcome, rule, by, host, to, code, argv } = line;
    const said = [
      decision,
      verdict,
      outcome,
      rule,
      by,
      host,
      to,
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

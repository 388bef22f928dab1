import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentContainer } from '../lab/agent-container.ts';
import { waitUntil } from '../lab/wait.ts';
import type { Stack } from '../stack/start-stack.ts';
import { look, type Shown } from './steps.ts';

const model = 'http://127.0.0.1:3128/model/chat';
const ask = (question: string) => `wget -q -O - --post-data "${question}" ${model}`;
const shell = (script: string) => ['/bin/sh', '-c', script];

/** The agent and its model: a way out that leads there and nowhere else, with a key that the agent does not have. */
export async function* think(stack: Stack, agent: AgentContainer, key: string): AsyncGenerator<Shown> {
  await untilItThinks(agent);
  yield await look(agent, 'asks its model, by a way out of its own', ask('What are you?'), 'For hands');
  yield await searchKey(agent, key);
  yield await cutOff(stack, agent);
  await untilItThinks(agent);
}

/** The way out opens a moment after its agent is there, or may go on. */
async function untilItThinks(agent: AgentContainer): Promise<void> {
  await waitUntil('the agent to reach its model', 30_000, async () => {
    const { code } = await agent.exec(shell(ask('Are you there?')), { timeout: 10_000 });
    return code === 0;
  });
}

async function searchKey(agent: AgentContainer, key: string): Promise<Shown> {
  const script = 'env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null; true';
  const shown = await look(agent, "its model's key is not in its container", script, 'PATH=');
  const problem = shown.output.includes(key) ? 'the key is there' : shown.problem;
  return { ...shown, output: `not in these ${shown.output.length} characters\n`, problem };
}

/** Paused in the middle of an answer. */
async function cutOff(stack: Stack, agent: AgentContainer): Promise<Shown> {
  const began = performance.now();
  const asking = agent.spawn(shell(ask('Go on for ever.')));
  const said: Buffer[] = [];
  asking.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  const ended = once(asking, 'close') as Promise<[number | null]>;
  await waitUntil('the model to answer', 30_000, async () => said.length > 0);
  const { code, stderr } = await stack.cli(['pause', 'coder']);
  const [exitCode] = await Promise.race([ended, sleep(10_000, [null])]);
  const ms = Math.round(performance.now() - began);
  asking.kill();
  const step = {
    ...{ step: 'paused in the middle of an answer, it has no model', command: ask('Go on for ever.') },
    ...{ decision: '', rule: '', host: '', container: agent.name, exitCode, ms },
  };
  // It is recorded after its client has seen its end.
  await waitUntil('the connection to be stopped', 20_000, async () =>
    (await stack.audit()).some(({ type, outcome }) => type === 'connection' && outcome === 'stopped'),
  );
  await stack.cli(['resume', 'coder']);
  const problem = code === 0 ? '' : `it was not paused: ${stderr}`;
  return { step, output: `${Buffer.concat(said)}[clawrden pause coder]\n`, problem };
}

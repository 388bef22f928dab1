import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { run } from '../../lab/command.ts';
import { startLab } from '../../lab/lab.ts';
import { launcher } from '../../stack/launcher.ts';
import { type AgentSpec, type Stack, startStack } from '../../stack/start-stack.ts';

/** A small fleet on real engines, as it is on a working day. */
export interface Stage extends AsyncDisposable {
  readonly stack: Stack;
  /** The folder of each agent's workspace. */
  readonly apps: Readonly<Record<string, string>>;
  /** Runs the command line as this person. */
  readonly as: (person: Person, ...args: readonly string[]) => Promise<string>;
  /** Types it in the agent's container; resolves when it has ended, however it ends. */
  readonly type: (agent: string, line: string, reason?: string) => Promise<void>;
  /** The id of the question whose command line begins so, once it waits; its plan has been shown to the person. */
  readonly question: (person: Person, line: string) => Promise<string>;
}

export type Person = 'alice' | 'bob';

/** Those whose relay is there have their workspace in a volume of every engine. */
export const present = ['coder', 'reviewer', 'night-ops'] as const;
const teams = { coder: 'shop', reviewer: 'shop', 'night-ops': 'platform', translator: 'docs' } as const;

export async function startStage(progress: (line: string) => void): Promise<Stage> {
  const lab = await startLab({ hosts: 2, progress });
  const policy = await readFile(join(import.meta.dirname, 'policy.yaml'), 'utf8');
  const apps: Record<string, string> = {};
  const agents: Record<string, AgentSpec> = {};
  for (const [name, team] of Object.entries(teams)) {
    const volume = `${name}-app`;
    apps[name] = await lab.workspaceVolume(volume);
    agents[name] = {
      ...{ container: { workspace: volume }, elsewhere: !present.some((each) => each === name) },
      config: { labels: { team }, workspace: { volume } },
    };
  }
  const stack = await startStack(lab, {
    ...{ name: 'shop', policy, agents, progress },
    host: { slots: 4, warm: 1 },
    hosts: { 'build-1': { labels: { zone: 'eu-1' } }, 'build-2': { labels: { zone: 'eu-2', disk: 'fast' } } },
  });
  await letIn(stack);
  const as: Stage['as'] = (person, ...args) =>
    run([process.execPath, launcher, '--context', contextOf(stack, person), ...args]);
  return {
    ...{ stack, as, apps },
    type: async (agent, line, reason) => {
      const env = reason === undefined ? {} : { CLAWRDEN_REASON: reason };
      await stack.agents[agent]?.exec(line.split(' '), { env, timeout: 1_800_000 });
    },
    question: async (person, line) => {
      for (const deadline = performance.now() + 120_000; performance.now() < deadline; await sleep(200)) {
        const waiting = JSON.parse(await as(person, 'pending', '--json')) as Listed[];
        const found = waiting.find(({ argv }) => argv.join(' ').startsWith(line));
        if (found !== undefined) return found.id;
      }
      throw new Error(`nobody is asked about ${line}`);
    },
    [Symbol.asyncDispose]: async () => {
      await stack.stop();
      await lab.stop();
    },
  };
}

/** Of a question or an execution, as the command line prints it. */
export interface Listed {
  readonly id: string;
  readonly argv: readonly string[];
}

function contextOf({ dir }: Stack, person: Person): string {
  return join(dir, `${person}.yaml`);
}

/** Bob is there already. */
async function letIn(stack: Stack): Promise<void> {
  const gateway = parse(await readFile(join(stack.dir, 'warden/gateway.yaml'), 'utf8'));
  const added = await stack.cli(['users', 'add', 'alice', '--role', 'admin', '--json']);
  const { code } = JSON.parse(added.stdout) as { code: string };
  const login = ['login', '--gateway', gateway.enroll.listen, '--code', code];
  await run([process.execPath, launcher, '--context', contextOf(stack, 'alice'), ...login]);
}

import { ghostsAt } from '../e2e/life.ts';
import type { AgentContainer } from '../lab/agent-container.ts';
import { nodeImage } from '../lab/images/catalogue.ts';
import type { Lab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { waitUntil } from '../lab/wait.ts';
import { startStack } from '../stack/start-stack.ts';
import { type Case, type Mode, type StrategyName, strategyOf } from './case.ts';
import { attachDriver, buildDriver, type Driver, driverInContainer } from './driver.ts';
import { type Likeness, likenessOf, type Running, startNative } from './native-container.ts';
import { policyFor } from './policy.ts';
import { makePool, type Pool } from './pool.ts';

/** One way to run a command: drivers, the folder on this machine that they have as /app, and their environment. */
export interface Side {
  readonly drivers: Pool<Driver>;
  readonly workspace: string;
  /** Without what the case adds. */
  readonly env: readonly string[];
}

/** Both ways to run a command in one mode. */
export interface Bench extends AsyncDisposable {
  readonly mode: Mode;
  readonly native: Side;
  readonly clawrden: Side;
  /** A native driver that has run nothing yet. */
  readonly freshNative: () => Promise<Driver>;
}

export interface BenchOptions {
  readonly lab: Lab;
  readonly mode: Mode;
  readonly cases: readonly Case[];
  /** Cases that run at once. */
  readonly workers: number;
}

const agentName = 'coder';
const agentHome = 'HOME=/home/agent';
// They reach only what the caller runs itself.
const secrets = ['SECRET=hidden', 'LD_LIBRARY_PATH=/hidden', 'CLAWRDEN_TEST=hidden'];

export async function startBench({ lab, mode, cases, workers }: BenchOptions): Promise<Bench> {
  const strategy = strategyOf(mode);
  const driver = await buildDriver();
  const name = `conformance-${mode}`;
  const stack = await startStack(lab, {
    name,
    policy: policyFor(mode, cases),
    agents: {
      [agentName]: { container: agentContainer(driver), ...(mode === 'replica' && { followed: {} }) },
    },
  });
  try {
    const agent = stack.agents[agentName]!;
    const workspace = await lab.workspace(`${name}-native`);
    const original = strategy === 'ghost' ? await findGhost(lab, agent) : ofAgent(lab, agent);
    const likeness = await likenessOf({ ...original, workspace, driver });
    const callerPath = (await agent.exec(['/usr/bin/printenv', 'PATH'])).stdout.trim();
    const natives = await many(workers, () => startNative(likeness));
    const callers = await many(workers, () => startCaller(agent));
    return {
      mode,
      native: {
        drivers: makePool(natives),
        workspace,
        env: nativeEnvironment(strategy, likeness, callerPath),
      },
      clawrden: {
        drivers: makePool(callers),
        workspace: stack.workspaceOf(agentName),
        env: [`PATH=${callerPath}`, agentHome, ...secrets],
      },
      freshNative: () => startNative(likeness),
      [Symbol.asyncDispose]: async () => {
        await Promise.all([...natives, ...callers].map((one) => one[Symbol.asyncDispose]()));
        await stack.stop();
      },
    };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

function agentContainer(driver: string) {
  const extra = ['--volume', `${driver}:${driverInContainer}:ro`];
  return { image: nodeImage, command: ['/bin/sleep', 'infinity'], extra };
}

function ofAgent(lab: Lab, { name }: AgentContainer): Running {
  return { host: lab.agentHost, container: name };
}

/** A ghost while it runs, as a model. */
async function findGhost(lab: Lab, agent: AgentContainer): Promise<Running> {
  const sleeping = agent.exec(['sleep', '5']);
  const found: Running[] = [];
  await waitUntil('a ghost', 10_000, async () => {
    found.push(...(await Promise.all(lab.hosts.map(ghostsOn))).flat());
    return found.length > 0;
  });
  void sleeping.catch(() => {}); // it ends by itself
  return found[0]!;
}

async function ghostsOn(host: LabHost): Promise<Running[]> {
  return (await ghostsAt(host, agentName)).map((container) => ({ host, container }));
}

function nativeEnvironment(strategy: StrategyName, { env }: Likeness, callerPath: string): string[] {
  if (strategy === 'ghost') return [...env.filter((entry) => !entry.startsWith('HOME=')), 'HOME=/home/ghost'];
  const own = [`PATH=${callerPath.replace('/clawrden/bin:', '')}`, agentHome];
  return strategy === 'mirror' ? own : [...own, ...secrets];
}

async function startCaller(agent: AgentContainer): Promise<Driver> {
  return attachDriver(agent.spawn([driverInContainer]), async () => {});
}

function many<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, make));
}

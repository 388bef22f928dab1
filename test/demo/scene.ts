import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../lab/command.ts';
import { findNodeSources } from '../lab/images/node-root.ts';
import type { Lab } from '../lab/lab.ts';
import type { StackOptions } from '../stack/start-stack.ts';
import { destinationOf } from './destination-of.ts';
import { type OneEngine, publicImage } from './one-engine.ts';
import { startModel } from './start-model.ts';

/** What the demo plays on its machines. */
export interface Scene extends AsyncDisposable {
  readonly options: Pick<StackOptions, 'policy' | 'agents' | 'gateway'>;
  /** The policy without npm's registry among its destinations. */
  readonly narrowed: string;
  /** Of the agent's model; absent if the agent has no model here. */
  readonly modelKey?: string;
  /** What belongs to it may outlive this process. */
  readonly release: () => void;
}

const policyFile = join(import.meta.dirname, 'policy.yaml');
/** What stands in the policy file where the registry of the demo's npm is to stand. */
const elsewhere = '"registry.example:443"';

export async function labScene(lab: Lab): Promise<Scene> {
  const narrowed = await readFile(policyFile, 'utf8');
  const { registry } = await findNodeSources();
  const policy = narrowed.replace(elsewhere, await destinationOf(registry));
  const modelKey = randomBytes(16).toString('hex');
  const file = join(lab.dir, 'model-key');
  await writeFile(file, modelKey, { mode: 0o600 });
  const model = await startModel(lab.agentHost, modelKey);
  const gateway = {
    secrets: { 'model-key': { file } },
    routes: {
      model: { to: `${model.url}v1/`, private: true, headers: { 'x-api-key': '{model-key}' } },
    },
  };
  const agents = { coder: { followed: {}, config: { network: 'thinking' } } };
  return {
    options: { policy, agents, gateway },
    ...{ narrowed, modelKey },
    release: model.release,
    [Symbol.asyncDispose]: model[Symbol.asyncDispose],
  };
}

/** The gateway does not always reach what runs on that engine's networks, so the agent has no model there. */
export async function engineScene({ agentHost }: OneEngine): Promise<Scene> {
  const text = await readFile(policyFile, 'utf8');
  const narrowed = text.replaceAll(/clawrden-lab\/[\w:]+/g, publicImage);
  const npm = ['docker', '-H', `unix://${agentHost.socket}`, 'run', '--rm', publicImage, 'npm'];
  const registry = (await run([...npm, 'config', 'get', 'registry'])).trim();
  const user = `${process.getuid?.()}:${process.getgid?.()}`;
  const container = { image: publicImage, user, command: ['/bin/sleep', 'infinity'] };
  return {
    options: {
      policy: narrowed.replace(elsewhere, await destinationOf(registry)),
      agents: { coder: { users: [user], container } },
    },
    narrowed,
    release: () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import { loadRelayConfig, type RelayConfig } from '../../src/config/relay-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { createFaults, outliveFaults } from '../../src/faults.ts';
import { lockFolder } from '../../src/lock.ts';
import { createLog } from '../../src/log.ts';
import { nativeFile } from '../../src/native-file.ts';
import { say } from '../../src/text/say.ts';
import { createHalt } from './control/halt.ts';
import { type Link, openRenewingLink } from './control/renewing-link.ts';
import { synchronize } from './control/synchronize.ts';
import { openAgentEngine } from './execution/agent-engine.ts';
import type { Mirror } from './execution/mirror.ts';
import { AgentListener } from './listening/agent-listener.ts';
import { countedLog } from './listening/counted-log.ts';
import { prepareJail } from './listening/jail.ts';
import { createParseTurns } from './listening/request/parse-turns.ts';
import { loadPeerCredentials } from './listening/socket/peer-credentials.ts';

/** How long running commands may continue after the first TERM; a second TERM ends the relay at once. */
const drainMs = 30_000;
const cancelMs = 5000;
/**
 * The relay waits for its first links, so that an agent that starts now finds its tools. It does not wait for a
 * gateway that is away.
 */
const firstStateMs = 5000;

await main();

async function main(): Promise<void> {
  const file = readArguments();
  if (file === undefined) return;
  try {
    await serve(loadRelayConfig(file), createLog('relay'));
  } catch (error) {
    say('relay', error instanceof Error ? error.message : String(error));
    // Agents that are served already must not wait for agents that can never be served.
    process.exit(1);
  }
}

function readArguments(): string | undefined {
  try {
    return parseArgs({ options: { config: { type: 'string', default: 'relay.yaml' } } }).values.config;
  } catch (error) {
    say('relay', `${(error as Error).message}; start it with --config relay.yaml`);
    process.exitCode = 2;
    return undefined;
  }
}

/** Builds everything in reading order, and takes it down in reverse after a TERM or INT. */
async function serve(config: RelayConfig, log: Logger): Promise<void> {
  const credentials = loadPeerCredentials();
  await credentials.selfTest();
  using _ = lockFolders(config);
  const jails = await prepareJails(config);
  const link = await connect(config, log);
  const engine = openAgentEngine(config.docker);
  const parts = { link, engine, log };
  const turn = createParseTurns();
  const agents = config.agents.map((agent) => {
    const mirrors = new Set<Mirror>();
    const { name, container } = agent;
    return {
      listener: new AgentListener({
        ...parts,
        agent,
        mirrors,
        limits: config.limits,
        turn,
        warn: countedLog(log),
        peerOf: credentials.of,
      }),
      synchronized: {
        ...{ name, container, jail: jails(name) },
        halt: createHalt({ agent: name, container, mirrors, engine, log }),
      },
    };
  });
  const listeners = agents.map(({ listener }) => listener);
  for (const listener of listeners) await listener.listen();
  const stopping = new AbortController();
  const first = Promise.withResolvers<void>();
  const synchronized = synchronize(
    { ...parts, agents: agents.map((agent) => agent.synchronized), onApplied: first.resolve },
    stopping.signal,
  );
  const asked = untilAsked();
  await Promise.race([first.promise, asked, sleep(firstStateMs, undefined, { ref: false })]);
  outliveFaults(createFaults(log));
  log.info({ agents: config.agents.map(({ name }) => name), gateway: config.gateway }, 'ready');

  await asked;
  log.info('draining');
  await drain(listeners);
  stopping.abort();
  await synchronized;
  link.close();
  log.info('stopped');
}

/** Before it writes, removes or binds anything: another relay may work with this state or this identity. */
function lockFolders({ state, identity }: RelayConfig): Disposable {
  mkdirSync(state, { recursive: true });
  // If there is no identity, connecting says how to get one. Both may be one folder.
  const folders = [state, ...(existsSync(identity) ? [identity] : [])].map((folder) => realpathSync(folder));
  using held = new DisposableStack();
  for (const folder of new Set(folders)) held.use(lockFolder(folder, 'relay'));
  return held.move();
}

/** Resolves with the folder of each agent's jail. */
async function prepareJails({ state, agents }: RelayConfig): Promise<(agent: string) => string> {
  const jailOf = (agent: string) => join(state, 'jails', agent);
  const files = { shim: nativeFile('clawrden-shim'), init: nativeFile('clawrden-init') };
  for (const { name } of agents) await prepareJail(jailOf(name), files);
  return jailOf;
}

async function connect({ gateway, identity }: RelayConfig, log: Logger): Promise<Link> {
  try {
    return await openRenewingLink({ address: gateway, identityDir: identity, log });
  } catch (error) {
    const text = `the identity in ${identity} cannot be used: ${(error as Error).message}`;
    throw new Error(`${text}; enrol this host with: clawrden relay enroll`, { cause: error });
  }
}

async function drain(listeners: readonly AgentListener[]): Promise<void> {
  void untilAsked().then(() => process.exit(1));
  const idle = Promise.all(listeners.map((listener) => listener.drain()));
  const late = await Promise.race([idle, sleep(drainMs, 'late', { ref: false })]);
  if (late !== 'late') return;
  const reason = new ClawrdenError('canceled', 'the relay is shutting down');
  for (const listener of listeners) listener.cancelAll(reason);
  await Promise.race([idle, sleep(cancelMs, undefined, { ref: false })]);
}

function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}

import { existsSync, mkdirSync, realpathSync } from 'node:fs';
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
import { openTraces } from '../../src/traces/open-traces.ts';
import { joinSmallPieces } from '../../src/wire/small-pieces.ts';
import { type AgentSet, type AgentSetParts, openAgentSet } from './agents/agent-set.ts';
import { createServedAgent, type ServeParts } from './agents/serve-agent.ts';
import { createToldFile } from './agents/told-file.ts';
import { createCallTurns } from './channel/call-turns.ts';
import { keepEach } from './control/keep-each.ts';
import { keepHalted } from './control/keep-halted.ts';
import { createRefusalNote } from './control/refusal-note.ts';
import { type Link, openRenewingLink } from './control/renewing-link.ts';
import { synchronize } from './control/synchronize.ts';
import { openAgentEngine } from './execution/agent-engine.ts';
import { clientLog } from './listening/client-log.ts';
import { createParseTurns } from './listening/request/parse-turns.ts';
import { loadPeerCredentials } from './listening/socket/peer-credentials.ts';
import { refuseDescriptors } from './listening/socket/refuse-descriptors.ts';
import { createDoors } from './way-out/doors.ts';
import { keepWayOut, type WayOutWish } from './way-out/keep-way-out.ts';
import { openContainedCarriers } from './workspace/contained-carriers.ts';
import type { KeepParts } from './workspace/keep-home.ts';
import { createHomes } from './workspace/keep-homes.ts';
import { relayKey } from './workspace/relay-key.ts';

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
    // Nothing is open but what a peer, or a name server that does not answer, would hold the process for.
    process.exit();
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
  using descriptors = refuseDescriptors((line) => log.warn(line));
  using _ = lockFolders(config);
  using _pieces = joinSmallPieces(log);
  const link = await connect(config, log);
  const engine = openAgentEngine(
    config.docker,
    config.agents.map(({ container }) => container),
  );
  const homes = createHomes({ link, engine, log, ...openCarriers(config) });
  const doors = createDoors();
  const waysOut = keepEach<WayOutWish>(
    (agent, wish, tell, signal) => keepWayOut(agent, wish, { link, engine, doors, log }, tell, signal),
    'the agent has no way out now',
  );
  const spans = openTraces(config.traces, 'clawrden-relay', log);
  const parts = {
    link,
    engine,
    log,
    peerOf: credentials.of,
    guardSocket: descriptors.guard,
    offerWayOut: doors.offer,
    spans,
  };
  const agents = await openAgents(config, parts, { homes, waysOut });
  const stopping = new AbortController();
  const first = Promise.withResolvers<void>();
  const noteRefusal = createRefusalNote(config.state, log);
  const synchronized = synchronize(
    { link, engine, log, agents, noteRefusal, onApplied: first.resolve },
    stopping.signal,
  );
  const kept = keepHalted({ agents, engine }, stopping.signal);
  const asked = untilAsked();
  await Promise.race([first.promise, asked, sleep(firstStateMs, undefined, { ref: false })]);
  // What its gateway says counts; without one, what it said last.
  agents.haltAsBefore();
  outliveFaults(createFaults(log));
  log.info({ agents: agents.all().map(({ name }) => name), gateway: config.gateway }, 'ready');

  await asked;
  log.info('draining');
  await waysOut.close();
  await drain(agents);
  // What ran has brought its changes home by now.
  await homes.close();
  stopping.abort();
  await Promise.all([synchronized, kept, spans?.close()]);
  link.close();
  log.info('stopped');
}

/** What an earlier run left is removed even if no agent's home needs a container any more. */
function openCarriers({ docker, identity }: RelayConfig): Pick<KeepParts, 'binary' | 'containers'> {
  const binary = nativeFile('clawrden-carrier');
  const containers = openContainedCarriers({ engine: docker, relayKey: relayKey(identity), binary });
  // An engine that is away is asked again before the first container starts.
  containers.sweep().catch(() => {});
  return { binary, containers };
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

function openAgents(
  config: RelayConfig,
  parts: Pick<ServeParts, 'link' | 'engine' | 'log' | 'peerOf' | 'guardSocket' | 'offerWayOut' | 'spans'>,
  kept: Pick<AgentSetParts, 'homes' | 'waysOut'>,
): Promise<AgentSet> {
  const { log } = parts;
  const files = { shim: nativeFile('clawrden-shim'), init: nativeFile('clawrden-init') };
  const shared = {
    ...parts,
    files,
    limits: config.limits,
    turn: createParseTurns(),
    callTurns: createCallTurns(),
  };
  return openAgentSet({
    config,
    serve: (places) => createServedAgent(places, { ...shared, ...clientLog(log) }),
    file: createToldFile(config.state, log),
    ...kept,
    log,
  });
}

async function connect({ gateway, identity, trust }: RelayConfig, log: Logger): Promise<Link> {
  try {
    return await openRenewingLink({ address: gateway, identityDir: identity, trust, log });
  } catch (error) {
    const text = `the identity in ${identity} cannot be used: ${(error as Error).message}`;
    throw new Error(`${text}; enrol this host with: clawrden relay enroll`, { cause: error });
  }
}

async function drain(agents: AgentSet): Promise<void> {
  void untilAsked().then(() => process.exit(1));
  const idle = agents.drain();
  const late = await Promise.race([idle, sleep(drainMs, 'late', { ref: false })]);
  if (late !== 'late') return;
  const reason = new ClawrdenError('canceled', 'the relay is shutting down');
  agents.cancelAll(reason);
  await Promise.race([idle, sleep(cancelMs, undefined, { ref: false })]);
}

function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import type { GatewayConfig } from '../src/config/gateway-config.ts';
import { loadGatewayConfig } from '../src/config/load-gateway-config.ts';
import { ClawrdenError } from '../src/errors.ts';
import { createLog } from '../src/log.ts';
import { nativeFile } from '../src/native-file.ts';
import { packageVersion } from '../src/package-version.ts';
import { loadPolicy } from '../src/policy/parse-policy.ts';
import { createApprovals } from './approvals/approvals.ts';
import { openAuditLog } from './audit/audit-log.ts';
import { createAuthentication } from './auth/create-authentication.ts';
import { createEnrolment } from './auth/create-enrolment.ts';
import { type GatewayIdentity, loadGatewayIdentity } from './auth/gateway-identity.ts';
import { openEngine } from './docker/open-engine.ts';
import { createExecute } from './execute.ts';
import { createGhostExecutor } from './executors/ghost.ts';
import { createMirror } from './executors/mirror.ts';
import { passthrough } from './executors/passthrough.ts';
import { startEnrolmentServer } from './grpc/start-enrolment-server.ts';
import { startGrpcServer } from './grpc/start-grpc-server.ts';
import { createLedger } from './ledger.ts';
import { createRecorder } from './recorder.ts';
import { createRelays } from './relays.ts';
import { DockerHost } from './scheduler/docker-host.ts';
import { resolveImage } from './scheduler/images.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { probe, watchHealth } from './scheduler/watch-health.ts';
import { openDatabase } from './store/database.ts';
import { openHistory } from './store/history.ts';
import { spendToken } from './store/spent-tokens.ts';
import { createWarden } from './warden.ts';

/** How long running work may go on after the first TERM; a second one ends it at once. */
const drainMs = 30_000;
const closeMs = 2_000;

await main();

async function main(): Promise<void> {
  try {
    const { values } = parseArgs({ options: { config: { type: 'string', default: 'gateway.yaml' } } });
    const config = loadGatewayConfig(values.config);
    await serve(config, await loadGatewayIdentity(config.state), createLog('gateway'));
  } catch (error) {
    process.stderr.write(`clawrden: gateway: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** Builds everything in reading order, and takes it down in reverse after a TERM or INT. */
async function serve(config: GatewayConfig, identity: GatewayIdentity, log: Logger): Promise<void> {
  const version = packageVersion();
  const policy = loadPolicy(config.policy);
  const agents = new Map(config.agents.map((agent) => [agent.name, agent]));
  const audit = await openAuditLog(config.audit);
  const database = await openDatabase(join(config.state, 'clawrden.db'));
  const history = openHistory(database);
  const stopped = await history.endUnfinished('the gateway ended before the command did');
  await audit.append({
    type: 'lifecycle',
    event: 'start',
    text: `version ${version}, policy ${policy.hash}`,
  });

  const init = nativeFile('clawrden-init');
  const hosts = config.hosts.map(
    (host) => new DockerHost(host, openEngine(host, identity.gatewayId, init, log)),
  );
  const scheduler = new Scheduler(hosts, config.limits);
  const ledger = createLedger(history, config.limits);
  const approvals = createApprovals(config.limits.pendingPerAgent);
  const recorder = createRecorder(audit, policy.hash);
  const relays = createRelays((relay) => ({
    lockdown: false,
    agents: config.agents
      .filter((agent) => agent.relay === relay)
      .map(({ name }) => ({ name, tools: [...policy.tools.keys()], paused: false, killed: false })),
  }));

  const removeStrays = async (host: DockerHost) => {
    const live = ledger.running().map(({ container }) => container);
    const removed = await host.engine.removeStrays(new Set(live));
    log.info({ host: host.name, removed }, 'host is up');
  };
  const execute = createExecute({
    policy,
    agents,
    ledger,
    recorder,
    approvals,
    resolveImage: (reference) => resolveImage(hosts, reference),
    executors: {
      ghost: createGhostExecutor({
        scheduler,
        startTimeoutMs: config.limits.startTimeoutMs,
        labelsOf: (agent) => agents.get(agent)?.hosts ?? {},
        recordStart: recorder.started,
        onHostLost: (host) => void probe(host, scheduler, removeStrays),
      }),
      mirror: createMirror(recorder.started),
      passthrough,
    },
  });
  const warden = createWarden({
    version,
    policy,
    agents,
    ledger,
    history,
    approvals,
    scheduler,
    relays,
    audit,
  });

  const authentication = createAuthentication({ identity, isRevoked: () => false });
  const enrolment = createEnrolment({
    identity,
    agentsOf: (relay) => config.agents.filter((agent) => agent.relay === relay).map(({ name }) => name),
    spend: (jti, expiresAt) => spendToken(database, jti, expiresAt),
  });
  const health = new AbortController();
  const healthEnded = watchHealth(scheduler, removeStrays, health.signal);
  const { server, authority } = identity;
  const grpc = await startGrpcServer({
    listen: config.grpc.listen,
    server,
    authority: authority.certificate,
    authentication,
    enrolment,
    execute,
    warden,
    relays,
    log,
  });
  const enrolServer = await startEnrolmentServer({
    listen: config.enroll.listen,
    server,
    enrolment,
    grpcPort: grpc.port,
    log,
  });
  log.info({ grpc: grpc.port, enroll: enrolServer.port, policy: policy.hash, stopped }, 'ready');

  await untilAsked();
  log.info({ running: ledger.running().length }, 'draining');
  await enrolServer.close(closeMs);
  await drain(ledger);
  await grpc.close(closeMs);
  health.abort();
  await healthEnded;
  await audit.append({ type: 'lifecycle', event: 'stop', text: '' });
  await audit.close();
  await history.close();
  log.info('stopped');
}

async function drain(ledger: ReturnType<typeof createLedger>): Promise<void> {
  const stop = () => ledger.stopAll(new ClawrdenError('canceled', 'the gateway is shutting down'));
  const timer = setTimeout(stop, drainMs);
  void untilAsked().then(stop);
  await ledger.drain();
  clearTimeout(timer);
}

function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}

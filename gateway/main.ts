import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import type { GatewayConfig } from '../src/config/gateway-config.ts';
import { loadGatewayConfig } from '../src/config/load-gateway-config.ts';
import { createCrumbBudgets } from '../src/crumb-budgets.ts';
import { outliveFaults } from '../src/faults.ts';
import { createLog } from '../src/log.ts';
import { createNextPiece } from '../src/next-piece.ts';
import { packageVersion } from '../src/package-version.ts';
import { noteComplete } from '../src/pki/complete-note.ts';
import { stateFiles } from '../src/pki/state-files.ts';
import type { Plan } from '../src/plan.ts';
import { decide } from '../src/policy/rules/decide.ts';
import { say } from '../src/text/say.ts';
import { joinSmallPieces } from '../src/wire/small-pieces.ts';
import { createApprovals } from './approvals/approvals.ts';
import { openGrants } from './approvals/grants.ts';
import type { AuditRecord } from './audit/audit-record.ts';
import { type GatewayIdentity, loadGatewayIdentity } from './auth/gateway-identity.ts';
import { pageUrl } from './browsers/page-url.ts';
import { addressKey } from './connections/address-key.ts';
import { openAgentStates } from './control/agent-states.ts';
import { openAssignments } from './control/assignments.ts';
import { createHoldToAgents } from './control/bound-agents.ts';
import { createBreakers } from './control/breakers.ts';
import { desiredState } from './control/desired-state.ts';
import { openDrains } from './control/drains.ts';
import { createIncidents, oncePerSecond } from './control/incidents.ts';
import { createKillSwitch } from './control/kill-switch.ts';
import { createLearnings } from './control/learnings.ts';
import { createLostHosts } from './control/lost-hosts.ts';
import { createRelays } from './control/relays.ts';
import { relaysHalted } from './control/relays-halted.ts';
import { sessionsEnded } from './control/sessions-ended.ts';
import { createWardenApi } from './control/warden-api.ts';
import { createDetached } from './detached/run-detached.ts';
import { openNativeFiles } from './docker/init/native-files.ts';
import { createOpenEngine } from './docker/open-engine.ts';
import { openGatewayEgress } from './egress/gateway-egress.ts';
import { createEventFeed } from './events/event-feed.ts';
import { createExecute, createResume, type ExecuteParts } from './execute.ts';
import { createLedger } from './execution/ledger.ts';
import { createRecorder } from './execution/recorder.ts';
import { createRecordingRoom } from './execution/recording-room.ts';
import { createRefusals } from './execution/refusals.ts';
import { openTellTraces } from './execution/tell-traces.ts';
import { createExecutors } from './executors/create-executors.ts';
import { createAnswerHelp } from './help/answer-help.ts';
import { createBudgets } from './judging/budgets.ts';
import { createExplain } from './judging/explain.ts';
import { factsOf } from './judging/judge.ts';
import { createPolicyChecks } from './judging/policy-checks.ts';
import { createRateLimits } from './judging/rate-limits.ts';
import { openRotations } from './keys/open-rotations.ts';
import { followPolicy } from './live-config/follow-policy.ts';
import { openPolicyFile } from './live-config/policy-file.ts';
import { openLiveConfig } from './live-config/reload-config.ts';
import { reloadOnChange } from './live-config/reload-on-change.ts';
import { createCounted } from './metrics/counted.ts';
import { openNotify } from './notify/open-notify.ts';
import { openProvider } from './oidc/open-provider.ts';
import type { Prepared } from './ports/prepared.ts';
import { lackingApprovers } from './principals/lacking-approvers.ts';
import { createPrincipalOperations } from './principals/principal-operations.ts';
import { restoreWaiting } from './restore.ts';
import { openPool } from './scheduler/pool.ts';
import { createGiveSecrets } from './secrets/given-secrets.ts';
import { holdSecrets } from './secrets/hold-secrets.ts';
import { startServers } from './servers.ts';
import { openPeopleAndProvider } from './signed-in/open-people.ts';
import { connectionLimits } from './start/connection-limits.ts';
import { openDoors } from './start/doors.ts';
import { drain, untilAsked } from './start/drain.ts';
import { holdState } from './start/hold-state.ts';
import { markTaken } from './start/mark-taken.ts';
import { openRecords } from './start/open-records.ts';
import { reservePorts } from './start/reserve-ports.ts';
import { databaseFault } from './store/database-fault.ts';
import { faultsBesideDisk } from './store/unwritten.ts';
import { openWorkspaces } from './workspaces/open-workspaces.ts';

await main();

async function main(): Promise<void> {
  try {
    const { values } = parseArgs({ options: { config: { type: 'string', default: 'gateway.yaml' } } });
    // A SIGHUP that comes before the gateway watches its files must not end it: watching begins with a check.
    process.on('SIGHUP', () => {});
    const config = loadGatewayConfig(values.config);
    // Before it writes, removes or binds anything else.
    using _ = holdState(config);
    await serve(config, loadGatewayIdentity(config.state), createLog('gateway')).catch((error) => {
      throw databaseFault(join(config.state, stateFiles.database), error);
    });
    // Everything is on the disk; a peer that keeps its end of a connection open would hold the process for 8 s.
    process.exit();
  } catch (error) {
    say('gateway', error instanceof Error ? error.message : String(error));
    // A failed start may have opened things that would continue without a gateway.
    process.exit(1);
  }
}

/**
 * Builds everything in reading order, and then watches the files that may change; takes it down in reverse after a
 * TERM or INT.
 */
async function serve(config: GatewayConfig, identity: GatewayIdentity, log: Logger): Promise<void> {
  const version = packageVersion();
  // If the policy is not valid, the start ends before anything is written.
  const policyFile = openPolicyFile(config.policy, config.toolFiles);
  const policy = policyFile.current;
  const [doors, notify] = [openDoors(config), await openNotify(config.notify, policy)];
  connectionLimits(config.limits);
  const ports = await reservePorts({
    'grpc.listen': config.grpc.listen,
    'enroll.listen': config.enroll.listen,
    'http.listen': config.http.listen,
    ...(config.http.metricsListen && { 'http.metrics-listen': config.http.metricsListen }),
  });
  const began = `version ${version}, policy ${policy().hash}`;
  const nextPiece = createNextPiece();
  const records = await openRecords(config, identity.signingKey, began, nextPiece);
  const { history, kept } = records;
  using counted = createCounted();
  const audit = counted.watchAudit(records.audit);
  using rotation = await openRotations(config.state, identity, records);
  // If it cannot be written, the audit's health says so.
  const record = (entry: AuditRecord) => void audit.append(entry).catch(() => {});
  const live = openLiveConfig(config);
  const { agents } = live;
  using _ = joinSmallPieces(log, addressKey);
  const [faults, events, incidents] = [faultsBesideDisk(log), createEventFeed(), createIncidents(audit)];
  const ledger = createLedger(history, config.limits, events.execution);
  const [refusals, policyHash] = [createRefusals(audit), () => policy().hash];
  const recorder = counted.watchRecorder(createRecorder(audit, refusals, records.outputs, policyHash));
  const provider = config.oidc && (await openProvider(config.oidc));
  const known = { ...records, first: identity.people, agents };
  const principals = await openPeopleAndProvider({ ...known, config, provider });
  await markTaken(config.state);
  const { approvers, apiTokens: tokens, inForce } = principals;
  const grants = await openGrants(records.database, audit, approvers);
  const assignments = await openAssignments({ ...records, policyFile, agents });
  const approvals = createApprovals({
    ...{ store: records.approvals, grants, approvers, record: audit.append },
    pendingPerAgent: config.limits.pendingPerAgent,
  });
  const secrets = holdSecrets(() => live.egress().secrets);
  const drains = await openDrains(records.database, audit);
  const states = await openAgentStates(records.database);
  const openEngine = createOpenEngine(identity.gatewayId, openNativeFiles(), log);
  const workspaces = openWorkspaces({ agents, hosts: live.hosts, incidents, record, kept, log });
  const pool = openPool({
    config,
    policy,
    openEngine: (host) => workspaces.onHost(host.name, counted.watchEngine(openEngine(host))),
    ...{ record, drained: drains.names(), onLost: workspaces.lost, log },
  });
  const { scheduler, warmer, fleet, sessions } = pool;
  const warn = oncePerSecond((_incident, relay, text) => log.warn({ relay }, text));
  const relays = createRelays({
    stateFor: (relay) => ({
      ...desiredState(relay, agents(), policy(), live.egress().routes, states),
      authority: rotation.authorities.print(),
    }),
    onIncident: (incident, relay, text) => {
      warn(incident, relay, text);
      incidents.tell(incident, `relay:${relay}`, text);
    },
  });
  rotation.authorities.watch(relays.tellAll);
  const learnings = createLearnings({ agents, policy, egress: live.egress, states, audit });
  const egress = openGatewayEgress({
    ...{ config, live, audit, faults, log },
    ...{ policy, states, secret: secrets.value, findLearning: learnings.find },
  });
  const tellRelays = (agent?: string) => {
    for (const each of [egress.agentWays, learnings]) each.hold();
    relays.tell(agent === undefined ? undefined : agents().get(agent)?.relay);
  };
  const killSwitch = createKillSwitch({
    ...{ states, audit, ledger, tellRelays },
    ...{ lost: pool.lateExits.running, uncleanedHosts: fleet.uncleaned },
    ...{ relaysHalted: relaysHalted(agents, relays), sessionsEnded: sessionsEnded(sessions) },
  });
  const breakers = createBreakers({ policy, trip: killSwitch.trip, halted: states.refusal });
  const traces = openTellTraces(config.traces, log);
  const decideAgain = (plan: Plan) => decide(policy(), factsOf(plan, agents()));
  const parts: ExecuteParts = {
    policy,
    applyRates: createRateLimits(),
    budgets: createBudgets(config.limits),
    breakers,
    ...{ agents, ledger, recorder, halted: states.refusal },
    ...{ recordingRoom: createRecordingRoom(), traced: traces.tell },
    authorizing: {
      approvals,
      approvalExpiresMs: () => policy().approvalExpiresMs,
      ...{ grants, approvers },
      decideAgain,
      recordVerdict: recorder.verdict,
    },
    ...{ obtainImage: pool.obtainImage, learnsOf: learnings.of, routes: () => live.egress().routes },
    ...createExecutors({
      ...{ scheduler, warmer, sessions, workspaces, openWayOut: egress.openWayOut },
      startTimeoutMs: config.limits.startTimeoutMs,
      labelsOf: (agent) => agents().get(agent)?.hosts ?? {},
      recordStart: recorder.started,
      giveSecrets: createGiveSecrets(secrets.value, log),
      ...{ reaching: egress.reaching, decideAgain },
      answerHelp: createAnswerHelp({ policy, agents, history }),
      onHostLost: createLostHosts({ ...fleet, incidents, log }),
      // One for each agent on each host.
      paceOf: createCrumbBudgets(10_000),
      onLateExit: pool.lateExits.expect,
      onVanished: killSwitch.relayVanished,
    }),
  };
  const warden = createWardenApi({
    version,
    policyFile,
    explain: createExplain({ ...parts, nextPiece, resolveImage: pool.resolveImage }),
    checkPolicy: createPolicyChecks(config.toolFiles !== undefined),
    agents,
    configProblem: live.problem,
    ...{ ledger, history, approvals, grants, outputs: records.outputs },
    ...{ scheduler, fleet, drains, relays, sessions, audit },
    auditFile: config.audit,
    ...{ states, killSwitch, breakers, counted: [counted, egress] },
    principals: createPrincipalOperations({ ...principals, agents }),
    ...{ ...rotation, assignments, learn: learnings.learn, secrets: secrets.views },
    doorsProblems: () => [
      ...[...doors.warnings(), ...notify.problems()],
      ...[...secrets.problems(policy()), ...egress.problems()],
    ],
    lackingApprovers: () => lackingApprovers(policy(), principals),
    faults,
    workspaces: workspaces.operations({ audit, ledger, forget: pool.forget }),
  });
  const left = {
    ...{ ...records, auditFile: config.audit, hosts: config.hosts.map(({ name }) => name) },
    ...{ onVanished: killSwitch.relayVanished, onLeft: pool.lateExits.expectThere },
  };
  const restored = await restoreWaiting(parts, approvals, left);
  const holdToAgents = createHoldToAgents({ agents, ledger, grants, tokens, assignments, faults });
  holdToAgents(config.agents);
  const [execute, resume] = [createExecute(parts), createResume(ledger)];
  const forDetached = { ledger, history, inForce, faults, log };
  const detached = createDetached({ execute, resume, rows: records.detached, ...forDetached });
  await detached.restore();
  const served = {
    ...{ execute, resume, detached, nextPiece },
    warden,
    events: events.feed({ ...warden, faults }),
    relays,
    offerHome: workspaces.homes.offer,
    offerWayOut: egress.agentWays.offer,
    ...{ principals, provider },
    ...{ ...rotation, doors, faults, log },
  };
  // From here on hosts and people may be waited for.
  outliveFaults(faults);
  const asked = untilAsked();
  const servers = await startServers(config, identity, records, { ...served, ports, agents });
  const watching = new AbortController();
  const changed = () => {
    tellRelays();
    pool.followPolicy();
  };
  followPolicy(policyFile, { audit, changed, log, faults }, watching.signal);
  const apply = (prepared: Prepared, before: GatewayConfig) => {
    holdToAgents(before.agents);
    workspaces.holdToAgents();
    prepared.apply();
    tellRelays();
  };
  doors.follow({ log, faults }, watching.signal);
  const reloading = { file: config.file, prepare: pool.prepare, noteComplete, apply, record, log, faults };
  reloadOnChange(live, reloading, watching.signal);
  workspaces.begin({ ...pool, ledger });
  const page = pageUrl(config.http, servers.ports.http);
  await notify.begin({ ...records, warden, agents, principals, page, faults, log });
  await Promise.race([fleet.looked(), asked]);
  log.info({ ...servers.ports, policy: policy().hash, restored }, 'ready');
  await asked;
  watching.abort();
  log.info({ running: ledger.running().length }, 'draining');
  await drain(ledger, relays);
  await notify.close();
  await detached.close();
  await servers.close();
  await workspaces.close();
  await Promise.all([pool.close(), traces.close()]);
  await refusals.close();
  await principals.apiTokens.close();
  await records.close();
  log.info('stopped');
}

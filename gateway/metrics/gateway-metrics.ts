import { performance } from 'node:perf_hooks';
import type { Metric, Sample } from '../ports/metrics.ts';
import type { AgentView, HostView, RelayView, StatusView, WardenApi } from '../ports/warden-api.ts';

type Looked = Pick<WardenApi, 'status' | 'agents' | 'hosts' | 'relays'>;

/** What the gateway is now, and what its process has used. */
export function gatewayMetrics({ status, agents, hosts, relays }: Looked): readonly Metric[] {
  return [
    ...ofStatus(status()),
    ...ofAgents(agents()),
    ...ofRelays(relays()),
    ...ofHosts(hosts()),
    ...ofProcess(),
  ];
}

function ofStatus(view: StatusView): Metric[] {
  const { version, startedAt, problem, running, queued, pending, warnings, lockdown } = view;
  return [
    gauge('clawrden_info', 'The version, as a label.', [{ labels: { version }, value: 1 }]),
    one('clawrden_start_time_seconds', 'When the gateway started, since 1970.', startedAt / 1000),
    one('clawrden_ready', '1 if the gateway takes new work.', flag(problem === '')),
    one('clawrden_warnings', 'Warnings that `clawrden status` shows.', warnings.length),
    one('clawrden_lockdown', '1 if every agent is stopped.', flag(lockdown)),
    one('clawrden_executions_running', 'Executions whose tool runs.', running),
    one('clawrden_executions_queued', 'Executions that wait for a Docker host.', queued),
    one('clawrden_approvals_pending', 'Questions that wait for a person.', pending),
  ];
}

function ofAgents(agents: readonly AgentView[]): Metric[] {
  const each = (name: string, help: string, valueOf: (agent: AgentView) => number) =>
    gauge(
      `clawrden_agent_${name}`,
      help,
      agents.map((agent) => ({ labels: { agent: agent.name }, value: valueOf(agent) })),
    );
  return [
    each('online', '1 if its relay is connected and has no problem with it.', ({ online }) => flag(online)),
    each('stopped', '1 if a person or a breaker stopped it.', ({ stopped }) => flag(stopped !== undefined)),
    each('executions', 'Executions that have not ended.', ({ running }) => running),
    each('approvals_pending', 'Questions that wait for a person.', ({ pending }) => pending),
    each('grants', 'Plans that run without a question.', ({ grants }) => grants),
  ];
}

function ofRelays(relays: readonly RelayView[]): Metric[] {
  return [
    gauge(
      'clawrden_relay_connected',
      '1 if it is connected.',
      relays.map(({ name, connected }) => ({ labels: { relay: name }, value: flag(connected) })),
    ),
  ];
}

function ofHosts(hosts: readonly HostView[]): Metric[] {
  const each = (name: string, help: string, valueOf: (host: HostView) => number) =>
    gauge(
      `clawrden_host_${name}`,
      help,
      hosts.map((host) => ({ labels: { host: host.name }, value: valueOf(host) })),
    );
  return [
    each('ready', '1 if it gets work.', ({ state }) => flag(state === 'ready')),
    each('draining', '1 if a person took new work from it.', ({ draining }) => flag(draining)),
    each('slots', 'Ghosts that may run at once.', ({ slots }) => slots),
    each('running', 'Ghosts that run.', ({ running }) => running),
    each('queued', 'Executions that wait for it.', ({ queued }) => queued),
    each('warm', 'Ghosts that wait for a command.', ({ warm }) => warm),
    each('workspace_bytes', 'Of the files in replicas there.', ({ workspaceBytes }) => workspaceBytes),
  ];
}

function ofProcess(): Metric[] {
  const { user, system } = process.cpuUsage();
  const { active } = performance.eventLoopUtilization();
  return [
    one('process_cpu_seconds_total', 'Processor time of the gateway.', (user + system) / 1e6, 'counter'),
    one('process_resident_memory_bytes', 'Memory of the gateway.', process.memoryUsage.rss()),
    one(
      'clawrden_loop_busy_seconds_total',
      'Time in which the one thread that serves everybody was busy.',
      active / 1000,
      'counter',
    ),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: 'gauge', help, samples };
}

function one(name: string, help: string, value: number, type: 'gauge' | 'counter' = 'gauge'): Metric {
  return { name, type, help, samples: [{ labels: {}, value }] };
}

function flag(is: boolean): number {
  return is ? 1 : 0;
}

import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { AgentConfig, GatewayConfig, HostConfig } from '../../src/config/gateway-config.ts';
import { parseGatewayConfig } from '../../src/config/load-gateway-config.ts';
import type { Endpoint } from '../../src/egress/endpoint.ts';
import type { Route } from '../../src/egress/route.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import type { Prepared } from '../ports/prepared.ts';
import { byName, changesOf } from './change-text.ts';
import type { Found } from './watch-file.ts';

/** What a running gateway takes from gateway.yaml when the file changes. */
export interface LiveConfig {
  /** By name. May change between two calls: a decision reads it once. */
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly hosts: () => ReadonlyMap<string, HostConfig>;
  /** Of the ways out of tools and agents; each connection reads it once. */
  readonly egress: () => LiveEgress;
  /** Empty, or why the present file is not in force; then the last good one is. */
  readonly problem: () => string;
  /** False if the same may be taken later: something else than its text is why it is refused. */
  readonly take: (found: Found, parts: ReloadParts) => boolean;
}

export interface LiveEgress extends Pick<GatewayConfig, 'secrets'> {
  readonly proxy: Endpoint | undefined;
  readonly routes: ReadonlyMap<string, Route>;
}

export interface ReloadParts {
  /** Opens what it needs anew. Throws if not all of it could count; changes nothing. */
  readonly prepare: (config: GatewayConfig) => Prepared;
  /** Remembers for the next start whether the file says that it is whole. Throws if it cannot. */
  readonly noteComplete: (config: GatewayConfig) => void;
  /** Makes everything else match the file; `agents()` is the new one already. */
  readonly apply: (prepared: Prepared, before: GatewayConfig) => void;
  /** Appends to the audit without waiting. */
  readonly record: (entry: AuditRecord) => void;
  readonly log: Logger;
}

/** What a running gateway can change; it reads everything else only at its start. */
const live = ['hosts', 'warm', 'session', 'agents', 'secrets', 'routes', 'egress', 'complete'] as const;

/**
 * The part of gateway.yaml that follows the file: hosts, warm ghosts, how long sessions are kept, agents, and what may be
 * reached by which way. If the file is wrong, nothing changes, and the audit, the log and the status say so.
 */
export function openLiveConfig(first: GatewayConfig): LiveConfig {
  let current = first;
  let agents = byName(first.agents);
  let hosts = byName(first.hosts);
  let egress = egressOf(first);
  let problem = '';

  function complain({ fault, isLasting }: Refusal, { record, log }: ReloadParts): boolean {
    const text = `gateway.yaml is refused, the last good one stays: ${fault}`;
    // What does not last is tried again and again.
    if (isLasting || fault !== problem) log.error({ file: current.file }, text);
    if (fault !== problem) record({ type: 'incident', incident: 'config-refused', caller: '', text: fault });
    problem = fault;
    return isLasting;
  }

  function follow(next: GatewayConfig, prepared: Prepared, { apply, record, log }: ReloadParts): void {
    const changed = keysOf(next).filter((key) => !isDeepStrictEqual(next[key], current[key]));
    const late = changed.filter((key) => !isLive(key));
    if (late.length > 0) log.warn({ keys: late }, 'these keys of gateway.yaml need a restart of the gateway');
    if (changed.length === late.length) return;
    const before = current;
    const text = changeText(before, next);
    current = { ...before, ...Object.fromEntries(live.map((key) => [key, next[key]])) };
    agents = byName(next.agents);
    hosts = byName(next.hosts);
    egress = egressOf(next);
    log.info({ change: text }, 'gateway.yaml was loaded again');
    record({ type: 'lifecycle', event: 'reload', text });
    apply(prepared, before);
  }

  return {
    agents: () => agents,
    hosts: () => hosts,
    egress: () => egress,
    problem: () => problem,
    take: (found, parts) => {
      const next = read(found, current, parts);
      if ('fault' in next) return complain(next, parts);
      using prepared = next.prepared;
      problem = '';
      follow(next.config, prepared, parts);
      return true;
    },
  };
}

interface Refusal {
  readonly fault: string;
  /** The file says why: it is refused until it is another one. */
  readonly isLasting: boolean;
}

/** Many beginnings of a file are valid: agents behind the cut would lose their tokens, grants and work for good. */
const cut =
  'complete: the file may be half-written, as the last one had "complete: true" at its end; write that, or, if it is left out on purpose, remove gateway-yaml-complete from the state folder and restart the gateway';

function egressOf({ egress: { proxy }, routes, secrets }: GatewayConfig): LiveEgress {
  return { proxy, secrets, routes: byName(routes) };
}

function read(
  found: Found,
  { file, complete }: GatewayConfig,
  parts: Pick<ReloadParts, 'prepare' | 'noteComplete'>,
): { readonly config: GatewayConfig; readonly prepared: Prepared } | Refusal {
  let isLasting = false;
  if ('fault' in found) return { ...found, isLasting };
  try {
    isLasting = true;
    const config = parseGatewayConfig(found.text, file);
    if (complete && !config.complete) throw new Error(cut);
    isLasting = false;
    using prepared = new DisposableStack();
    const opened = prepared.use(parts.prepare(config));
    parts.noteComplete(config);
    prepared.move();
    return { config, prepared: opened };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error), isLasting };
  }
}

function keysOf(config: GatewayConfig): (keyof GatewayConfig)[] {
  return Object.keys(config) as (keyof GatewayConfig)[];
}

function isLive(key: string): boolean {
  return live.some((each) => each === key);
}

function changeText(before: GatewayConfig, after: GatewayConfig): string {
  const parts = [
    changesOf('hosts', before.hosts, after.hosts),
    changesOf('agents', before.agents, after.agents),
    changesOf('routes', before.routes, after.routes),
    changesOf('secrets', sourcesOf(before), sourcesOf(after)),
    isDeepStrictEqual(before.egress, after.egress) ? '' : 'egress changed',
  ].filter((text) => text !== '');
  return parts.length === 0 ? 'hosts and agents are the same' : parts.join('; ');
}

function sourcesOf({ secrets }: GatewayConfig) {
  return [...secrets].map(([name, source]) => ({ name, source }));
}

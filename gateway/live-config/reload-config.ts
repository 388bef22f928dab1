import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { parseGatewayConfig } from '../../src/config/load-gateway-config.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import type { Found } from './watch-file.ts';

export interface ReloadParts {
  /** Makes the pool match the file. */
  readonly apply: (config: GatewayConfig) => void;
  /** Appends to the audit without waiting. */
  readonly record: (entry: AuditRecord) => void;
  readonly log: Logger;
}

/** What a running gateway can change; it reads everything else only at its start. */
const live: readonly (keyof GatewayConfig)[] = ['hosts', 'warm'];

/**
 * Returns a function that applies the present gateway.yaml: hosts and warm ghosts follow it. If the file is wrong,
 * nothing changes, and the audit and the log say so.
 */
export function createReload(
  first: GatewayConfig,
  { apply, record, log }: ReloadParts,
): (found: Found) => void {
  let current = first;
  let complaint = '';

  function complain(text: string): void {
    log.error({ file: current.file }, `gateway.yaml is refused, the last good one stays: ${text}`);
    if (text !== complaint) record({ type: 'incident', incident: 'config-refused', caller: '', text });
    complaint = text;
  }

  return (found) => {
    let next: GatewayConfig;
    try {
      if ('fault' in found) throw new Error(found.fault);
      next = parseGatewayConfig(found.text, current.file);
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error));
      return;
    }
    complaint = '';
    const changed = keysOf(next).filter((key) => !isDeepStrictEqual(next[key], current[key]));
    const late = changed.filter((key) => !live.includes(key));
    if (late.length > 0) log.warn({ keys: late }, 'these keys of gateway.yaml need a restart of the gateway');
    if (changed.length === late.length) return;
    const text = hostsChange(current, next);
    current = { ...current, hosts: next.hosts, warm: next.warm };
    log.info({ change: text }, 'gateway.yaml was loaded again');
    record({ type: 'lifecycle', event: 'reload', text });
    apply(current);
  };
}

function keysOf(config: GatewayConfig): (keyof GatewayConfig)[] {
  return Object.keys(config) as (keyof GatewayConfig)[];
}

function hostsChange(before: GatewayConfig, after: GatewayConfig): string {
  const old = new Map(before.hosts.map((host) => [host.name, host]));
  const now = new Map(after.hosts.map((host) => [host.name, host]));
  const added = [...now.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const changed = [...now].filter(([name, host]) => old.has(name) && !isDeepStrictEqual(host, old.get(name)));
  const names = (what: string, list: readonly string[]) =>
    list.length === 0 ? [] : [`${what} ${list.join(', ')}`];
  const parts = [
    ...names('added', added),
    ...names('removed', removed),
    ...names(
      'changed',
      changed.map(([name]) => name),
    ),
  ];
  return parts.length === 0 ? 'hosts are the same' : `hosts ${parts.join('; ')}`;
}

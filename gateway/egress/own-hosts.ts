import type { GatewayConfig, HostConfig } from '../../src/config/gateway-config.ts';

type Listeners = Pick<GatewayConfig, 'grpc' | 'enroll' | 'http'>;

/** Names and addresses of the gateway's listeners and of the engines: no tool and no agent is let through to them. */
export function ownHosts(
  { grpc, enroll, http }: Listeners,
  hosts: readonly Pick<HostConfig, 'engine'>[],
): string[] {
  const listeners = [
    grpc.listen,
    enroll.listen,
    http.listen,
    ...(http.metricsListen ? [http.metricsListen] : []),
  ];
  const page = http.url === undefined ? [] : [new URL(http.url).hostname];
  return distinct([...listeners.map(({ host }) => host), ...page, ...engineHosts(hosts)]);
}

/** Names and addresses of the engines. */
export function engineHosts(hosts: readonly Pick<HostConfig, 'engine'>[]): string[] {
  return distinct(hosts.map(({ engine }) => new URL(engine).hostname));
}

function distinct(named: readonly string[]): string[] {
  return [...new Set(named.map((host) => host.replace(/^\[|\]$/g, '')).filter((host) => host !== ''))];
}

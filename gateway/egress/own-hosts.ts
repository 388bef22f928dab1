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
  const urls = [...(http.url === undefined ? [] : [http.url]), ...hosts.map(({ engine }) => engine)];
  const named = [...listeners.map(({ host }) => host), ...urls.map((url) => new URL(url).hostname)];
  return [...new Set(named.map((host) => host.replace(/^\[|\]$/g, '')).filter((host) => host !== ''))];
}

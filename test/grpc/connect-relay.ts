import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectOptions,
  connectGateway,
  type GatewayClient,
} from '../../src/gateway-client/connect-gateway.ts';
import type { AgentReport } from '../../src/gen/clawrden/v1/relay.ts';

const againMs = 100;

/**
 * A client that synchronizes like a relay, and reports nothing, or what is given. A relay's other calls are answered only over such a
 * connection.
 */
export async function connectRelay(
  options: ConnectOptions,
  report?: readonly AgentReport[],
): Promise<GatewayClient> {
  const client = await connectGateway(options);
  let stream: ReturnType<GatewayClient['synchronize']> | undefined;
  let closed = false;

  async function synchronize(): Promise<void> {
    while (!closed) {
      await client.waitForReady(1000);
      if (closed) return;
      await streamOf(client, (opened) => {
        stream = opened;
        if (report !== undefined) opened.write({ version: 'test', contract: 0, agents: [...report] });
      });
      await sleep(againMs, undefined, { ref: false });
    }
  }

  void synchronize();
  return {
    ...client,
    close: () => {
      closed = true;
      stream?.cancel();
      client.close();
    },
  };
}

/** Resolves when it has ended. */
function streamOf(
  client: GatewayClient,
  opened: (stream: ReturnType<GatewayClient['synchronize']>) => void,
): Promise<void> {
  const stream = client.synchronize();
  opened(stream);
  stream.on('data', () => {});
  return new Promise((resolve) => stream.on('error', () => {}).on('status', () => resolve()));
}

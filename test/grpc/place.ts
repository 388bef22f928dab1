import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { ExecuteRequest, Refusal } from '../../src/gen/clawrden/v1/execution.ts';
import type { SynchronizeRequest, SynchronizeResponse } from '../../src/gen/clawrden/v1/relay.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import { relay, type TestGateway } from './gateway.ts';

export const coder = { name: 'coder', relay: relay.name } as AgentConfig;

export const state = () => ({
  lockdown: false,
  agents: [{ name: 'coder', tools: [], paused: false, killed: false, users: [] }],
});

const againMs = 50;

export interface Command {
  readonly args?: readonly string[];
  readonly refusal?: Refusal;
  readonly answer?: ExecuteRequest['message'];
}

/** One of the places that use an identity. */
export class Place implements Disposable {
  readonly client: GatewayClient;
  #stream: ClientDuplexStream<SynchronizeRequest, SynchronizeResponse> | undefined;
  readonly ends: string[] = [];
  #told = 0;

  constructor(client: GatewayClient) {
    this.client = client;
  }

  /**
   * Resolves when the gateway has accepted the stream; if this place was displaced a moment ago, over another
   * connection.
   */
  async synchronize(withinMs = 10_000): Promise<void> {
    const before = this.#told;
    const giveUp = performance.now() + withinMs;
    while (this.#told === before) {
      if (performance.now() > giveUp) throw new Error('the gateway took no stream');
      await this.#open();
    }
  }

  /** Resolves when a stream was accepted, or has ended. */
  #open(): Promise<void> {
    const stream = this.client.synchronize();
    this.#stream = stream;
    return new Promise((resolve) => {
      stream.on('error', ({ code, details }: ServiceError) => this.ends.push(`${code} ${details}`));
      stream.on('status', () => setTimeout(resolve, againMs));
      stream.on('data', () => {
        this.#told += 1;
        resolve();
      });
    });
  }

  report(change: { readonly problem?: string; readonly halted?: boolean } = {}): void {
    const agent = { name: 'coder', containerRunning: true, tools: [], problem: '', halted: false, ...change };
    this.#stream?.write({ version: '1', contract: 0, agents: [agent] });
  }

  /** Begins a command, and sends `answer` after the gateway's first message. Resolves with the end of the call. */
  execute({ args = [], refusal, answer }: Command = {}): Promise<string> {
    const stream = this.client.execute();
    const rest = {
      cwd: '/app',
      env: [],
      umask: 18,
      stdio: [],
      ignored: [],
      blocked: [],
      terminal: undefined,
      version: 1,
    };
    const value = {
      executionId: newExecutionId(),
      agent: 'coder',
      command: { tool: 'run', args: [...args], ...rest },
      identity: { uid: 1000, gid: 1000 },
      refusal,
      hostLabels: [],
    };
    stream.write({ message: { $case: 'start', value } });
    if (answer !== undefined) stream.once('data', () => stream.write({ message: answer }));
    stream.on('data', () => {});
    return new Promise((resolve) => {
      stream.on('error', ({ code, details }: ServiceError) => resolve(`${code} ${details}`));
      stream.on('end', () => resolve('ended'));
    });
  }

  leave(): void {
    this.#stream?.cancel();
  }

  [Symbol.dispose](): void {
    this.leave();
    this.client.close();
  }
}

/** Two connections with one and the same certificate. */
export async function twoPlaces(
  gateway: TestGateway,
): Promise<{ real: Place; copy: Place; print: string; identityDir: string }> {
  const identityDir = await gateway.identity(relay);
  const connect = async () => new Place(await connectGateway({ address: gateway.address, identityDir }));
  const print = fingerprintOfPem(await readFile(join(identityDir, 'cert.pem'), 'utf8'));
  return { real: await connect(), copy: await connect(), print, identityDir };
}

/** Whether it was confirmed within 300 ms: a confirmation that is due comes at once, and "never" cannot be waited for. */
export async function confirmed(halted: Promise<void>): Promise<boolean> {
  return await Promise.race([halted.then(() => true), sleep(300, false)]);
}

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { openAuditLog } from '../../gateway/audit/audit-log.ts';
import { createIncidents } from '../../gateway/control/incidents.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { SynchronizeRequest, SynchronizeResponse } from '../../src/gen/clawrden/v1/relay.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import { relay, startTestGateway, type TestGateway } from './gateway.ts';

const coder = { name: 'coder', relay: relay.name } as AgentConfig;
const state = () => ({
  lockdown: false,
  agents: [{ name: 'coder', tools: [], paused: false, killed: false }],
});

/** One of the places that an identity is used from. */
class Place implements Disposable {
  readonly client: GatewayClient;
  #stream: ClientDuplexStream<SynchronizeRequest, SynchronizeResponse> | undefined;
  readonly ends: string[] = [];
  told = 0;

  constructor(client: GatewayClient) {
    this.client = client;
  }

  /** Resolves when the gateway has taken the stream. */
  async synchronize(): Promise<void> {
    const stream = this.client.synchronize();
    this.#stream = stream;
    const before = this.told;
    stream.on('error', ({ code, details }: ServiceError) => this.ends.push(`${code} ${details}`));
    stream.on('data', () => {
      this.told += 1;
    });
    while (this.told === before) await sleep(5);
  }

  report(change: { readonly problem?: string; readonly halted?: boolean } = {}): void {
    const agent = { name: 'coder', containerRunning: true, tools: [], problem: '', halted: false, ...change };
    this.#stream?.write({ version: '1', agents: [agent] });
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
async function twoPlaces(gateway: TestGateway): Promise<{ real: Place; copy: Place; print: string }> {
  const identityDir = await gateway.identity(relay);
  const connect = async () => new Place(await connectGateway({ address: gateway.address, identityDir }));
  const print = fingerprintOfPem(await readFile(join(identityDir, 'cert.pem'), 'utf8'));
  return { real: await connect(), copy: await connect(), print };
}

test('A-89: a second stream of one identity ends the first at once, and both are named', async () => {
  const incidents: string[] = [];
  await using gateway = await startTestGateway({ state, onDisplaced: (_, text) => incidents.push(text) });
  const { real, copy, print } = await twoPlaces(gateway);
  using _real = real;
  using _copy = copy;
  await real.synchronize();
  real.report({ problem: 'of the real one' });
  await expect.poll(() => gateway.relays.report(coder)?.problem).toBe('of the real one');
  expect(incidents).toEqual([]);

  await copy.synchronize();
  await expect.poll(() => real.ends).toHaveLength(1);
  const place = `127.0.0.1:\\d+ \\(certificate ${print}\\)`;
  const named = new RegExp(`${place} was displaced by ${place}`);
  expect(real.ends[0]).toMatch(/^10 /);
  expect(real.ends[0]).toMatch(named);
  expect(incidents).toEqual([expect.stringMatching(named)]);
  // What the first one said counts no more; nor does what it says now.
  expect(gateway.relays.report(coder)).toBeUndefined();
  real.report({ problem: 'too late' });
  copy.report({ problem: 'of the copy' });
  await expect.poll(() => gateway.relays.report(coder)?.problem).toBe('of the copy');
  copy.leave();
  await expect.poll(() => gateway.relays.report(coder)).toBeUndefined();
});

test('A-89 P19: a copy of an identity does not confirm a halt for the relay that it displaced', async () => {
  await using gateway = await startTestGateway({ state });
  const { real, copy } = await twoPlaces(gateway);
  using _real = real;
  using _copy = copy;
  await real.synchronize();
  const within = (halted: Promise<void>) =>
    Promise.race([halted.then(() => 'confirmed'), sleep(300, 'unconfirmed')]);
  // One relay that reports what is so confirms.
  let halted = gateway.relays.halted(coder);
  real.report({ halted: true });
  expect(await within(halted)).toBe('confirmed');

  await copy.synchronize();
  halted = gateway.relays.halted(coder);
  copy.report({ halted: true });
  expect(await within(halted)).toBe('unconfirmed');
  await real.synchronize();
  real.report({ halted: false });
  expect(await within(halted)).toBe('unconfirmed');
  real.report({ halted: true });
  expect(await within(halted)).toBe('confirmed');

  // One that comes only after the order has to confirm it, too.
  halted = gateway.relays.halted(coder);
  await copy.synchronize();
  copy.report({ halted: true });
  expect(await within(halted)).toBe('unconfirmed');
});

test('A-86 A-89: two places that displace each other again and again are a few incidents, and agents that are not theirs none', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'clawrden-incidents-'));
  const file = join(folder.path, 'audit.jsonl');
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const audit = await openAuditLog(file, { key });
  const { tell } = createIncidents(audit);
  await using gateway = await startTestGateway({
    state,
    onDisplaced: (name, text) => tell('relay-displaced', `relay:${name}`, text),
  });
  const { real, copy } = await twoPlaces(gateway);
  using _real = real;
  using _copy = copy;
  const began = performance.now();
  for (let round = 0; round < 30; round += 1) for (const place of [real, copy]) await place.synchronize();
  const seconds = (performance.now() - began) / 1000;
  copy.report({ problem: 'x'.repeat(100_000) });
  await expect.poll(() => gateway.relays.report(coder)?.problem.length).toBe(1024);
  await sleep(1100);
  await audit.close();
  const told = (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes('relay-displaced'));
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThanOrEqual(seconds + 3);
  expect(told.at(-1)).toMatch(/the last of \d+ in a second/);
});

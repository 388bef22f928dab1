import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callersPace } from '../../gateway/grpc/front/pace.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import {
  AgentStatus,
  ListApprovalsRequest,
  ListExecutionsRequest,
  WardenServiceService,
  WatchApprovalsRequest,
} from '../../src/gen/clawrden/v1/warden.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { memoryInUse } from '../fixtures/memory-in-use.ts';
import { recordOf } from './large-record.ts';
import { type ListedWarden, startListedWarden } from './listed-warden.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const patientMs = 60_000;
const pace = {
  ...{ ...callersPace, handshakeMs: patientMs, firstCallMs: patientMs, firstMessageMs: patientMs },
  pongMs: patientMs,
};
const slow = { kind: 'person', name: 'slow' } as const;
const mostAnswers = 32;
const mebibyte = 1024 * 1024;

const { listExecutions, listApprovals, watchApprovals, setAgentState } = WardenServiceService;
const executions = {
  running: false,
  agent: '',
  since: '',
  decision: '',
  tool: '',
  q: '',
  limit: 1000,
  pageToken: '',
};
/** Each answer is a whole page, the first message of a watch too. */
const largeAnswers = {
  history: [listExecutions.path, ListExecutionsRequest.encode(executions).finish()],
  running: [listExecutions.path, ListExecutionsRequest.encode({ ...executions, running: true }).finish()],
  pending: [listApprovals.path, ListApprovalsRequest.encode({ limit: 1000, pageToken: '' }).finish()],
  watch: [watchApprovals.path, WatchApprovalsRequest.encode({}).finish()],
} as const;

/** All lists are longer than a page. */
async function startLargeWarden(): Promise<ListedWarden> {
  const warden = await startListedWarden({ pace, people: { admin: 'admin', slow: 'admin' } });
  const long = 'x'.repeat(4000);
  for (let number = 0; number < 150; number += 1) await warden.ask('coder', ['t', long, `${number}`], long);
  warden.running = Array.from({ length: 150 }, (_, number) => recordOf(number, 'coder', long));
  for (const record of warden.running) warden.history().save(record);
  return warden;
}

/** A client that takes so many bytes of each answer and no more. */
class SlowReader implements Disposable {
  answers = 0;
  readonly #session: ClientHttp2Session;
  readonly #token: string;

  private constructor(session: ClientHttp2Session, token: string) {
    this.#session = session.on('error', () => {});
    this.#token = token;
  }

  static async connect({ gateway }: ListedWarden, window: number): Promise<SlowReader> {
    const identityDir = await gateway.identity(slow);
    const client = await connectGateway({ address: gateway.address, identityDir });
    const { token } = await client.call(RelayServiceService.token, {}, patientMs);
    client.close();
    const { certificate: cert, key } = await readIdentity(identityDir);
    const options = { cert, key, rejectUnauthorized: false, settings: { initialWindowSize: window } };
    return new SlowReader(connect(`https://${gateway.address}`, options), token);
  }

  ask(what: keyof typeof largeAnswers): ClientHttp2Stream {
    const [path, message] = largeAnswers[what];
    const header = Buffer.alloc(5);
    header.writeUInt32BE(message.length, 1);
    const call = this.#session.request({
      ...{ ':method': 'POST', ':path': path, te: 'trailers', 'content-type': 'application/grpc' },
      authorization: `Bearer ${this.#token}`,
    });
    call.on('error', () => {}).once('response', () => (this.answers += 1));
    call.end(Buffer.concat([header, message]));
    return call;
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }
}

const flood = fc.record({
  window: fc.constantFrom(1, 1000, 60_000),
  what: fc.constantFrom(...(Object.keys(largeAnswers) as (keyof typeof largeAnswers)[])),
});

test('P20, P22: of the largest answers that a client does not read, a bounded part is in memory, and no other call waits for them', async () => {
  await using warden = await startLargeWarden();
  await fc.assert(
    fc.asyncProperty(flood, async ({ window, what }) => {
      using reader = await SlowReader.connect(warden, window);
      const before = memoryInUse().external;
      for (let count = 0; count < 10 * mostAnswers; count += 1) reader.ask(what);
      await expect.poll(() => reader.answers).toBe(mostAnswers);
      // What a person says about an agent waits behind no answer, neither another's nor the own.
      const identityDir = await warden.gateway.identity(slow);
      const same = await connectGateway({ address: warden.gateway.address, identityDir });
      const state = { agent: 'coder', status: AgentStatus.KILLED, reason: 'frightened' };
      await expect(same.call(setAgentState, state, patientMs)).rejects.toMatchObject({ code: 5 });
      same.close();
      const { approvals } = await warden.client.call(listApprovals, { limit: 0, pageToken: '' }, patientMs);
      expect(approvals.length).toBeGreaterThan(10);
      await sleep(100);
      expect(reader.answers).toBe(mostAnswers);
      expect(memoryInUse().external - before).toBeLessThan(2 * mostAnswers * mebibyte);
    }),
    { numRuns: isLong ? 12 : 3, ...(isLong ? {} : { seed: 20_261_122 }) },
  );
}, 300_000);

test.runIf(isLong)(
  'P20: an answer that is not taken in time is given up, and the next one is made',
  async () => {
    await using warden = await startLargeWarden();
    using reader = await SlowReader.connect(warden, 1);
    const calls = Array.from({ length: 2 * mostAnswers }, () => reader.ask('pending'));
    await expect.poll(() => reader.answers).toBe(mostAnswers);
    await expect.poll(() => reader.answers, { timeout: 200_000 }).toBe(2 * mostAnswers);
    expect(calls.filter(({ closed }) => closed)).toHaveLength(mostAnswers);
  },
  300_000,
);

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openAuditLog } from '../../gateway/audit/audit-log.ts';
import { createIncidents } from '../../gateway/control/incidents.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { startTestGateway } from './gateway.ts';
import { coder, confirmed, Place, state, twoPlaces } from './place.ts';

test('A-89: a second stream of one identity ends the first at once, and both are named', async () => {
  const incidents: string[] = [];
  await using gateway = await startTestGateway({ state, onIncident: (_, __, text) => incidents.push(text) });
  const { real, copy, print } = await twoPlaces(gateway);
  using _real = real;
  using _copy = copy;
  await real.synchronize();
  real.report({ problem: 'of the real one' });
  await expect.poll(() => gateway.relays.report(coder)?.problem).toBe('of the real one');
  expect(incidents).toEqual([]);

  await copy.synchronize();
  await expect.poll(() => real.ends).toHaveLength(1);
  const place = `127.0.0.1:\\d+ \\(certificate ${print}, serial [0-9A-F]+\\)`;
  const named = new RegExp(`${place} was displaced by ${place}`);
  expect(real.ends[0]).toMatch(/^10 /);
  expect(real.ends[0]).toMatch(named);
  expect(incidents).toEqual([expect.stringMatching(named)]);
  // Earlier reports of the first relay count no more, and neither do new ones.
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
  // One relay with a true report is enough.
  let halted = gateway.relays.halted(coder);
  real.report({ halted: true });
  expect(await confirmed(halted)).toBe(true);

  await copy.synchronize();
  halted = gateway.relays.halted(coder);
  copy.report({ halted: true });
  expect(await confirmed(halted)).toBe(false);
  // Nobody knows what the displaced place runs until it must have ended; its return proves nothing.
  await real.synchronize();
  real.report({ halted: true });
  expect(await confirmed(halted)).toBe(false);

  // A place that comes only after the order must confirm it, too.
  await copy.synchronize();
  copy.report({ halted: false });
  expect(await confirmed(halted)).toBe(false);
});

test('A-86 A-89: two places that displace each other again and again are a few incidents, and agents that are not theirs none', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'clawrden-incidents-'));
  const file = join(folder.path, 'audit.jsonl');
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const audit = await openAuditLog(file, { key });
  const { tell } = createIncidents(audit);
  await using gateway = await startTestGateway({
    state,
    onIncident: (incident, name, text) => tell(incident, `relay:${name}`, text),
  });
  const { identityDir } = await twoPlaces(gateway);
  using places = new DisposableStack();
  const connect = () => connectGateway({ address: gateway.address, identityDir });
  const all = Array.from({ length: 20 }, async () => places.use(new Place(await connect())));
  const [last, ...others] = await Promise.all(all);
  const began = performance.now();
  await Promise.all(others.map((place) => place.synchronize()));
  await last!.synchronize();
  const seconds = (performance.now() - began) / 1000;
  last!.report({ problem: 'x'.repeat(100_000) });
  await expect.poll(() => gateway.relays.report(coder)?.problem.length).toBe(1024);
  await sleep(1100);
  await audit.close();
  const told = (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes('relay-displaced'));
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThanOrEqual(seconds + 3);
  expect(told.at(-1)).toMatch(/the last of \d+ in a second/);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openServerFiles } from '../../gateway/live-config/server-files.ts';
import { checkServerFiles } from '../../src/cli/set-up/doctor/check-certificate.ts';
import { makeCompanyPki } from '../fixtures/company-pki.ts';

const dayMs = 86_400_000;
const company = await makeCompanyPki();

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-server-files-'));
});
afterAll(() => rm(dir, { recursive: true }));
afterEach(() => void vi.useRealTimers());

async function filesOf(ageDays: number, leftDays: number) {
  const now = Date.now();
  const period = { notBefore: new Date(now - ageDays * dayMs), notAfter: new Date(now + leftDays * dayMs) };
  const pair = await company.server(['localhost'], period);
  const files = { cert: join(dir, 'door.pem'), key: join(dir, 'door.key') };
  await writeFile(files.cert, pair.certificate + company.between.certificate);
  await writeFile(files.key, pair.key);
  return files;
}

test.each([
  ['in the middle of two years', 365, 365, 0],
  ['20 days before the end of two years', 710, 20, 0],
  ['13 days before the end of two years', 717, 13, 1],
  ['in the first day of a week', 1, 6, 0],
  ['in the last two days of a week', 5, 2, 1],
])(
  'A-127: %s the status and doctor tell of the end of a certificate, or not',
  async (_when, age, left, count) => {
    const files = await filesOf(age, left);
    const told = openServerFiles(files, 'grpc.tls').warnings();
    expect(told).toHaveLength(count);
    for (const text of told)
      expect(text).toMatch(/^grpc\.tls: its certificate expires on 20.*; put a new one/);
    const level = count === 1 ? 'warning' : 'ok';
    expect(await checkServerFiles('grpc.tls', files)).toMatchObject([{ check: 'grpc.tls', level }]);
  },
);

test('A-127: a certificate whose end came while it was shown is told as expired, and doctor calls it bad', async () => {
  const files = await filesOf(10, 1);
  const pair = openServerFiles(files, 'http.tls');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * dayMs });
  expect(pair.warnings()).toEqual([expect.stringMatching(/^http\.tls: its certificate expired on/)]);
  expect(await checkServerFiles('http.tls', files)).toMatchObject([
    { level: 'error', text: expect.stringContaining(`${files.cert}: it expired on`) },
  ]);
  expect(() => openServerFiles(files, 'http.tls')).toThrow(`http.tls: ${files.cert}: it expired on`);
});

test('A-127: doctor names the file that cannot be used', async () => {
  const files = await filesOf(1, 365);
  await writeFile(files.key, (await company.server(['localhost'])).key);
  expect(await checkServerFiles('grpc.tls', files)).toMatchObject([
    { level: 'error', text: `${files.key}: it is not the key of ${files.cert}` },
  ]);
  expect(await checkServerFiles('grpc.tls', undefined)).toEqual([]);
});

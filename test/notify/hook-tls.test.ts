import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validity } from '../../src/pki/authority.ts';
import { type CompanyPki, makeCompanyPki } from '../fixtures/company-pki.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const repository = join(import.meta.dirname, '../..');
const secret = 'a secret of the test';
const day = 86_400_000;

/** Prints what became of a delivery to each of the addresses: a process takes its authorities when it starts. */
const script = `
import { postHook } from './src/hooks/post-hook.ts';
const delivery = { id: 'ping/1', event: 'ping', body: '{"version":1}' };
const post = (url) => postHook({ url, secret: '${secret}', private: true }, delivery, AbortSignal.timeout(60_000));
console.log(JSON.stringify(await Promise.all(process.argv.slice(1).map(post))));
`;

async function post(urls: readonly string[], authorities: string | undefined): Promise<unknown> {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  const env = authorities === undefined ? rest : { ...rest, NODE_EXTRA_CA_CERTS: authorities };
  const argv = ['--input-type=module', '-e', script, ...urls];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: repository, env });
  return JSON.parse(stdout);
}

const receivers: Receiver[] = [];
let folder: string;
let ours: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-hook-tls-'));
  ours = join(folder, 'root.pem');
  const [company, other] = await Promise.all([makeCompanyPki(), makeCompanyPki()]);
  await writeFile(ours, company.root.certificate);
  const past = { notBefore: new Date(Date.now() - 2 * day), notAfter: new Date(Date.now() - day) };
  const start = async ({ server, between }: CompanyPki, names: readonly string[], period = validity(1)) => {
    const { certificate, key } = await server(names, period);
    receivers.push(await startReceiver(secret, 0, { cert: certificate + between.certificate, key }));
  };
  const both = ['localhost', '127.0.0.1'];
  await start(company, both);
  await start(company, ['hooks.example.com', '127.0.0.2']);
  await start(other, both);
  await start(company, both, past);
});
afterAll(async () => {
  for (const receiver of receivers) await receiver[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const refusal = (why: string) => ({ why: expect.stringContaining(why) });

test('an authority of NODE_EXTRA_CA_CERTS counts; another name, a time that is over and an unknown authority, also one of the same name, are refused before anything is sent, and say so', async () => {
  const urls = receivers.map(({ url }) => url);
  const byName = urls.map((url) => url.replace('127.0.0.1', 'localhost'));
  const found = [
    { taken: true },
    refusal("does not match certificate's altnames"),
    // Its root has the same name.
    refusal('certificate signature failure'),
    refusal('certificate has expired'),
  ];
  expect(await post([...urls, ...byName], ours)).toEqual([...found, ...found]);
  expect(receivers.map(({ received }) => received.map(({ isSigned }) => isSigned))).toEqual([
    [true, true],
    [],
    [],
    [],
  ]);
  expect(await post(urls.slice(0, 1), undefined)).toEqual([
    refusal('unable to get local issuer certificate'),
  ]);
  expect(receivers[0]?.received.length).toBe(2);
});

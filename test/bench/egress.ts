import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { type Internet, startInternet } from '../e2e/internet.ts';
import { run } from '../lab/command.ts';
import type { Lab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import type { BenchStack } from './bench-stack.ts';
import { besideCrowd } from './crowd.ts';
import { type Figure, type Quantiles, quantiles, single } from './figure.ts';
import { clientArgv, clientOf, endInput, putClient, type RunClient, untilSaid } from './in-ghost.ts';
import type { Counts } from './latency.ts';
import { echoedByRawEngine, intoRawEngine } from './raw-engine.ts';
import { rss } from './throughput.ts';

const mebibyte = 1024 * 1024;
type Way = 'named' | 'bridge';
type Taken = Record<Way, number[]>;

/** Networks by name beside a Docker bridge, which leads to the same servers by the same wire. */
export async function egressFigures(bench: BenchStack, { quick }: Counts): Promise<Figure[]> {
  await using internet = await startInternet();
  await using _ = await startRegistry(bench, internet, quick ? 40 : 200);
  const client = clientOf(bench.agent, internet.address);
  return [
    await installed(bench, quick),
    ...(await downloaded(bench, client, quick)),
    ...(await firstBytes(bench, client, quick)),
    await fetched(bench, internet.publicAddress, quick),
    await started(bench, quick),
    await idle(bench, internet.address),
    ...(await besideCrowd(bench, internet.address, quick)),
  ];
}

/** In turns, so that other work of the machine affects both; the first round is not counted. */
async function inTurns(rounds: number, measure: (way: Way) => Promise<readonly number[]>): Promise<Taken> {
  const taken: Taken = { named: [], bridge: [] };
  for (let round = 0; round <= rounds; round++)
    for (const way of ['bridge', 'named'] as const) {
      const samples = await measure(way);
      if (round > 0) taken[way].push(...samples);
    }
  return taken;
}

/** Each ghost is fresh, so nothing is in npm's cache. */
async function installed(bench: BenchStack, quick: boolean): Promise<Figure> {
  const app = bench.stack.workspaceOf('coder');
  const taken = await inTurns(quick ? 2 : 4, async (way) => {
    for (const name of ['node_modules', 'package-lock.json'])
      await rm(join(app, way, name), { recursive: true, force: true });
    return await bench.timeInAgent({ count: 1, argv: ['npm', 'install', '--prefix', way] });
  });
  const ratio = quantiles(taken.named).p50 / quantiles(taken.bridge).p50;
  return {
    figure: `npm install of ${quick ? 40 : 200} packages, through the gateway`,
    ...{ unit: 'ms', ...quantiles(taken.named), yardstick: overBridge(taken), ratio },
    ...{ target: '≤ 1.2 ×', met: ratio <= 1.2 },
  };
}

/** Beside the engine's stream, by which everything goes to a ghost: nothing of ours can be faster. */
async function downloaded(
  { lab }: BenchStack,
  client: RunClient,
  quick: boolean,
): Promise<readonly Figure[]> {
  const size = (quick ? 128 : 1024) * mebibyte;
  const rates = await inTurns(quick ? 2 : 4, async (way) =>
    (await client(way, 'download', 19, size)).map((ms) => size / 1e3 / ms),
  );
  const raw: number[] = [];
  for (let round = 0; round <= (quick ? 2 : 4); round++) raw.push(await intoRawEngine(firstHost(lab), size));
  const yardstick = overBridge(rates);
  const ofDownload = (figure: string, quantilesOf: Quantiles) => ({
    figure: `one download of ${size / mebibyte} MiB, ${figure}`,
    ...{ unit: 'MB/s', ...quantilesOf, yardstick, ratio: quantilesOf.p50 / yardstick.p50 },
  });
  const ours = ofDownload('through the gateway', quantiles(rates.named));
  return [
    { ...ours, target: '≥ 0.6 ×', met: ours.ratio >= 0.6 },
    ofDownload("as a bare container's stdin", quantiles(raw.slice(1))),
  ];
}

/** The engine's stream is crossed four times: CONNECT and its answer, the byte and its echo. */
async function firstBytes({ lab }: BenchStack, client: RunClient, quick: boolean): Promise<Figure[]> {
  const raw: number[] = [];
  const taken = await inTurns(quick ? 1 : 4, async (way) => {
    if (way === 'bridge') raw.push(...(await echoedByRawEngine(firstHost(lab), quick ? 30 : 100)));
    return await client(way, 'first', 7, quick ? 30 : 100);
  });
  const { p50 } = quantiles(taken.named);
  const yardstick = overBridge(taken);
  const ofFirst = (figure: string, quantilesOf: Quantiles) => ({
    figure: `first byte of a connection, ${figure}`,
    ...{ unit: 'ms', ...quantilesOf, yardstick, ratio: quantilesOf.p50 / yardstick.p50 },
  });
  const target = { target: 'p50 ≤ bridge + 3 ms', met: p50 <= yardstick.p50 + 3 };
  return [
    { ...ofFirst('through the gateway', quantiles(taken.named)), ...target },
    ofFirst('as two echoes by a bare container', quantiles(raw)),
  ];
}

function firstHost({ hosts: [first] }: Lab): LabHost {
  if (first === undefined) throw new Error('the lab has no host');
  return first;
}

function overBridge(taken: Taken): { name: string; p50: number } {
  return { name: 'a Docker bridge', p50: quantiles(taken.bridge).p50 };
}

/** As an agent types it, beside the same page by curl on this machine. */
async function fetched(bench: BenchStack, address: string, quick: boolean): Promise<Figure> {
  const page = `http://${address}:8088/`;
  const taken = { fetch: [] as number[], curl: [] as number[] };
  for (let round = 0; round <= (quick ? 1 : 4); round++) {
    const ours = await bench.timeInAgent({ count: 10, argv: ['web_fetch', page] });
    const theirs = await bench.timeHere({ count: 10, argv: ['curl', '-sS', page] });
    if (round === 0) continue;
    taken.fetch.push(...ours);
    taken.curl.push(...theirs);
  }
  const yardstick = { name: 'curl on the machine itself', p50: quantiles(taken.curl).p50 };
  const { p50, p95, p99 } = quantiles(taken.fetch);
  return { figure: 'web_fetch of 1 MiB', unit: 'ms', p50, p95, p99, yardstick, ratio: p50 / yardstick.p50 };
}

async function started(bench: BenchStack, quick: boolean): Promise<Figure> {
  const taken = { named: [] as number[], none: [] as number[] };
  await bench.timeAtOnce(8, ['test', 'named']);
  for (let round = 0; round < (quick ? 1 : 4); round++)
    for (const word of ['none', 'named'] as const) {
      await bench.untilWarm(4);
      taken[word].push(...(await bench.timeInAgent({ count: 10, intervalMs: 1000, argv: ['test', word] })));
    }
  const yardstick = { name: 'without a network', p50: quantiles(taken.none).p50 };
  return {
    figure: 'fresh warm ghost with a network by name, one a second',
    ...{ unit: 'ms', ...quantiles(taken.named), yardstick },
    ratio: quantiles(taken.named).p50 / yardstick.p50,
  };
}

const [commands, ofEach] = [8, 63];

/** Of the gateway, which has a window for each of them. */
async function idle({ agent, stack }: BenchStack, address: string): Promise<Figure> {
  const before = await rss(stack.gateway.pid);
  const argv = clientArgv('named', 'idle', address, 7, ofEach);
  const all = Array.from({ length: commands }, () => agent.spawn(argv));
  await Promise.all(all.map((child) => untilSaid(child, 'open')));
  const grown = (await rss(stack.gateway.pid)) - before;
  await Promise.all(all.map(endInput));
  const most = grown / 1e6;
  return {
    figure: `${commands * ofEach} idle connections of ${commands} commands: memory of the gateway`,
    ...{ unit: 'MB', ...single(most), target: '≤ 30 MB', met: most <= 30 },
  };
}

/** And what its clients need, in the agent's workspace. */
async function startRegistry(
  { stack }: BenchStack,
  internet: Internet,
  packages: number,
): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-bench-'));
  const authority = await makeAuthority('bench');
  const { certificate, key } = await issueServerCertificate(authority, [internet.address]);
  await writeFile(join(folder, 'cert'), certificate);
  await writeFile(join(folder, 'key'), key);
  const app = stack.workspaceOf('coder');
  await putClient(stack, 'coder');
  const dependencies = Object.fromEntries(Array.from({ length: packages }, (_, i) => [`p${i}`, '1.0.0']));
  for (const way of ['named', 'bridge']) {
    await mkdir(join(app, way));
    await writeFile(join(app, way, 'package.json'), JSON.stringify({ dependencies }));
    const settings = [
      // npm by a proxy holds the certificate of a server that has no name against `localhost`.
      ...[`registry=https://${internet.address}/`, 'strict-ssl=false', 'fetch-retries=0'],
      ...['audit=false', 'fund=false', ''],
    ];
    await writeFile(join(app, way, '.npmrc'), settings.join('\n'));
  }
  await run(['chown', '-R', '1000:1000', app]);
  const [program = '', ...args] = internet.inside([
    ...[process.execPath, join(import.meta.dirname, 'egress-main.ts'), folder, internet.address],
  ]);
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message', { signal: AbortSignal.timeout(30_000) });
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

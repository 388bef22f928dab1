import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { z } from 'zod';
import { hardening } from '../../../container/hardened.ts';
import { DockerDemux } from '../../../init-client/docker-demux.ts';
import { nativeFile } from '../../../native-file.ts';
import { callEngine, type EngineAddress, type EngineCall } from './engine-request.ts';

/** An address, not a name, and a port. */
export interface Target {
  readonly address: string;
  readonly port: number;
}

export interface ProbedPlace {
  /** A Docker network, and an image that is there. */
  readonly network: string;
  readonly image: string;
  /** As Node calls it. */
  readonly processor: string;
}

export interface Reached {
  readonly targets: readonly Target[];
  /** Whether one container of the network reaches the other. */
  readonly other: boolean;
}

/** Everything that a probe leaves if this program is killed has it, and goes with the next probe. */
export const probeLabel = 'clawrden.probe';
const mebibyte = 1024 * 1024;
const tryMs = 2000;
/** The one that is tried outlives the one that tries. */
const otherMs = 20_000;
const otherPort = 3128;
const callMs = 15_000;

/**
 * What takes a connection from a container of the network: from one that is made as a ghost is, but for the network
 * and the program. Two of them are started, and removed again. Rejects with what the engine says.
 */
export async function probeNetwork(
  host: EngineAddress,
  place: ProbedPlace,
  targets: readonly Target[],
): Promise<Reached> {
  const program = await archiveOf(place.processor);
  const started: string[] = [];
  const start = async (words: readonly string[]) => {
    const id = await create(host, place, words);
    started.push(id);
    await call(host, { method: 'PUT', path: `/containers/${id}/archive?path=/`, body: program });
    await call(host, { method: 'POST', path: `/containers/${id}/start` });
    return id;
  };
  try {
    await removeLeft(host);
    const other = await addressOf(host, await start([String(otherMs)]), place.network);
    const all = other === '' ? targets : [...targets, { address: other, port: otherPort }];
    const words = all.flatMap(({ address, port }) => [address, String(port)]);
    const lines = await linesOf(host, await start([String(tryMs), ...words]));
    const took = ({ address, port }: Target) => lines.has(`${address} ${port}`);
    return { targets: targets.filter(took), other: took({ address: other, port: otherPort }) };
  } finally {
    await Promise.all(started.map((id) => remove(host, id)));
  }
}

const created = z.object({ Id: z.string().regex(/^[0-9a-f]{12,64}$/) });

async function create(
  host: EngineAddress,
  { network, image }: ProbedPlace,
  words: readonly string[],
): Promise<string> {
  const body = {
    ...{ Image: image, User: '65534:65534', WorkingDir: '/', Labels: { [probeLabel]: 'doctor' } },
    ...{ Entrypoint: [`/${programFile}`], Cmd: ['--try', ...words], Healthcheck: { Test: ['NONE'] } },
    HostConfig: {
      ...hardening,
      // The program is put there before the start, and what it says is read after its end.
      ...{ ReadonlyRootfs: false, AutoRemove: false, LogConfig: { Type: 'json-file', Config: {} } },
      ...{ NetworkMode: network, PidsLimit: 4, Memory: 32 * mebibyte, MemorySwap: 32 * mebibyte },
    },
  };
  const answer = await call(host, { method: 'POST', path: '/containers/create', body });
  return created.parse(JSON.parse(answer.toString())).Id;
}

const networks = z.object({
  NetworkSettings: z.object({ Networks: z.record(z.string(), z.object({ IPAddress: z.string() })) }),
});

/** Empty if it has none. */
async function addressOf(host: EngineAddress, id: string, network: string): Promise<string> {
  const answer = JSON.parse((await call(host, { path: `/containers/${id}/json` })).toString()) as unknown;
  return networks.parse(answer).NetworkSettings.Networks[network]?.IPAddress ?? '';
}

const ended = z.object({ StatusCode: z.int() });

async function linesOf(host: EngineAddress, id: string): Promise<ReadonlySet<string>> {
  const end = await call(host, { method: 'POST', path: `/containers/${id}/wait` });
  const { StatusCode } = ended.parse(JSON.parse(end.toString()));
  if (StatusCode !== 0) throw new Error(`the probe ended with status ${StatusCode}`);
  const log = await call(host, { path: `/containers/${id}/logs?stdout=1` });
  const text = new DockerDemux().push(log).map(({ bytes }) => bytes.toString('latin1'));
  return new Set(text.join('').split('\n'));
}

/** By the clock of the engine. Another doctor may be at work, so what is new stays. */
async function removeLeft(host: EngineAddress): Promise<void> {
  const filters = JSON.stringify({ label: [probeLabel], until: ['60s'] });
  await call(host, { method: 'POST', path: `/containers/prune?filters=${encodeURIComponent(filters)}` });
}

async function remove(host: EngineAddress, id: string): Promise<void> {
  const gone = { method: 'DELETE', path: `/containers/${id}?force=1&v=1`, withinMs: callMs } as const;
  await callEngine(host, gone).catch(() => {});
}

const refusal = z.object({ message: z.string() });

async function call(host: EngineAddress, asked: EngineCall): Promise<Buffer> {
  const { status, bytes } = await callEngine(host, { withinMs: callMs, ...asked });
  if (status < 400) return bytes;
  const said = refusal.safeParse(JSON.parse(bytes.toString() || 'null'));
  throw new Error(said.success ? said.data.message : `the engine answers with status ${status}`);
}

const programFile = '.clawrden-probe';

async function archiveOf(processor: string): Promise<Buffer> {
  const archive = pack();
  archive.entry(
    { name: programFile, mode: 0o555 },
    await readFile(nativeFile('clawrden-connect', processor)),
  );
  archive.finalize();
  return await buffer(archive);
}

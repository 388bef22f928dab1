import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBenchProgram } from './bench-program.ts';
import { type Figure, single } from './figure.ts';
import type { HttpGatewayTold } from './http-gateway-told.ts';

const readers = 200;
const changesPerSecond = 100;
const mostShare = 15;

/** What it takes of a core to tell everybody everything; the time of those who read does not count. */
export async function eventReadersFigure(seconds: number): Promise<Figure> {
  const program = await startBenchProgram<HttpGatewayTold>('http-gateway.ts', changesPerSecond);
  const agent = new Agent({ keepAlive: false, maxSockets: readers });
  const open = await Promise.all(Array.from({ length: readers }, () => read(program.told, agent)));
  await sleep(1000);
  const [heardBefore, before] = [open.map(({ heard }) => heard()), await cpuSeconds(program.pid)];
  const began = performance.now();
  await sleep(seconds * 1000);
  const elapsed = (performance.now() - began) / 1000;
  const used = (await cpuSeconds(program.pid)) - before;
  // What was told within this time is with its readers soon.
  await sleep(500);
  const heard = open.map(({ heard: count }, at) => count() - (heardBefore[at] ?? 0));
  for (const { end } of open) end();
  await program.end();
  const share = (100 * used) / elapsed;
  const hasAll = Math.min(...heard) >= 0.95 * changesPerSecond * elapsed;
  const figure = `${readers} readers of events, ${changesPerSecond} changes a second each (${Math.min(...heard)} to ${Math.max(...heard)} heard): processor time of the gateway`;
  const target = `< ${mostShare} % of a core`;
  return { figure, unit: '%', ...single(share), target, met: hasAll && share < mostShare };
}

interface Reader {
  readonly heard: () => number;
  readonly end: () => void;
}

const begin = 'event: execution\n';

async function read({ url, token }: HttpGatewayTold, agent: Agent): Promise<Reader> {
  const request = get(`${url}/api/v1/events`, { agent, headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`events: status ${response.statusCode}`);
  let [count, rest] = [0, ''];
  response.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split(begin);
    count += parts.length - 1;
    rest = parts.at(-1)?.slice(-begin.length) ?? '';
  });
  response.on('error', () => {});
  return { heard: () => count, end: () => request.destroy() };
}

/** Of all its threads; the kernel counts in hundredths. */
async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

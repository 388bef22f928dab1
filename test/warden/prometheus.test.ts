import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { packageRoot } from '../../src/package-root.ts';
import { metricLines } from '../http/metric-lines.ts';
import { freePorts } from '../stack/free-port.ts';
import { newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const alertsFile = join(packageRoot(), 'examples/prometheus/alerts.yaml');
const alerts = (parse(readFileSync(alertsFile, 'utf8')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
interface Alert {
  readonly alert: string;
  readonly expr: string;
}

const hasPrometheus = spawnSync('promtool', ['--version']).status === 0;
const agents = Array.from({ length: 1000 }, (_, at) => `agent-${at}`);
/** Tools are the agents' own words. */
const hostile = ['evil"} 1\n# TYPE x counter', 'a{b="c"}', '\u202e', 'x'.repeat(200)];

test('each alert has a row that says what to do, and no row an alert that is not there', () => {
  const page = readFileSync(join(packageRoot(), 'docs/operations.md'), 'utf8');
  expect([...page.matchAll(/^\| `(Clawrden[A-Za-z]+)` \|/gm)].map(([, name]) => name)).toEqual(
    alerts.map(({ alert }) => alert),
  );
});

// Debian's prometheus; scripts/bootstrap tests brings it.
describe.skipIf(!hasPrometheus)('Prometheus and a busy gateway of 1,000 agents', () => {
  let gateway: RealGateway;
  let folder: string;
  let [door, monitors, own] = [0, 0, 0];
  beforeAll(async () => {
    [door = 0, monitors = 0, own = 0] = await freePorts(3);
    folder = await mkdtemp(join(tmpdir(), 'clawrden-prometheus-'));
    const http = { listen: `127.0.0.1:${door}`, 'metrics-listen': `127.0.0.1:${monitors}` };
    gateway = await startRealGateway({ keys: { http }, moreAgents: agents });
    const relay = await gateway.relay();
    const tools = [...hostile, ...Array.from({ length: 20 }, () => 'run')] as 'run'[];
    await Promise.all(tools.map((tool) => play(relay, newMirrored(), { tool }, gateway.audit)));
    relay.close();
  });
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const figures = async () => (await fetch(`http://127.0.0.1:${monitors}/metrics`)).text();

  test('promtool has no warning for the figures, which have every name that an alert uses, and none of an agent', async () => {
    const text = await figures();
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
    const names = new Set(metricLines(text).map(({ name }) => name));
    const used = alerts.flatMap(({ expr }) => expr.match(/clawrden_[a-z_]+/g) ?? []);
    // Without a Docker host there are no figures of one.
    expect(used.filter((name) => !names.has(name) && !name.startsWith('clawrden_host_'))).toEqual([]);
    const ended = metricLines(text).filter(({ name }) => name === 'clawrden_executions_ended_total');
    expect(new Set(ended.map(({ labels }) => labels['strategy']))).toEqual(new Set(['', 'mirror']));
    expect(hostile.filter((word) => text.includes(word))).toEqual([]);
    expect(metricLines(text).length).toBeLessThan(5 * (agents.length + 2) + 200);
  });

  test('Prometheus scrapes it and has each alert; that of a relay that is gone waits for its time', async () => {
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [alertsFile],
      scrape_configs: [{ job_name: 'clawrden', static_configs: [{ targets: [`127.0.0.1:${monitors}`] }] }],
    };
    await writeFile(join(folder, 'prometheus.yml'), stringify(config));
    const server = spawn(
      'prometheus',
      [
        ...[`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`],
        `--web.listen-address=127.0.0.1:${own}`,
      ],
      { stdio: 'ignore' },
    );
    const over = once(server, 'exit');
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${own}/api/v1/${path}`).catch(() => undefined);
      return answer?.ok === true ? ((await answer.json()) as { data: Data }).data : undefined;
    };
    try {
      const up = `query?query=${encodeURIComponent('up{job="clawrden"}')}`;
      await expect.poll(async () => (await ask(up))?.result?.[0]?.value[1]).toBe('1');
      const rules = async () => (await ask('rules'))?.groups?.[0]?.rules ?? [];
      await expect
        .poll(async () => (await rules()).map(({ name, health }) => [name, health]))
        .toEqual(alerts.map(({ alert }) => [alert, 'ok']));
      await expect
        .poll(async () => (await rules()).filter(({ state }) => state !== 'inactive').map(({ name }) => name))
        .toContain('ClawrdenRelayGone');
    } finally {
      server.kill();
      await over;
    }
  });
});

interface Data {
  readonly result?: readonly { readonly value: readonly [number, string] }[];
  readonly groups?: readonly {
    readonly rules: readonly { readonly name: string; readonly health: string; readonly state: string }[];
  }[];
}

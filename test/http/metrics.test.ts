import { expect, test } from 'vitest';
import { gatewayMetrics } from '../../gateway/metrics/gateway-metrics.ts';
import type { AgentView, HostView } from '../../gateway/ports/warden-api.ts';
import { emptyWarden } from '../grpc/gateway.ts';
import { answerOf, ask } from './ask.ts';
import { loopback, startHttpGateway } from './http-gateway.ts';
import { metricLines } from './metric-lines.ts';
import { rawHttp, requestText } from './raw-http.ts';

const agent = (name: string): AgentView => ({
  ...{ name, relay: 'host-1', online: true, containerRunning: true, tools: ['evil"}\n tool'] },
  ...{ running: 2, pending: 1, grants: 3, problem: '' },
});
const host: HostView = {
  ...{ name: 'build-1', state: 'down', draining: true, engine: 'unix:///x', slots: 4, running: 1, queued: 5 },
  ...{ labels: {}, problem: '', warm: 2, workspaceBytes: 7 },
};
const seen = { ...emptyWarden, agents: () => [agent('coder'), agent('b"\\\n}')], hosts: () => [host] };
let made = 0;
const warden = {
  ...seen,
  metrics: () => {
    made += 1;
    return gatewayMetrics(seen);
  },
};

test('figures are told in the text format, to viewers of everything', async () => {
  await using door = await startHttpGateway({ warden });
  const lines = metricLines(await answerOf(door, 'metrics', { token: door.token('viewer') }));
  const valueOf = (name: string, labels = {}) =>
    lines.find((line) => line.name === name && JSON.stringify(line.labels) === JSON.stringify(labels))?.value;
  expect(valueOf('clawrden_ready')).toBe(1);
  expect(valueOf('clawrden_agent_executions', { agent: 'coder' })).toBe(2);
  expect(valueOf('clawrden_agent_grants', { agent: 'b"\\\n}' })).toBe(3);
  expect(valueOf('clawrden_host_ready', { host: 'build-1' })).toBe(0);
  expect(valueOf('clawrden_host_queued', { host: 'build-1' })).toBe(5);
  expect(valueOf('process_cpu_seconds_total')).toBeGreaterThan(0);
  const answer = await door.fetch('/metrics', { token: door.token('viewer') });
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await ask(door, 'metrics', {})).toMatchObject({ problem: { status: 401 } });
  const scoped = door.token('admin', { scope: { team: 'web' } });
  expect(await ask(door, 'metrics', { token: scoped })).toMatchObject({ problem: { status: 403 } });
});

test('P17: the listener for monitors has figures without a token, and nothing else', async () => {
  const metricsListen = { host: '127.0.0.1', port: 0 };
  const http = { ...loopback, metricsListen };
  await using door = await startHttpGateway({ warden, http });
  const port = door.metricsPort ?? 0;
  const base = `http://127.0.0.1:${port}`;
  const text = await (await fetch(`${base}/metrics`)).text();
  expect(metricLines(text).length).toBeGreaterThan(20);
  expect(await (await fetch(`${base}/readyz`)).json()).toEqual({ status: 'ok' });
  const authorization = `Bearer ${door.token('admin')}`;
  for (const path of ['/api/v1/status', '/api/v1/agents', '/api/v1/openapi.json', '/metrics/'])
    expect([path, (await fetch(`${base}${path}`, { headers: { authorization } })).status]).toEqual([
      path,
      path === '/metrics/' ? 400 : 404,
    ]);
  expect((await fetch(`${base}/metrics?team=web`)).status).toBe(400);
  expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${base}/metrics`, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  const raw = async (name: string) =>
    (await rawHttp(port, requestText('/metrics', [`host: ${name}`]))).status;
  expect([await raw('evil.example'), await raw(`127.0.0.1:${port}`)]).toEqual([421, 200]);
  expect((await door.fetch('/metrics')).status).toBe(401);
});

test('P20: however often a monitor asks, figures are made about once a second', async () => {
  const http = { ...loopback, metricsListen: { host: '127.0.0.1', port: 0 } };
  await using door = await startHttpGateway({ warden, http });
  made = 0;
  const begin = performance.now();
  for (let at = 0; at < 50; at += 1) {
    const answer = await fetch(`http://127.0.0.1:${door.metricsPort}/metrics`);
    expect((await answer.text()).length).toBeGreaterThan(100);
  }
  expect(made).toBeLessThanOrEqual(2 + (performance.now() - begin) / 1000);
});

test('a gateway that takes no work says so to monitors', async () => {
  const status = () => ({ ...emptyWarden.status(), problem: 'the disk is full' });
  const http = { ...loopback, metricsListen: { host: '127.0.0.1', port: 0 } };
  await using door = await startHttpGateway({ http, warden: { ...warden, status } });
  const answer = await fetch(`http://127.0.0.1:${door.metricsPort}/readyz`);
  expect([answer.status, await answer.json()]).toEqual([
    503,
    expect.objectContaining({ detail: 'the disk is full' }),
  ]);
});

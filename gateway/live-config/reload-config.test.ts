import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { parseGatewayConfig } from '../../src/config/load-gateway-config.ts';
import { createFaults } from '../../src/faults.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import { openLiveConfig, type ReloadParts } from './reload-config.ts';
import { reloadOnChange } from './reload-on-change.ts';

const host = (name: string, more = '') => `  - { name: ${name}, engine: "unix:///${name}"${more} }\n`;

function reloader(first: string) {
  const applied: string[][] = [];
  const records: AuditRecord[] = [];
  const noted: boolean[] = [];
  const lines: string[] = [];
  const keys = { canBeRead: false, tries: 0 };
  const live = openLiveConfig(parseGatewayConfig(first, 'g.yaml'));
  const parts: ReloadParts = {
    prepare: ({ hosts }: GatewayConfig) => {
      keys.tries += 1;
      if (!keys.canBeRead && hosts.some(({ name }) => name === 'wrong'))
        throw new Error('host wrong: its key cannot be read');
      const apply = () => void applied.push(hosts.map(({ name }) => name));
      return { apply, [Symbol.dispose]: () => {} };
    },
    noteComplete: ({ complete }) => void (complete && noted.push(complete)),
    apply: ({ apply }) => apply(),
    record: (entry) => void records.push(entry),
    log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
  };
  return {
    applied,
    records,
    noted,
    ...{ lines, keys, live, parts },
    load: (text: string) => live.take({ text }, parts),
  };
}

test('hosts that come, go and change are applied, and told in the audit', () => {
  const { load, applied, records } = reloader(`hosts:\n${host('a')}${host('b')}`);
  load(`hosts:\n${host('b', ', slots: 2')}${host('c')}`);
  expect(applied).toEqual([['b', 'c']]);
  const text = 'hosts added c, removed a, changed b';
  expect(records).toEqual([{ type: 'lifecycle', event: 'reload', text }]);
  load(`hosts:\n${host('b', ', slots: 2')}${host('c')}`);
  expect(applied).toHaveLength(1);
});

test('A-618: a file that said at its end that it is whole is refused without it, wherever it was cut', () => {
  const whole = `hosts:\n${host('a')}${host('b')}agents:\n  - { name: x, relay: r, users: ["1:1"], cwd: /app, workspace: { volume: x-app } }\ncomplete: true\n`;
  const { load, applied, records, live, noted } = reloader('hosts: []\n');
  load(whole);
  expect(applied).toEqual([['a', 'b']]);
  // the next start knows.
  expect(noted).toEqual([true]);
  for (let length = 0; length < whole.length - 1; length += 1) load(whole.slice(0, length));
  expect([applied.length, [...live.hosts().keys()], [...live.agents().keys()]]).toEqual([
    1,
    ['a', 'b'],
    ['x'],
  ]);
  expect(records.at(-1)).toMatchObject({ incident: 'config-refused' });
  expect(records.some((record) => 'text' in record && record.text.includes('may be half-written'))).toBe(
    true,
  );
  load(whole.replace(host('b'), ''));
  expect(applied.at(-1)).toEqual(['a']);
});

test('a file that is wrong changes nothing, and is told once in the audit', () => {
  const { load, applied, records, lines } = reloader(`hosts:\n${host('a')}`);
  for (const wrong of ['hosts: [{', 'hosts: [{', 'hosts: [{ name: a, engine: "unix:///a", slotz: 3 }]'])
    load(wrong);
  expect(applied).toEqual([]);
  expect(records).toMatchObject([
    { type: 'incident', incident: 'config-refused' },
    { type: 'incident', text: expect.stringContaining('slotz') },
  ]);
  expect(lines.filter((line) => line.includes('the last good one stays'))).toHaveLength(3);
  load(`hosts:\n${host('b')}`);
  expect(applied).toEqual([['b']]);
});

test('A-450: a file whose hosts cannot all be used changes nothing, and is taken when they can', () => {
  const { load, applied, records, live } = reloader(`hosts:\n${host('a')}`);
  load(`hosts:\n${host('b')}${host('wrong')}`);
  expect(applied).toEqual([]);
  expect([...live.hosts().keys()]).toEqual(['a']);
  expect(live.problem()).toContain('its key cannot be read');
  expect(records).toMatchObject([{ incident: 'config-refused' }]);
  load(`hosts:\n${host('b')}`);
  expect([applied, live.problem()]).toEqual([[['b']], '']);
});

test('A-458: a file that was refused because a key could not be read is taken once it can be, and told once until then', async () => {
  const { applied, records, lines, keys, live, parts } = reloader(`hosts:\n${host('a')}`);
  const folder = mkdtempSync(join(tmpdir(), 'clawrden-reload-'));
  const watching = new AbortController();
  onTestFinished(() => {
    watching.abort();
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, `hosts:\n${host('a')}${host('wrong')}`);
  reloadOnChange(live, { ...parts, file, faults: createFaults({ error: () => {} }) }, watching.signal);
  await expect.poll(() => keys.tries, { timeout: 10_000 }).toBeGreaterThan(2);
  expect(live.problem()).toContain('its key cannot be read');
  expect(lines.filter((line) => line.includes('is refused'))).toHaveLength(1);
  process.emit('SIGHUP', 'SIGHUP');
  expect(lines.filter((line) => line.includes('is still refused'))).toHaveLength(1);
  keys.canBeRead = true;
  await expect.poll(() => applied, { timeout: 5000 }).toEqual([['a', 'wrong']]);
  expect(live.problem()).toBe('');
  expect(records).toMatchObject([{ incident: 'config-refused' }, { event: 'reload' }]);
  expect(lines.filter((line) => line.includes('is refused'))).toHaveLength(1);
});

test('what needs a restart is told, and what does not is applied all the same', () => {
  const { load, applied, lines } = reloader(`hosts:\n${host('a')}`);
  load(`limits: { running: 5 }\nhosts:\n${host('a')}${host('b')}`);
  expect(lines.filter((line) => line.includes('need a restart') && line.includes('limits'))).toHaveLength(1);
  expect(applied).toEqual([['a', 'b']]);
});

const agent = (name: string, users = '1000:1000') => `  - { name: ${name}, relay: r, users: ["${users}"] }\n`;

test('agents that come, go and change are in force at once, and told; a fault keeps the last good ones', () => {
  const { load, live, records } = reloader(`agents:\n${agent('a')}${agent('b')}`);
  const [before, names] = [live.agents(), () => [...live.agents().keys()]];
  load(`agents:\n${agent('b', '1001:1001')}${agent('c')}`);
  expect(names()).toEqual(['b', 'c']);
  expect(live.agents().get('b')?.users).toEqual([{ uid: 1001, gid: 1001 }]);
  expect([...before.keys()]).toEqual(['a', 'b']);
  const text = 'agents added c, removed a, changed b';
  expect(records).toEqual([{ type: 'lifecycle', event: 'reload', text }]);
  load(`agents:\n${agent('c')}${agent('c')}`);
  expect(names()).toEqual(['b', 'c']);
  expect(live.problem()).toContain('another agent is named "c" already');
  load('agents: []\n');
  expect([names(), live.problem()]).toEqual([[], '']);
});

test('routes, their secrets and the proxy follow the file, and what changed is told by name', () => {
  const written = (to: string, more = '') =>
    `secrets: { key: { env: KEY } }\nroutes: { model: { to: "${to}", headers: { x-key: "{key}" } } }\n${more}`;
  const { load, live, records } = reloader(written('https://a.example/'));
  const before = live.egress();
  load(written('https://b.example/', 'egress: { proxy: "http://proxy.corp:3128" }\n'));
  expect(live.egress().routes.get('model')?.to).toBe('https://b.example/');
  expect(live.egress().proxy).toEqual({ name: 'proxy.corp', port: 3128 });
  expect(before.routes.get('model')?.to).toBe('https://a.example/');
  load('secrets: { other: { env: OTHER } }\n');
  expect([[...live.egress().routes.keys()], [...live.egress().secrets.keys()]]).toEqual([[], ['other']]);
  expect(records.map((record) => 'text' in record && record.text)).toEqual([
    'routes changed model; egress changed',
    'routes removed model; secrets added other, removed key; egress changed',
  ]);
});

import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { parseGatewayConfig } from '../../src/config/load-gateway-config.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import { createReload } from './reload-config.ts';

const host = (name: string, more = '') => `  - { name: ${name}, engine: "unix:///${name}"${more} }\n`;

function reloader(first: string) {
  const applied: string[][] = [];
  const records: AuditRecord[] = [];
  const lines: string[] = [];
  const reload = createReload(parseGatewayConfig(first, 'g.yaml'), {
    apply: ({ hosts }: GatewayConfig) => void applied.push(hosts.map(({ name }) => name)),
    record: (entry) => void records.push(entry),
    log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
  });
  return {
    applied,
    records,
    lines,
    load: (text: string) => reload({ text }),
  };
}

test('hosts that come, go and change are applied, and told in the audit', () => {
  const { load, applied, records } = reloader(`hosts:\n${host('a')}${host('b')}`);
  load(`hosts:\n${host('b', ', slots: 2')}${host('c')}`);
  expect(applied).toEqual([['b', 'c']]);
  const text = 'hosts added c; removed a; changed b';
  expect(records).toEqual([{ type: 'lifecycle', event: 'reload', text }]);
  load(`hosts:\n${host('b', ', slots: 2')}${host('c')}`);
  expect(applied).toHaveLength(1);
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

test('what needs a restart is told, and what does not is applied all the same', () => {
  const { load, applied, lines } = reloader(`hosts:\n${host('a')}`);
  load(`limits: { running: 5 }\nhosts:\n${host('a')}${host('b')}`);
  expect(lines.filter((line) => line.includes('need a restart') && line.includes('limits'))).toHaveLength(1);
  expect(applied).toEqual([['a', 'b']]);
});

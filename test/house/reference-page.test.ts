import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { gatewaySchema } from '../../src/config/gateway-schema.ts';
import { relaySchema } from '../../src/config/relay-config.ts';

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

const page = await readFile(join(import.meta.dirname, '../../docs/reference.md'), 'utf8');

it.each([
  ['gateway.yaml', gatewaySchema, 'hosts[].tls.ca'],
  ['relay.yaml', relaySchema, 'agents[].socket'],
])('docs/reference.md names every key of %s', (file, schema, known) => {
  const keys = keysOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema, '');
  expect(keys).toContain(known);
  expect(keys.filter((key) => !isNamed(sectionOf(file), key))).toEqual([]);
});

function sectionOf(title: string): string {
  return page.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';
}

/** `limits.running`, `hosts[].tls.ca`: only the leaves of the tree. */
function keysOf(schema: JsonSchema, path: string): string[] {
  const below = Object.entries(schema.properties ?? schema.items?.properties ?? {});
  const prefix = schema.items === undefined ? path : `${path}[]`;
  if (below.length === 0) return [path];
  return below.flatMap(([key, value]) => keysOf(value, prefix === '' ? key : `${prefix}.${key}`));
}

/** Either in its own row, or by its last step in its parent's row. */
function isNamed(section: string, key: string): boolean {
  const parent = key.replace(/(\[\])?\.[^.]+$/, '');
  const last = key.slice(key.lastIndexOf('.') + 1);
  const row = (name: string) => section.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
  return row(key) !== undefined || new RegExp(`\`${last}[:\`]`).test(row(parent) ?? '');
}

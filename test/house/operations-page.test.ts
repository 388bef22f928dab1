import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { gatewaySchema } from '../../src/config/gateway-schema.ts';

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

it('docs/operations.md names every key of gateway.yaml', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const schema = z.toJSONSchema(gatewaySchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  expect(keysOf(schema, '').filter((key) => !isNamed(page, key))).toEqual([]);
});

/** `limits.running`, `hosts[].tls.ca`: the ends of the tree only. */
function keysOf(schema: JsonSchema, path: string): string[] {
  const below = Object.entries(schema.properties ?? schema.items?.properties ?? {});
  const prefix = schema.items === undefined ? path : `${path}[]`;
  if (below.length === 0) return [path];
  return below.flatMap(([key, value]) => keysOf(value, prefix === '' ? key : `${prefix}.${key}`));
}

/** Either in a row of its own, or by its last step in the row of what it is part of. */
function isNamed(page: string, key: string): boolean {
  const parent = key.replace(/(\[\])?\.[^.]+$/, '');
  const last = key.slice(key.lastIndexOf('.') + 1);
  const row = (name: string) => page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
  return row(key) !== undefined || new RegExp(`\`${last}[:\`]`).test(row(parent) ?? '');
}

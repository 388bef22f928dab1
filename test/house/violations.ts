import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type ImportRow, importTable } from './import-table.ts';

/** A forbidden import: the file that makes it and what it names. */
export interface Violation {
  readonly place: string;
  readonly target: string;
  /** From the root of the temporary checkout. */
  readonly file: string;
  readonly specifier: string;
}

/** A file in each folder that has a project of its own. */
export const stubs: Readonly<Record<string, string>> = {
  gateway: 'gateway/stub.ts',
  shim: 'shim/relay/stub.ts',
  'src/cli': 'src/cli/stub.ts',
  'gateway/docker': 'gateway/docker/stub.ts',
  'gateway/grpc': 'gateway/grpc/stub.ts',
  'gateway/auth': 'gateway/auth/stub.ts',
  'gateway/http': 'gateway/http/stub.ts',
};

/** Every forbidden edge of the table, except those of gateway/main.ts, which has no folder for other files. */
export const violations: readonly Violation[] = importTable
  .filter(({ place }) => place !== 'gateway/main.ts')
  .flatMap(violationsOf);

export const importsOfMain: readonly Violation[] = [
  'src/cli',
  'gateway/grpc',
  'gateway',
  'shim/relay',
  'test/lab',
].map((place) => ({ place, target: 'main.ts', file: `${place}/imports-main.ts`, specifier: './main.ts' }));

/** Writes the file: on lines 1 to 4 an import, a type import, a re-export and a dynamic import. */
export async function writeViolation(checkout: string, { file, specifier }: Violation): Promise<void> {
  const lines = [
    `import { stub } from '${specifier}';`,
    `import type * as Types from '${specifier}';`,
    `export * from '${specifier}';`,
    `export const late = (): Promise<unknown> => import('${specifier}');`,
    `export const used: [unknown, typeof Types | undefined] = [stub, undefined];`,
  ];
  await writeIn(checkout, file, `${lines.join('\n')}\n`);
}

export async function writeIn(checkout: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(checkout, file)), { recursive: true });
  await writeFile(join(checkout, file), text);
}

function violationsOf(row: ImportRow): Violation[] {
  const folder = row.place === 'gateway core' ? 'gateway' : row.place;
  const folders = row.folders.flatMap((target) =>
    [folder, `${folder}/deeper`].map((from) => violation(row.place, target, from, pathTo(target, from))),
  );
  const packages = row.packages
    .flatMap((name) => [name, `${name}/part`])
    .map((name) => violation(row.place, name, folder, name));
  return [...folders, ...packages];
}

function violation(place: string, target: string, from: string, specifier: string): Violation {
  return { place, target, file: `${from}/imports-${target.replaceAll(/[^a-z]+/g, '-')}.ts`, specifier };
}

function pathTo(target: string, from: string): string {
  const path = relative(from, stubs[target] ?? `${target}/stub.ts`);
  return path.startsWith('.') ? path : `./${path}`;
}

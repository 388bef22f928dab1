import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stubs, violations, writeIn, writeViolation } from './violations.ts';

const root = join(import.meta.dirname, '../..');
const projects = [
  'src',
  'src/cli',
  'shim/relay',
  'gateway core',
  'gateway/docker',
  'gateway/grpc',
  'gateway/auth',
  'gateway/http',
];

describe('the compiler, by project references', () => {
  let checkout: string;
  let refused: ReadonlySet<string | undefined>;
  // The compiler names each foreign file once in a project, so that only one file of a project imports it.
  const edges = violations.filter(
    ({ place, target, file }) => projects.includes(place) && target in stubs && !file.includes('/deeper/'),
  );

  beforeAll(async () => {
    checkout = await mkdtemp(join(tmpdir(), 'clawrden-compiled-'));
    await copyProjects(checkout);
    const files = [...Object.values(stubs), 'src/stub.ts', 'gateway/main.ts'];
    await Promise.all(files.map((file) => writeIn(checkout, file, 'export const stub = 1;\n')));
    await Promise.all(edges.map((edge) => writeViolation(checkout, edge)));
    const errors = [...(await compile(checkout)).matchAll(/^(\S+)\(1,.*error TS6307/gm)];
    refused = new Set(errors.map(([, file]) => file));
  });
  afterAll(() => rm(checkout, { recursive: true, force: true }));

  it.each(projects)('refuses every folder in the row of %s', (place) => {
    const files = edges.filter((edge) => edge.place === place).map(({ file }) => file);
    expect(files.filter((file) => refused.has(file))).toEqual(files);
  });
});

async function copyProjects(checkout: string): Promise<void> {
  const { references } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8')) as {
    references: { path: string }[];
  };
  const built = references.filter(({ path }) => path !== './test');
  await writeIn(checkout, 'tsconfig.json', JSON.stringify({ files: [], references: built }));
  const configs = built.map(({ path }) => (path.endsWith('.json') ? path : join(path, 'tsconfig.json')));
  for (const file of ['package.json', 'tsconfig.base.json', ...configs]) {
    await mkdir(dirname(join(checkout, file)), { recursive: true });
    await cp(join(root, file), join(checkout, file));
  }
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
}

async function compile(checkout: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile('tsc', ['-b', '--pretty', 'false'], { cwd: checkout }, (_error, stdout) => resolve(stdout));
  return promise;
}

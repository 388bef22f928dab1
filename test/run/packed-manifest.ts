import { readFileSync, writeFileSync } from 'node:fs';
import { besideBundle } from '../../src/cli/beside-bundle.ts';

/**
 * Takes out of a package.json what its reader does not need: development, and dependencies that the bundle holds. The
 * client is no part of the bundle, and needs zod.
 */
const [file = ''] = process.argv.slice(2);
const {
  devDependencies: _,
  scripts: _scripts,
  dependencies,
  ...manifest
} = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
const needed = [...besideBundle, 'zod'];
const missing = needed.filter((name) => dependencies[name] === undefined);
if (missing.length > 0) throw new Error(`package.json does not name ${missing.join(', ')}`);
const kept = Object.entries(dependencies).filter(([name]) => needed.includes(name));
writeFileSync(
  file,
  `${JSON.stringify({ ...manifest, dependencies: Object.fromEntries(kept) }, undefined, 2)}\n`,
);

interface Manifest {
  readonly devDependencies: unknown;
  readonly scripts: unknown;
  readonly dependencies: Readonly<Record<string, string>>;
}

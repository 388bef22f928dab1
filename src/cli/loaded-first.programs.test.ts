import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const program = join(import.meta.dirname, 'program.ts');

/** Prints the packages that were loaded when the command line knows its commands, and none of them runs yet. */
const script = `
const { registerHooks } = require('node:module');
const packages = new Set();
registerHooks({
  resolve(name, context, next) {
    const resolved = next(name, context);
    const [, found] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(resolved.url) ?? [];
    if (found !== undefined) packages.add(found);
    return resolved;
  },
});
import(${JSON.stringify(program)}).then(({ program }) => {
  program();
  console.log([...packages].sort().join());
});
`;

// Each start of every command, of the gateway and of a relay pays for what is loaded here.
test('the command line loads no package but commander before it knows which command it is', () => {
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim()).toBe('commander');
});

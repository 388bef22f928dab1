import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { enrollRelay } from './enroll-relay.ts';
import { login } from './login.ts';
import { refuseOpenFolder } from './refuse-open-folder.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-open-folder-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const at = (name: string) => join(dir, name);

function made(name: string, mode: number): string {
  mkdirSync(at(name));
  chmodSync(at(name), mode);
  return at(name);
}

test.each([
  ['a folder of everybody', 0o777, ''],
  ['a folder of everybody in which each keeps its own', 0o1777, ''],
  ['a folder below one of everybody', 0o777, 'new'],
])('A-497: %s takes no key', async (_what, mode, below) => {
  const folder = made('open', mode);
  const text = `writable by others: they can put another key in the place of yours; chmod go-w ${folder},`;
  await expect(refuseOpenFolder('login', join(folder, below))).rejects.toThrow(text);
  symlinkSync(join(folder, below), at('link'));
  if (below === '') await expect(refuseOpenFolder('login', at('link'))).rejects.toThrow(/writable by others/);
});

test.each([
  ['a folder that only its user writes', 0o755, ''],
  ['one that is not there', 0o755, 'a/b'],
  ['one below /tmp', 0o1777, 'new'],
])('A-497: %s takes one', async (_what, mode, below) => {
  const folder = made('fit', mode);
  await refuseOpenFolder('login', join(folder, below));
});

test.runIf(process.getuid?.() === 0)(
  "A-497: a folder of a group takes no key, but of a user's own",
  async () => {
    const folder = made('shared', 0o775);
    chownSync(folder, 1233, 1234);
    await expect(refuseOpenFolder('login', folder)).rejects.toThrow(/chmod go-w/);
    chownSync(folder, 1234, 1234);
    await refuseOpenFolder('login', folder);
  },
);

test('A-497: login and relay enroll ask nothing for such a folder', async () => {
  const folder = made('open', 0o777);
  const given = { gateway: '127.0.0.1:1', token: 'no token', code: 'no code' };
  await expect(enrollRelay({ ...given, dir: folder })).rejects.toThrow(
    /^clawrden: relay enroll: .* is writable by others/,
  );
  await expect(login({ ...given, context: join(folder, 'context.yaml') })).rejects.toThrow(
    /^clawrden: login: .* is below .*, which is writable by others/,
  );
});

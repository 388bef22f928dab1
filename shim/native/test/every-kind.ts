import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, lchownSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One of each kind of entry, with owners and modes that only root can give. */
export function everyKind(root: string): void {
  const at = (path: string) => join(root, path);
  mkdirSync(at('src/deep'), { recursive: true });
  writeFileSync(at('src/deep/run.sh'), '#!/bin/sh\necho hello\n');
  chmodSync(at('src/deep/run.sh'), 0o755);
  writeFileSync(at('large'), randomBytes(3 * 2 ** 20));
  writeFileSync(at('secret'), 'for the owner');
  chmodSync(at('secret'), 0o400);
  linkSync(at('secret'), at('another name'));
  symlinkSync('../nowhere', at('src/link'));
  mkdirSync(at('empty'));
  writeFileSync(at('name\n of \x1b[31m lines'), '');
  for (const path of ['.', 'src', 'src/deep', 'src/deep/run.sh', 'large', 'secret']) {
    chownSync(at(path), 1000, 1000);
  }
  lchownSync(at('src/link'), 1000, 1000);
  mkdirSync(at('shared'));
  chownSync(at('shared'), 1000, 4242);
  chmodSync(at('shared'), 0o2775);
  mkdirSync(at('sticky'));
  chmodSync(at('sticky'), 0o1777);
}

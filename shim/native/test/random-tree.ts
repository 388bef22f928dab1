import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  lchownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Numbers that are the same for the same seed: a failure can be run again. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2654435761 + 1) >>> 0;
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

interface Found {
  readonly files: string[];
  readonly folders: string[];
  readonly links: string[];
}

const names = ['a', 'b', 'c', 'x y', '\u00fc', '-rf', 'new\nline', 'node_modules', '.git', 'n'.repeat(255)];

/** Folder by folder: Node's own recursive reading follows links, and these operations must never leave the tree. */
function walk(root: string, folder = '', found: Found = { files: [], folders: [], links: [] }): Found {
  found.folders.push(folder);
  for (const item of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, item.name);
    if (item.isSymbolicLink()) found.links.push(path);
    else if (item.isFile()) found.files.push(path);
    else if (path.split('/').length < 40) walk(root, path, found);
  }
  return found;
}

/** Texts of links that lead nowhere, so that nothing outside can be reached through one, whatever follows it. */
const linkTexts = [
  '/nonexistent/clawrden/x',
  '../../../../nonexistent/clawrden',
  'not there/at all',
  'x'.repeat(300),
];

type Operation = (root: string, dice: Dice, found: Found) => void;

/** Where something is made: nothing is written through a link. */
function newPath(root: string, dice: Dice, { folders, links }: Found): string {
  const path = join(dice.pick(folders), dice.pick(names));
  if (links.includes(path)) throw new Error('a link is there');
  return join(root, path);
}

const existing = (root: string, dice: Dice, { files, folders, links }: Found): string =>
  join(root, dice.pick([...files, ...links, ...folders.slice(1)]));

function bytesOf(dice: Dice): Buffer {
  const size = dice.pick([0, 1, 100, 5000, 70_000, 1024 * 1024, 1024 * 1024 + 1, 3 * 1024 * 1024]);
  return Buffer.alloc(size, `${dice.below(1_000_000)} `);
}

function smallBytes(dice: Dice): Buffer {
  return Buffer.from(`${dice.below(1_000_000)}`.repeat(dice.below(50)));
}

const operations: readonly Operation[] = [
  (root, dice, found) => writeFileSync(newPath(root, dice, found), smallBytes(dice)),
  (root, dice, found) => writeFileSync(newPath(root, dice, found), smallBytes(dice)),
  (root, dice, found) => writeFileSync(newPath(root, dice, found), dice.below(10) === 0 ? bytesOf(dice) : ''),
  (root, dice, found) => appendFileSync(join(root, dice.pick(found.files)), smallBytes(dice)),
  (root, dice, found) => truncateSync(join(root, dice.pick(found.files)), dice.below(200)),
  (root, dice, found) => mkdirSync(newPath(root, dice, found)),
  (root, dice, found) => mkdirSync(newPath(root, dice, found)),
  (root, dice, found) => rmSync(existing(root, dice, found), { recursive: true }),
  (root, dice, found) => renameSync(existing(root, dice, found), newPath(root, dice, found)),
  (root, dice, found) => renameSync(existing(root, dice, found), newPath(root, dice, found)),
  (root, dice, found) => symlinkSync(dice.pick(linkTexts), newPath(root, dice, found)),
  (root, dice, found) => chmodSync(join(root, dice.pick(found.files)), dice.pick([0o600, 0o755, 0o444, 0])),
  (root, dice, found) => chmodSync(join(root, dice.pick(found.folders)), dice.pick([0o700, 0o2775, 0o1777])),
  (root, dice, found) => lchownSync(existing(root, dice, found), dice.below(3), dice.below(3)),
  (root, dice, found) => lutimesSync(existing(root, dice, found), 1, dice.below(2_000_000_000) + 0.125),
  (root, dice, found) => copyFileSync(join(root, dice.pick(found.files)), newPath(root, dice, found)),
  npmRenamesAway,
  (root, dice, found) => dice.below(4) === 0 && setAttribute(root, dice, found),
];

/** What npm does with a package that it replaces: the folder goes aside, a new one comes, the old one goes. */
function npmRenamesAway(root: string, dice: Dice, { folders }: Found): void {
  const folder = join(root, dice.pick(folders.slice(1)));
  const aside = join(folder, '..', '.aside');
  renameSync(folder, aside);
  mkdirSync(folder);
  for (const name of ['package.json', 'index.js']) writeFileSync(join(folder, name), smallBytes(dice));
  if (dice.below(2) === 0) rmSync(aside, { recursive: true });
}

function setAttribute(root: string, dice: Dice, { files, folders }: Found): void {
  const path = join(root, dice.pick([...files, ...folders]));
  const [command, ...args] = dice.pick([
    ['setfattr', '-n', 'user.note', '-v', String(dice.below(100))],
    ['setfattr', '-n', 'user.other', '-v', ''],
    ['setfacl', '-m', 'u:1234:r'],
    ['setfacl', '-b'],
  ]);
  execFileSync(command, [...args, path], { stdio: 'ignore' });
}

const link: Operation = (root, dice, found) =>
  linkSync(join(root, dice.pick(found.files)), newPath(root, dice, found));

/**
 * Does `count` things to the tree, as the seed says, and makes hard links last: what is written through a name that came
 * and went unseen is not told by the kernel. What cannot be done is left.
 */
export function disturb(root: string, dice: Dice, count: number): void {
  const links = dice.below(3);
  for (let i = 0; i < count + links; i++) {
    try {
      const operation = i < count ? dice.pick(operations) : link;
      operation(root, dice, walk(root));
    } catch {}
  }
}

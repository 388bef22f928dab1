import { describe, expect, it } from 'vitest';
import { worlds } from '../docs/worlds.ts';
import { pages } from './pages.ts';
import { type Block, blocksOf, isShellBlock, markerOf, typedIn } from './shell-blocks.ts';

const where = ({ page, line }: Block) => `${page}:${line}`;

/** Pages of what is decided, and of single places, show commands as they were. */
const told = /^(?:docs\/adr\/|CHANGELOG\.md|tools\/|\.)/;

const blocks = (await pages()).filter((page) => !told.test(page)).flatMap((page) => [...blocksOf(page)]);
const shellBlocks = blocks.filter(isShellBlock);

it('every shell block of README and docs says where a test runs it, or why none does', () => {
  expect(shellBlocks.length).toBeGreaterThan(15);
  expect(shellBlocks.filter((block) => markerOf(block) === undefined).map(where)).toEqual([]);
});

it('a block that is run names a world that there is, and each world has a block', () => {
  const named = shellBlocks.flatMap((block) => {
    const marker = markerOf(block);
    return marker !== undefined && 'run' in marker ? [marker.run] : [];
  });
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(worlds).toSorted());
});

describe('a block is told from its text', () => {
  const block = (info: string, text: string): Block => ({ page: 'x.md', line: 1, info, text });

  it('is a shell block if it says so, or has a command', () => {
    for (const text of ['clawrden doctor', '$ clawrden show x', 'agent$ npm install', 'scripts/test --long'])
      expect([text, isShellBlock(block('', text))]).toEqual([text, true]);
    expect(isShellBlock(block('sh', 'true'))).toBe(true);
    for (const text of ['agent host    Docker hosts', 'rules:', '{ "a": 1 }'])
      expect([text, isShellBlock(block('', text))]).toEqual([text, false]);
  });

  it('takes one form of marker only, and a reason has words', () => {
    expect(markerOf(block('sh run gateway', ''))).toEqual({ run: 'gateway' });
    expect(markerOf(block('console not run: it needs a Docker host', ''))).toEqual({
      why: 'it needs a Docker host',
    });
    for (const info of [
      '',
      'sh',
      'sh run',
      'sh not run: no',
      'sh not run',
      'bash run gateway',
      'sh  run gateway',
    ])
      expect([info, markerOf(block(info, ''))]).toEqual([info, undefined]);
  });

  it('has what stands behind a prompt, and what continues that', () => {
    expect(typedIn(block('console run x', '$ a \\\n  -b\nout\nagent$ c'))).toBe('a \\\n  -b\nc');
    expect(typedIn(block('sh run x', 'a\nb'))).toBe('a\nb');
  });
});

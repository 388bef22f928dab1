import { describe, expect, test } from 'vitest';
import { launcher } from '../stack/launcher.ts';
import { contextOf } from './clawrden.ts';
import { hasTmux, openTerminal } from './terminal.ts';
import { question, startQueue } from './watch-queue.ts';

const forged = 'network      bridge';
/** Long enough to move the following text to the beginning of a row, wherever the value begins. */
const painted = Array.from({ length: 24 }, (_, more) => `${'x'.repeat(30 + more)}${forged}`);

describe.skipIf(!hasTmux)('A-81: on a terminal of 60 columns (of tmux)', () => {
  test('pending: what an agent wrote begins no row, and the terminal wraps none', async () => {
    await using queue = await startQueue(question('aaaa000001', ['npm', ...painted]));
    await using terminal = await openTerminal();
    await terminal.resize(60, 120);
    const context = await contextOf(queue.gateway);
    await terminal.type(
      `${process.execPath} ${launcher} pending --context ${context}; echo left $?`,
      'Enter',
    );
    const screen = await terminal.shows(/^left 0/m);
    const page = screen.slice(screen.indexOf('aaaa000001')).split('\n');
    expect(page.filter((row) => row.trimStart().startsWith('network'))).toEqual(['  network      none']);
    expect(page.filter((row) => row.startsWith('  \\ ')).length).toBeGreaterThanOrEqual(painted.length);
    const begun = page.slice(1, page.indexOf('')).filter((row) => !row.startsWith('  \\ '));
    expect(begun.filter((row) => !/^ {2}[a-z]+ +\S|^ {15}"/.test(row))).toEqual([]);
  });
});

import type { Case } from '../case.ts';

const every = Array.from({ length: 5000 }, (_, i) => `argument-${i}`);

export const argumentCases: readonly Case[] = [
  { name: 'arguments-empty-strings', argv: ['printf', '[%s]', '', 'a', '', ''] },
  {
    name: 'arguments-spaces-and-quotes',
    argv: ['printf', '<%s>\n', ' a  b ', '"', "'", '\\', '$HOME', '*', '`id`'],
  },
  { name: 'arguments-newlines-and-tabs', argv: ['printf', '<%s>', 'one\ntwo\n', '\t', '\r\n'] },
  { name: 'arguments-control-characters', argv: ['printf', '%s', '\x01\x02\x07\x08\x0b\x0c\x1b[31m\x7f'] },
  {
    name: 'arguments-unicode',
    argv: ['printf', '%s\n', 'naïve', '日本語', '🎉', 'e\u0301', '\u202eabc', '\ufeff'],
  },
  {
    name: 'arguments-that-look-like-options',
    argv: ['printf', '--', '%s|', '--help', '-', '--', '-n', '--version'],
  },
  { name: 'arguments-5000', argv: ['printf', '%s\n', ...every] },
  { name: 'arguments-128-KiB', argv: ['printf', '%s', 'x'.repeat(131_071)] },
  {
    name: 'arguments-512-KiB-in-all',
    argv: ['printf', '%.1s', ...Array.from({ length: 4 }, () => 'y'.repeat(131_000))],
  },
  {
    name: 'arguments-name-of-the-program',
    argv: ['sh', '-c', 'echo "$0" "$#" "$@"', 'zero', 'one', 'two words', ''],
  },
  { name: 'arguments-argv-0', argv: ['cat', '/proc/self/cmdline'] },
  { name: 'arguments-comm', argv: ['cat', '/proc/self/comm'] },
  {
    name: 'arguments-node',
    argv: ['node', '-p', 'JSON.stringify(process.argv.slice(1))', 'a', '', 'ü\n', '--', '-x'],
  },
  { name: 'arguments-python', argv: ['python3', '-c', 'import sys; print(sys.argv)', '', 'é', '-c', "it's"] },
  { name: 'arguments-wrong-usage', argv: ['ls', '--no-such-option'] },
  { name: 'arguments-missing', argv: ['cp'] },
];

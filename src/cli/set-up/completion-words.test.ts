import { expect, test } from 'vitest';
import { program } from '../program.ts';
import { wordsFor } from './completion-words.ts';

const offered = (...words: string[]) => wordsFor(program(), words).map(({ word }) => word);

test.each<[words: string[], some: string[], none: string[]]>([
  [[''], ['exec', 'agent', 'agents', 'completion'], ['--help', 'words']],
  [['ag'], ['agent', 'agents'], ['exec']],
  [['--'], ['--context', '--version'], ['exec']],
  [['agent', ''], ['run', 'shell', 'check'], ['agents']],
  [['history', '--de'], ['--decision'], ['--limit']],
  [['history', '--decision', ''], ['allow', 'deny', 'ask'], ['--json']],
  [['history', '--decision', 'deny', '--li'], ['--limit'], []],
  [['history', '--decision=deny', '--li'], ['--limit'], []],
  [['--context', 'exec', 'lock'], ['lockdown'], []],
  [['lockdown', ''], ['on', 'off'], []],
  [['lockdown', 'on', ''], [], ['on', 'off']],
  [['exec', '--', '--'], [], ['--json', '--agent']],
  [['completion', ''], ['bash', 'zsh', 'fish'], ['words']],
  [['nonsense', 'agent', ''], [], ['run']],
])('behind clawrden, %j offers %j and not %j', (words, some, none) => {
  const found = offered(...words);
  expect(some.filter((word) => !found.includes(word))).toEqual([]);
  expect(none.filter((word) => found.includes(word))).toEqual([]);
});

test('every command and option that help shows is offered at its place, with a line that says what it is', () => {
  const check = (command: ReturnType<typeof program>, path: readonly string[]): void => {
    const help = command.createHelp();
    for (const option of help.visibleOptions(command)) expect(offered(...path, '-')).toContain(option.long);
    for (const inner of help.visibleCommands(command)) {
      const found = wordsFor(program(), [...path, inner.name()]);
      expect(found).toContainEqual({ word: inner.name(), is: inner.description() });
      expect(inner.description()).toMatch(/^[^\n\t]+$/);
      check(inner, [...path, inner.name()]);
    }
  };
  check(program(), []);
});

import type { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { program } from './program.ts';

interface Given {
  readonly words: readonly string[];
  readonly option: Option;
}

/** Each option that takes a value, with the sub-command that it is of. */
function valued(command: Command, words: readonly string[] = []): Given[] {
  const own = command.options.filter(({ required, optional }) => required || optional);
  return [
    ...own.map((option) => ({ words, option })),
    ...command.commands.flatMap((each) => valued(each, [...words, each.name()])),
  ];
}

/** What is said of the line before anything runs; empty if it would run. */
async function refusal(args: readonly string[]): Promise<string> {
  const all = program();
  let said = '';
  const mute = (command: Command) => {
    command
      .configureOutput({ outputError: (text) => void (said += text) })
      .action(() => {})
      .allowExcessArguments();
    command.commands.forEach(mute);
  };
  mute(all);
  await all.parseAsync(args, { from: 'user' }).catch(() => {});
  return said;
}

/** A value that the option takes, as a word. */
function valueFor({ argChoices: [first = ''] = [], parseArg }: Option): string {
  const takes = (text: string) => {
    try {
      parseArg?.(text, undefined);
      return true;
    } catch {
      return false;
    }
  };
  return [first, 'x', '1', '1h'].find((text) => text !== '' && takes(text)) ?? 'x';
}

const twice = (text: string) => /^error: option '.*' was given twice/.test(text);

test('a second value of an option is refused, on every command', async () => {
  const all = valued(program());
  for (const { words, option } of all) {
    const name = option.long ?? option.short ?? '';
    const given = [name, valueFor(option)];
    const line = [...words, ...given, ...given];
    expect([line, twice(await refusal(line))]).toEqual([
      line,
      !option.description.includes('may be given again'),
    ]);
    expect(twice(await refusal([...words, ...given]))).toBe(false);
  }
  expect(all.length).toBeGreaterThan(20);
});

test('also one before the sub-command and one behind it', async () => {
  const behind = valued(program()).filter(
    ({ words, option }) => words.length > 0 && option.long === '--context',
  );
  for (const { words } of behind) {
    expect(await refusal(['--context', 'a', ...words, '--context', 'b'])).toMatch(
      /^error: option '--context <file>' was given twice/,
    );
  }
  expect(behind.length).toBeGreaterThan(10);
});

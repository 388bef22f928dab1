import { describe, expect, test } from 'vitest';
import { leavesOf, type Option } from '../../src/policy/arguments/tools/grammar.ts';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { allIfLong } from '../fixtures/sampled.ts';
import { grammarOf, knownToolNames } from './command-lines.ts';
import { holds, oneRule } from './one-rule.ts';

interface Switch {
  readonly tool: string;
  readonly words: readonly string[];
  readonly option: Option;
}

const all: readonly Switch[] = knownToolNames.flatMap((tool) => {
  const { options, subcommands } = grammarOf(tool);
  const places = [
    ...(subcommands === undefined ? [{ words: [] as readonly string[], table: options }] : []),
    ...leavesOf(subcommands)
      .filter(({ untold }) => untold !== true)
      .map((one) => ({ words: one.spellings[0] ?? [], table: one.options })),
  ];
  return places.flatMap(({ words, table }) =>
    [...new Set(table.values())]
      .filter(
        (option) => option.value !== 'required' && option.names.every((name) => table.get(name) === option),
      )
      .map((option) => ({ tool, words, option })),
  );
});

const switches = allIfLong(all, 600);

describe('A-157 P7: a bare switch is its =true', () => {
  test('of every tool, by each of its names', () => {
    expect(all.length).toBeGreaterThan(2000);
    const open = switches.flatMap(({ tool, words, option: { names } }) =>
      names.flatMap((said) =>
        names.flatMap((written) =>
          ['=true', '=1', '=t*', '=*'].flatMap((value) => {
            const rule = oneRule(tool, { args: compileArgs([...words, `${said}${value}`, '**']) });
            return holds(rule, tool, [...words, written])
              ? []
              : [[tool, ...words, `${said}${value}`, written]];
          }),
        ),
      ),
    );
    expect(open).toEqual([]);
  });

  test.each([
    ['docker', 'run --privileged=true **', 'run --rm --privileged x'],
    ['docker', 'run --priv*=true **', 'run --privileged x'],
    ['docker', 'run --privileged true **', 'run --privileged x'],
    ['npm', 'install --global=true **', 'install -g x'],
    ['npm', 'install --global true **', 'i x -g'],
    ['go', 'build -race=true **', 'build -race ./x'],
    ['go', 'build --race=1 **', 'build -race ./x'],
    ['gh', 'pr merge --admin=true **', 'pr merge --admin 1'],
  ])('%s: a deny of %s holds for %s', (tool, items, line) => {
    for (const action of ['deny', 'ask'] as const)
      expect(
        holds(oneRule(tool, { args: compileArgs(items.split(' ')) }, action), tool, line.split(' ')),
      ).toBe(true);
  });

  test.each([
    ['docker', 'run --privileged=false **', 'run --privileged x'],
    ['docker', 'run --privileged=true **', 'run --rm x'],
    ['docker', 'run -*ue* **', 'run --rm x'],
    ['docker', 'run --network true **', 'run --network x y'],
    ['go', 'build -race=false **', 'build -race ./x'],
  ])('A-34 %s: a deny of %s does not hold for %s', (tool, items, line) => {
    expect(holds(oneRule(tool, { args: compileArgs(items.split(' ')) }), tool, line.split(' '))).toBe(false);
  });
});

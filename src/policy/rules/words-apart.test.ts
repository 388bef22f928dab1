import { expect, test } from 'vitest';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { decidedLine } from './decided-line.fixture.ts';

const denies = (line: string, rule: string) =>
  decidedLine(line, `name: no, ${rule}, action: deny`, 'name: all, action: allow');

test.each([
  ['pnpm --color list dlx evil', 'deny'],
  ['pnpm --color=always list', 'allow'],
  ['pnpm --no-color list', 'allow'],
  ['pnpm list --json --prod', 'allow'],
  // pnpm takes the flag for the value of --prod.
  ['pnpm list --prod --depth x', 'deny'],
  ['pnpm list -DP', 'deny'],
])('A-350 an option of pnpm that is no Boolean takes the next word: %s', (line, action) => {
  const look = 'name: look, subcommands: [list, why, outdated, root], safe-arguments: true, action: allow';
  expect(decidedLine(line, look)).toBe(action);
});

test('A-350 A-355 a word that may be the value of the option before it is an operand, too', () => {
  const evil = 'args: [list|why|outdated, evil, "**"]';
  for (const option of ['--dev', '--prod', '-D', '-P'])
    for (const name of ['list', 'why', 'outdated']) {
      expect([option, name, denies(`pnpm ${name} ${option} x evil`, evil)]).toEqual([option, name, 'deny']);
      expect([option, name, denies(`pnpm ${name} ${option} evil`, evil)]).toEqual([option, name, 'deny']);
      expect([option, name, denies(`pnpm ${name} ${option} x`, evil)]).toEqual([option, name, 'allow']);
    }
  expect(denies('pnpm list --no-color never evil', evil)).toBe('deny');
});

test.each([
  ['cargo install --bin cli evil', 'args: [install, "evil*", "**"]', 'deny'],
  ['cargo install --example cli evil', 'args: [install, "evil*", "**"]', 'deny'],
  ['cargo install --target x evil', 'args: [install, "evil*", "**"]', 'deny'],
  ['cargo install --bin evil', 'args: [install, "evil*", "**"]', 'deny'],
  ['cargo install --bin cli x', 'args: [install, "evil*", "**"]', 'allow'],
  ['cargo install --bin=cli x', 'args: [install, "evil*", "**"]', 'allow'],
  ['cargo add -p mycrate evil', 'args: [add, evil, "**"]', 'deny'],
  ['cargo add --package mycrate evil', 'args: [add, evil, "**"]', 'deny'],
  ['cargo add -vp mycrate evil', 'args: [add, evil, "**"]', 'deny'],
  ['cargo run -p evil', 'args: [run, -p, evil, "**"]', 'deny'],
  ['cargo run --bin -- evil', 'args: [run, evil, "**"]', 'deny'],
  ['cargo run -p x -- evil', 'args: [run, evil, "**"]', 'deny'],
  ['git branch --contains x evil', 'args: [branch, evil, "**"]', 'deny'],
  ['git tag --merged x evil', 'args: [tag, evil, "**"]', 'deny'],
])('A-355 an optional value may be the next word: %s against %s', (line, rule, action) =>
  expect(denies(line, rule)).toBe(action),
);

test('A-355 each option of cargo whose value may be left out may have it apart', () => {
  const { optionalApart, options, subcommands } = knownTools.get('cargo')!;
  const tables = [options, ...[...subcommands!.values()].map((one) => one.options)];
  const optional = tables.flatMap((table) => [...table.values()]).filter(({ value }) => value === 'optional');
  expect(optional.length).toBeGreaterThan(50);
  expect(optional.filter(({ names }) => !names.some((name) => optionalApart?.has(name)))).toEqual([]);
});

const dangerous = ['-exec touch x ;', '-execdir touch x ;', '-ok touch x ;', '-okdir touch x ;', '-delete'];
const evading = dangerous.map((each) => each.split(' ')[0]).join(', ');

test('A-352 no option of find hides what runs or deletes behind its values', () => {
  const { options, twoValues } = knownTools.get('find')!;
  const valued = [...options.values()].filter(({ value }) => value === 'required');
  expect(valued.length).toBeGreaterThan(40);
  const open = valued.flatMap(({ names: [name = ''] }) => {
    if (evading.split(', ').includes(name)) return [];
    const values = twoValues?.has(name) === true ? ['-name -name', 'x -name'] : ['-name', 'x'];
    return values
      .flatMap((value) => dangerous.map((each) => `find . ${name} ${value} ${each}`))
      .filter((line) => denies(line, `flags: [${evading}]`) !== 'deny');
  });
  expect(open).toEqual([]);
});

test.each([
  ['find . -maxdepth 0 -fprintf /dev/null -name -exec touch x ;', 'deny'],
  ['find . -fprintf /dev/null -name -delete', 'deny'],
  ['find -files0-from -name -exec touch x ;', 'deny'],
  ['find . -fprintf /dev/null', 'deny'],
  ['find . -fprintf /dev/null -delete -print', 'allow'],
])('A-352 -fprintf takes a file and a format: %s', (line, action) =>
  expect(denies(line, `flags: [${evading}]`)).toBe(action),
);

test.each([
  ['pip --log install --proxy evil install pip', 'args: [install, "evil*", "**"]', 'deny'],
  ['pip --log install --proxy evil install pip', 'args: [download, "evil*", "**"]', 'deny'],
  ['pip --log x install pip', 'args: [install, "evil*", "**"]', 'allow'],
  ['pip --log=install install pip', 'args: [install, "evil*", "**"]', 'allow'],
])('A-356 pip takes the first word that is its sub-command out of the line: %s', (line, rule, action) =>
  expect(denies(line, rule)).toBe(action),
);

test.each([
  ['kubectl --profile-output get -n secrets get db-password -o yaml', '[get, secrets, "**"]', 'deny'],
  ['kubectl --profile-output config -n set-context config view', '[config, set-context, "**"]', 'deny'],
  ['kubectl -n get --context secret/x get -o yaml', '[get, secrets, "**"]', 'deny'],
  ['kubectl -n logs get pods', '[get, secrets, "**"]', 'allow'],
  ['kubectl -n a --context secret/x get pods', '[get, secrets, "**"]', 'allow'],
])('A-357 cobra before 1.7 takes the first word of a sub-command out of the line: %s', (line, args, action) =>
  expect(denies(line, `args: ${args}`)).toBe(action),
);

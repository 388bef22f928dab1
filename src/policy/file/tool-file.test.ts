import { expect, test } from 'vitest';
import { decide } from '../rules/decide.ts';
import { composePolicy } from './compose-policy.ts';
import { parseToolFile, shellCharacters } from './tool-file.ts';

const front = 'name: gh\ndescription: the GitHub command line\nstrategy: ghost\nimage: gh\n';
const good = `---\n${front}---\n# gh\n\nLook at pull requests.\n`;

const parsed = (text: string, name = 'gh') => {
  const result = parseToolFile(text, 'tools/gh.md', name);
  return 'problems' in result ? result.problems : result.file;
};

test('a tool file is a front matter and a documentation', () => {
  expect(parsed(good)).toMatchObject({
    name: 'gh',
    description: 'the GitHub command line',
    documentation: '# gh\n\nLook at pull requests.',
    front,
    tool: { strategy: 'ghost', image: 'gh', 'forbid-characters': shellCharacters },
  });
  expect(parsed(good.replaceAll('\n', '\r\n'))).toMatchObject({ front });
});

test("Clawrden's own name is no tool's", () => {
  expect(parsed(good.replace('name: gh', 'name: clawrden-help'), 'clawrden-help')).toEqual([
    expect.stringContaining("name: is Clawrden's own name"),
  ]);
});

test.each<[string, string, string]>([
  ['no first mark', front, 'tools/gh.md:1: it must begin with a line ---'],
  ['no second mark', `---\n${front}`, 'tools/gh.md:1: it has no second line ---'],
  ['nothing', '', 'tools/gh.md:1: it must begin'],
  ['an empty front matter', '---\n---\n', 'tools/gh.md:1: the file is empty'],
  [
    'an unknown key',
    good.replace('image', 'imgae: x\nimage'),
    'tools/gh.md:5: imgae: is not a known key (nearest valid key is',
  ],
  ['no image', good.replace('image: gh\n', ''), 'tools/gh.md:2: image: is missing'],
  ['no description', good.replace(/description.*\n/, ''), 'tools/gh.md:2: description: is missing'],
  [
    'a description of two lines',
    good.replace('the', '"a\\nb" #'),
    'tools/gh.md:3: description: must be one line',
  ],
  ['another name', good.replace('name: gh', 'name: hub'), 'tools/gh.md:2: name: must be "gh"'],
  [
    'a key that is there twice',
    good.replace('image: gh', 'name: gh'),
    'tools/gh.md:5: the key "name" is there twice',
  ],
  [
    'a key without effect',
    good.replace('ghost', 'mirror'),
    'tools/gh.md:5: image: has no effect with strategy',
  ],
  [
    'otherwise: allow',
    good.replace('image', 'otherwise: allow\nimage'),
    'tools/gh.md:5: otherwise: must be one of ask',
  ],
  ['a control character', good.replace('Look', '\u001b[2J'), 'tools/gh.md:9: it has a control character'],
  ['200 KiB', good + 'x'.repeat(200 * 1024), 'tools/gh.md:1: it is larger than'],
  ['a long documentation', good + 'x'.repeat(70 * 1024), 'tools/gh.md:7: its documentation is larger than'],
  [
    'a wrong argument',
    good.replace('image', 'arguments: { style: odd, source: tried }\nimage'),
    'tools/gh.md:5: arguments.style: must',
  ],
])('P7 %s is refused with file, line and key', (_, text, line) => {
  expect(parsed(text)).toEqual([expect.stringContaining(line)]);
});

test('a file whose name no tool may have is refused', () => {
  expect(parsed(good.replace('name: gh', 'name: a b'), 'a b')).toEqual([
    'tools/gh.md:2: name: a tool must have a plain file name',
  ]);
});

test('P7 of a file that is cut off, no part is taken for the front matter', () => {
  for (let end = 0; end < good.length; end += 1) {
    const found = parsed(good.slice(0, end));
    if (!Array.isArray(found)) expect(found).toMatchObject({ front });
  }
});

const action = (more: string, argument: string) => {
  const result = parseToolFile(good.replace('image', `${more}image`), 'gh.md', 'gh');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const rule = '{ name: all, tools: [gh], action: allow }';
  const text = `version: 1\nrules: [${rule}]\ncomplete: true\n`;
  const composed = composePolicy(text, 'policy.yaml', { toolFiles: [[result.file]] });
  if ('problems' in composed) throw new Error(composed.problems.join('\n'));
  const facts = { agent: 'a', tool: 'gh', args: ['x', argument], uid: 1, gid: 1, cwd: '/app' };
  return decide(composed.policy, facts);
};

test('what a shell would read is forbidden at first, and the refusal names the character', () => {
  for (const one of shellCharacters) {
    const { action: decided, rule, reason } = action('', `a${one}b`);
    expect([decided, rule]).toEqual(['deny', 'forbid-characters']);
    const code = (one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    expect(reason).toMatch(new RegExp(`^an argument has the character .*U\\+${code}\\)?, which .* gh$`));
    expect(reason).toMatch(/^[ -~]+$/);
  }
  expect(action('', '--json=name,url').action).toBe('allow');
  expect(action('forbid-characters: ""\n', 'a;b').action).toBe('allow');
  expect(action('forbid-characters: "%"\n', 'a;b').action).toBe('allow');
  expect(action('forbid-characters: "%"\n', 'a%b').reason).toContain('% (U+0025)');
});

test('A-218 P20: of a file with thousands of faults a hundred are told', () => {
  const keys = Array.from({ length: 12_000 }, (_, at) => `k${at}: 1`);
  const result = parseToolFile(`---\nname: x\ndescription: y\n${keys.join('\n')}\n---\n`, 'x.md', 'x');
  expect('problems' in result && result.problems.length).toBe(100);
});

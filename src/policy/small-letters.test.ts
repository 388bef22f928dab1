import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePolicy } from './file/parse-policy.ts';
import { isDangerousVariable } from './request/dangerous-variables.ts';
import { decide } from './rules/decide.ts';
import { smallLetters } from './small-letters.ts';

const everyCharacter = Array.from({ length: 0x11_0000 - 0x80 }, (_, at) => at + 0x80)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code));

const letters = [...'abcdefghijklmnopqrstuvwxyz'];

/** Whether any mapping of Unicode takes it for one letter of ASCII: of each character, or of the whole text. */
function asciiOf(character: string): string | undefined {
  const ways = [character.toLowerCase(), character.toUpperCase()].map((one) => one.replaceAll('\u0307', ''));
  const byFolding = /^[a-z]$/iu.test(character)
    ? letters.find((letter) => new RegExp(letter, 'iu').test(character))
    : undefined;
  return byFolding ?? ways.find((one) => /^[A-Za-z]$/.test(one))?.toLowerCase();
}

describe('A-156 P7: a letter outside of ASCII that a tool takes for one of ASCII', () => {
  const found = everyCharacter.flatMap((character) => {
    const ascii = asciiOf(character);
    return ascii === undefined ? [] : [[character, ascii] as const];
  });

  test('is that letter, and no other character is one', () => {
    expect(found.map(([character]) => character)).toEqual(['\u0130', '\u0131', '\u017F', '\u212A']);
    for (const [character, ascii] of found) expect(smallLetters(`X${character}Y`)).toBe(`x${ascii}y`);
    const known = new Set(found.map(([character]) => character));
    const changed = everyCharacter.filter(
      (one) => !known.has(one) && smallLetters(one) !== one.toLowerCase(),
    );
    expect(changed).toEqual([]);
  });

  test.each(found)('%s is %s in every word that is read in any case', (character, ascii) => {
    const rules: readonly (readonly [tool: string, items: readonly string[], line: readonly string[]])[] = [
      ['kubectl', ['get', 'configmaps'], ['get', 'configmaps', 'x']],
      ['kubectl', ['delete', 'networkpolicies'], ['delete', 'networkpolicies/x']],
      ['kubectl', ['get', 'secrets'], ['get', 'pods,secrets.v1.']],
      ['docker', ['run', '--mount', 'type=bind*'], ['run', '--mount', 'type=bind,src=/,dst=/x', 'y']],
      ['git', ['-c', 'core.fsmonitor=*'], ['-c', 'core.fsmonitor=x', 'status']],
      ['ssh', ['-o', 'ProxyCommand*'], ['-o', 'proxycommand=kill', 'h']],
    ];
    const lines = rules.flatMap(([tool, items, line]) =>
      line.flatMap((word, at) =>
        at > 0 && word.includes(ascii) && /config|polic|secret|bind|core|proxy/.test(word)
          ? [[tool, items, line.with(at, word.replace(ascii, character))] as const]
          : [],
      ),
    );
    expect(lines.length).toBeGreaterThan(1);
    for (const [tool, items, line] of lines)
      expect([line, actionOf(tool, items, line)]).toEqual([line, 'deny']);
  });

  test('a variable is as dangerous', () => {
    for (const [character, ascii] of found)
      for (const name of [
        'ld_library_path',
        'git_ssh',
        'npm_config_script_shell',
        'x_pager',
        'my_rsh',
        'kube_editor',
      ])
        if (isDangerousVariable(name) && name.includes(ascii))
          expect(isDangerousVariable(name.replace(ascii, character))).toBe(true);
    expect(isDangerousVariable('g\u0130t_\u017F\u017Fh')).toBe(true);
  });

  test('every comparison without regard to case goes through it', () => {
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'small-letters.ts')
      .filter((name) => {
        const text = readFileSync(join(import.meta.dirname, name), 'utf8');
        const others = text.replaceAll(/smallLetters\(\w+\)\.toUpperCase\(\)/g, '');
        return /\.to(?:Locale)?(?:Lower|Upper)Case\(|[^/\s]\/[gmsuvyd]*i[gmsuvyd]*[.,;)]/.test(others);
      });
    expect(files).toEqual([]);
  });

  test('A-34 other letters of other languages are left alone', () => {
    expect(actionOf('kubectl', ['get', 'configmaps'], ['get', 'cönfigmaps'])).toBe('allow');
    expect(actionOf('git', ['push'], ['commit', '-m', '\u0130stanbul \u0131\u017F'])).toBe('allow');
  });
});

function actionOf(tool: string, items: readonly string[], args: readonly string[]): string {
  const text = `version: 1
tools: { ${tool}: { strategy: mirror } }
rules:
  - { name: all, tools: [${tool}], action: allow }
  - { name: one, tools: [${tool}], args: ${JSON.stringify([...items, '**'])}, action: deny }
complete: true
`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return decide(result.policy, { agent: 'a', tool, args, uid: 1, gid: 1, cwd: '/app' }).action;
}

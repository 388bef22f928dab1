import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { grammarOf, knownToolNames } from './command-lines.ts';
import { holds, oneRule } from './one-rule.ts';
import { findTool } from './scratch.ts';

const runs = process.env['CLAWRDEN_LONG'] === '1' ? 1000 : 60;

const inAnyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((capitals) =>
      [...text].map((letter, at) => (capitals[at] ? letter.toUpperCase() : letter.toLowerCase())).join(''),
    );

/** Ways to write a setting; which of them a tool takes, the tool says. */
const written = fc
  .record({
    name: inAnyCase('proxycommand'),
    before: fc.constantFrom('', ' ', '\t', '  ', '='),
    between: fc.constantFrom('=', ' ', ' = ', '\t', '  ', '= '),
    quote: fc.constantFrom('', '"', "'"),
    where: fc.constantFrom('name', 'start', 'end'),
    behind: fc.constantFrom('', ' '),
  })
  .map(({ name, before, between, quote, where, behind }) => {
    const parts = {
      name: `${quote}${name}${quote}`,
      start: `${quote}${name.slice(0, 5)}${quote}${name.slice(5)}`,
      end: `${name.slice(0, 5)}${quote}${name.slice(5)}${quote}`,
    };
    return `${before}${parts[where]}${between}x${behind}`;
  });

const patterns = ['ProxyCommand*', 'ProxyCommand=*', 'proxycommand=x', 'PROXYCOMMAND x', '*Command*'];

const ssh = findTool('ssh');
const git = findTool('git');

function saysProxy(text: string): boolean {
  try {
    const said = execFileSync(ssh ?? '', ['-F', '/dev/null', '-G', '-o', text, 'h'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return /^proxycommand x$/m.test(said);
  } catch {
    return false;
  }
}

describe('A-112 P7: what a tool reads in any case, a strict rule sees in any case', () => {
  test.skipIf(ssh === undefined)('each text that ssh takes for ProxyCommand', () => {
    let taken = 0;
    const rules = patterns.flatMap((pattern) => [
      oneRule('ssh', { args: compileArgs(['-o', pattern, '**']) }),
      oneRule('ssh', { args: compileArgs(['**', pattern, '**']) }, 'ask'),
    ]);
    const attached = [
      oneRule('ssh', { flags: ['-oProxyCommand'] }),
      oneRule('ssh', { args: compileArgs(['-oproxycommand*', '**']) }),
    ];
    fc.assert(
      fc.property(written, (text) => {
        if (!saysProxy(text)) return;
        taken += 1;
        const lines = [
          ['-o', text, 'h'],
          [`-o${text}`, 'h'],
          ['h', '-4o', text],
        ];
        for (const rule of rules) expect(holds(rule, 'ssh', lines[0] ?? [])).toBe(true);
        for (const line of lines)
          for (const rule of [...attached, ...rules.filter((_, at) => at % 2 === 0)])
            expect([line, holds(rule, 'ssh', line)]).toEqual([line, true]);
      }),
      { numRuns: runs, seed: 112 },
    );
    expect(taken).toBeGreaterThan(runs / 5);
  });

  test.skipIf(git === undefined)('each name that git takes for core.fsmonitor', () => {
    const rule = oneRule('git', { args: compileArgs(['-c', 'core.fsmonitor=*', '**']) });
    const byFlag = oneRule('git', { flags: ['-ccore.fsmonitor'] });
    fc.assert(
      fc.property(inAnyCase('core.fsmonitor'), fc.constantFrom('=x', ''), (name, value) => {
        const text = `${name}${value}`;
        const said = execFileSync(git ?? '', ['-c', text, 'config', '--get', 'core.fsmonitor'], {
          encoding: 'utf8',
        });
        expect(said.trim()).toBe(value === '' ? '' : 'x');
        for (const line of [
          ['-c', text, 'status'],
          [`-c${text}`, 'status'],
          ['clone', '-c', text, 'y'],
        ])
          expect([
            line,
            holds(byFlag, 'git', line) && (line[0] === 'clone' || holds(rule, 'git', line)),
          ]).toEqual([line, true]);
      }),
      { numRuns: 20, seed: 112 },
    );
  });

  test('every option of every tool whose values are read so', () => {
    const tools = knownToolNames.filter((tool) => grammarOf(tool).anyCase !== undefined);
    expect(tools).toEqual(['cargo', 'docker', 'gh', 'git', 'kubectl', 'ssh']);
    for (const tool of tools) {
      const { options, subcommands } = grammarOf(tool);
      const places = [
        { words: [] as readonly string[], table: options },
        ...[...(subcommands ?? new Map()).values()].map((one) => ({
          words: one.spellings[0] ?? [],
          table: one.options,
        })),
      ];
      for (const { words, table } of places)
        for (const name of grammarOf(tool).anyCase ?? []) {
          if (table.get(name)?.value !== 'required' || table.get(name)?.values !== undefined) continue;
          const rule = oneRule(tool, { args: compileArgs(['**', name, 'Some.Name=a*', '**']) });
          expect([tool, name, holds(rule, tool, [...words, name, 'sOME.nAME=Ax', 'y'])]).toEqual([
            tool,
            name,
            true,
          ]);
        }
    }
  });
});

test.each([
  ['git', ['config', 'core.fsmonitor', '**'], 'config CORE.FSMonitor x'],
  ['git', ['**', 'core.fsmonitor=*', '**'], '-c CORE.FSMonitor=x status'],
  ['git', ['-c', 'http.sslVerify=false', '**'], '-c http.SSLVERIFY=no fetch'],
  ['kubectl', ['get', 'secrets', '-o', 'yaml', '**'], 'get secrets -oYAML'],
  ['docker', ['run', '--mount', '*src=/*', '**'], 'run --mount type=bind,SRC=/,dst=/x y'],
  ['gh', ['api', '-X', 'DELETE', '**'], 'api --method delete x'],
  ['cargo', ['--config', 'build.rustc-wrapper=*', '**'], '--config build."rustc-wrapper"="x" build'],
  ['cargo', ['--config', 'build.rustc-wrapper=*', '**'], '--config build={rustc-wrapper="x"} build'],
])('A-112: args of %s, %j, hold for %s', (tool, items, line) => {
  expect(holds(oneRule(tool, { args: compileArgs(items) }), tool, line.split(' '))).toBe(true);
});

test.each([
  ['ssh', ['-o', 'ProxyCommand*', '**'], '-o ProxyJump=x h'],
  ['ssh', ['-O*', '**'], '-oProxyCommand=x h'],
  ['git', ['-c', 'core.fsmonitor=*', '**'], '-c core.pager=cat log'],
  ['git', ['config', 'core.fsmonitor', '**'], 'config core.pager x'],
  ['kubectl', ['get', 'secrets', '-o', 'yaml', '**'], 'get secrets -o jsonpath={.items}'],
])('A-34: args of %s, %j, do not hold for %s', (tool, items, line) => {
  expect(holds(oneRule(tool, { args: compileArgs(items) }), tool, line.split(' '))).toBe(false);
});

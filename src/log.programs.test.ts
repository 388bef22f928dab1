import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const program = (body: string) => `
  const { createLog } = await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)});
  const { say } = await import(${JSON.stringify(new URL('./text/say.ts', import.meta.url).href)});
  const texts = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
  ${body}
`;

/** Writes the texts in another process, to that process's stderr. */
function stderrOf(body: string, texts: readonly string[]): string {
  const script = ['--input-type=commonjs', '-e', `(async () => {${program(body)}})()`];
  const { status, stderr } = spawnSync(process.execPath, script, {
    input: JSON.stringify(texts),
    maxBuffer: 1024 ** 3,
  });
  expect(status).toBe(0);
  return stderr.toString('latin1');
}

/** How many texts a program logs at once: a log that nobody reads meanwhile keeps all of them. */
const count = 500;
const rounds = Array.from({ length: process.env['CLAWRDEN_LONG'] === '1' ? 40 : 1 }, (_, round) => round);
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(
      '\u007f',
      '\u009b',
      '\u202e',
      '\u2028',
      '\n',
      '\r',
      '\ud800',
      '"',
      '\\',
      '\u001b[2J',
    ),
    maxLength: 12,
  }),
);

test.each(rounds)(
  'A-83: a log is ASCII, one line of JSON each, whatever is logged, and says the same (%i)',
  () => {
    const texts = fc.sample(hostile, count);
    const body = `
    const log = createLog('relay');
    for (const text of texts) {
      log.info({ text, error: new Error(text), [text]: 1, nested: { [text]: [text] } }, text);
      log.child({ execution: text }).error(new Error(text));
    }`;
    const output = stderrOf(body, texts);
    expect(output.match(/[^\x20-\x7e\n]/)).toBeNull();
    const lines = output.trimEnd().split('\n');
    expect(lines.length).toBe(2 * count);
    for (const [index, text] of texts.entries()) {
      const [info, child] = [lines[2 * index], lines[2 * index + 1]].map((line) => JSON.parse(line ?? ''));
      if (!['text', 'error', 'nested', 'msg', 'level', 'time', 'name'].includes(text))
        expect([info.text, info.msg, info.nested[text]]).toEqual([text, text, [text]]);
      expect(child.execution).toBe(text);
    }
  },
);

test.each(rounds)(
  'A-83: what a program says itself is ASCII, and every line of it says who speaks (%i)',
  () => {
    const output = stderrOf(`for (const text of texts) say('relay', text);`, fc.sample(hostile, count));
    expect(output.endsWith('\n')).toBe(true);
    for (const line of output.slice(0, -1).split('\n'))
      expect(line).toMatch(/^clawrden: relay: [\x20-\x7e]*$/);
  },
);

test('P21 P25: a log that cannot be written loses its lines and ends nothing', () => {
  const logs = `
    const { createLog } = await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)});
    const log = createLog('test');
    for (let i = 0; i < 500; i++) log.info({ i, text: 'x'.repeat(5000) }, 'line');
    process.stdout.write(String(process.memoryUsage().heapUsed < 100e6));
  `;
  const run = `exec "$0" --input-type=module --eval "$1" 2>/dev/full`;
  const { status, stdout } = spawnSync('sh', ['-c', run, process.execPath, logs], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'true' });
});

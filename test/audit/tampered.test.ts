import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rotatedName } from '../../src/audit/audit-files.ts';
import { longestLine } from '../../src/audit/chain.ts';
import { type Dice, seeded } from '../scenarios/seeded.ts';
import { contents, newWitnessed, note, type Witnessed } from './witnessed.ts';

const seed = Number(process.env['CLAWRDEN_SEED'] ?? Date.now() % 1_000_000);
const rounds = process.env['CLAWRDEN_LONG'] === '1' ? 15 : 1;
const patience = { timeout: 4000, interval: 50 };

/** What somebody does to the file, and which records must not be lost. */
interface Tampering {
  readonly what: string;
  readonly does: (file: string, dice: Dice) => Promise<string>;
}

const kept = 'what somebody put there';

const tamperings: readonly Tampering[] = [
  { what: 'removed', does: (file) => rm(file).then(() => '') },
  { what: 'renamed', does: (file) => rename(file, `${file}.old`).then(() => '"n0"') },
  {
    what: 'renamed, as logrotate does',
    does: async (file) => {
      await rename(file, `${file}.1`);
      await writeFile(file, '');
      return '"n0"';
    },
  },
  {
    what: 'replaced by garbage',
    does: async (file) => {
      await rm(file);
      await writeFile(file, kept);
      return kept;
    },
  },
  {
    what: 'truncated in the middle',
    does: async (file, dice) => {
      // With fewer bytes nobody can say whose file it is.
      await truncate(file, 20 + dice.below((await readFile(file)).length - 20));
      return '';
    },
  },
  { what: 'emptied', does: (file) => truncate(file, 0).then(() => '') },
  {
    what: 'replaced by the copy of an hour ago',
    does: async (file) => {
      const lines = (await readFile(file, 'utf8')).split('\n');
      await rm(file);
      await writeFile(file, `${lines.slice(0, 3).join('\n')}\n`);
      return '"n0"';
    },
  },
];

const written = Array.from({ length: 10 }, (_, index) => `n${index}`);

async function writeAll(
  log: Awaited<ReturnType<Witnessed['open']>>,
  texts: readonly string[],
): Promise<void> {
  for (const text of texts) await log.append(note(text));
}

const cases = Array.from({ length: rounds }, (_, round) =>
  tamperings.map(({ what, does }) => ({ what, does, dice: seeded(seed + round) })),
).flat();

describe.concurrent(`A-85 P25: a file of the audit that is changed by somebody else (CLAWRDEN_SEED=${seed})`, () => {
  test.each(cases)(
    '$what while it is written: an incident within a second, and nothing is lost from then on',
    async ({ does, dice }) => {
      await using at = await newWitnessed();
      {
        await using log = await at.open();
        await writeAll(log, written);
        const left = await does(at.file, dice);
        await expect.poll(() => at.incidents(), patience).toHaveLength(1);
        expect(log.warnings()).toEqual([
          expect.stringContaining(`the audit ${at.file} was changed while it was written`),
        ]);
        await writeAll(log, ['after']);
        expect(await contents(at.dir)).toContain(left);
      }
      const { problem } = await at.verify();
      // Lost records are reported; a file that was only renamed is missing, but not lost.
      expect(problem?.why).toMatch(/missing|no audit record/);
      const last = (await readFile(at.file, 'utf8')).split('\n');
      expect(last[0]).toContain('"seq":11,');
      expect(last[0]).toContain('audit-broken');
      for (const life of ['until somebody', 'acknowledges it']) {
        await using log = await at.open();
        expect([life, ...log.warnings()]).toEqual([life, expect.stringContaining('was changed while')]);
      }
      await rm(join(at.dir, 'faults.txt'));
      await using log = await at.open();
      expect(log.warnings()).toEqual([]);
      expect((await at.texts()).at(-1)).toBe('after');
    },
  );

  test.each(cases)(
    '$what between two runs: the next start tells of it, and goes on behind what was recorded',
    async ({ what, does, dice }) => {
      await using at = await newWitnessed();
      {
        await using log = await at.open();
        await writeAll(log, written);
      }
      const left = await does(at.file, dice);
      if (what === 'replaced by garbage') {
        // A file that is not an audit may belong to another program: it is left unchanged.
        await expect(at.open()).rejects.toThrow(
          'it is not empty, and holds no audit record; name another file',
        );
        await appendFile(at.file, '\n');
        await expect(at.open()).rejects.toThrow(
          'its last line is no audit record, or one that was changed; keep it as it is, under another name',
        );
        await rename(at.file, `${at.file}.damaged`);
      }
      {
        await using log = await at.open();
        // If a record was cut, its beginning was moved to a file of its own, which is reported separately.
        expect(log.warnings().filter((text) => !text.includes('not finished'))).toHaveLength(1);
        await writeAll(log, ['after']);
      }
      expect(await at.incidents()).toHaveLength(1);
      expect(await contents(at.dir)).toContain(left);
      const lines = (await readFile(at.file, 'utf8')).split('\n');
      // The ten, and the signed head that ended them.
      expect(lines.some((line) => line.startsWith('{"seq":12,') && line.includes('audit-broken'))).toBe(true);
      const { problem } = await at.verify();
      expect(problem?.why).toMatch(/^records? .* missing$/);
    },
  );
});

test('A-85: a log that nobody touched tells of nothing, over rotations and restarts; a new one begins at 1', async () => {
  await using at = await newWitnessed();
  for (const life of [1, 2, 3]) {
    await using log = await at.open(1500);
    await writeAll(
      log,
      written.map((text) => `${life}.${text}`),
    );
    expect(log.warnings()).toEqual([]);
  }
  expect(await at.incidents()).toEqual([]);
  expect((await at.verify()).problem).toBeUndefined();
  expect(await at.texts()).toHaveLength(30);
});

test('A-85 A-91: a new database beside an old audit is told: more than the history is gone with another one', async () => {
  await using at = await newWitnessed();
  await using other = await newWitnessed();
  {
    await using log = await at.open(1500);
    await writeAll(log, written);
  }
  for (const name of await readdir(at.dir)) {
    if (name.startsWith('audit')) await writeFile(join(other.dir, name), await readFile(join(at.dir, name)));
  }
  {
    await using log = await other.open();
    expect(log.warnings()).toEqual([
      expect.stringContaining('goes up to record 11, and the database is new'),
    ]);
  }
  expect((await other.verify()).problem).toBeUndefined();
  await rm(join(other.dir, 'faults.txt'));
  await using log = await other.open();
  expect(log.warnings()).toEqual([]);
});

test('A-85: a name in the way of a rotation is not overwritten, and nothing is lost', async () => {
  await using at = await newWitnessed();
  {
    await using log = await at.open(1);
    await writeAll(log, ['one']);
    const inTheWay = [rotatedName(at.file, 1), rotatedName(at.file, 1, 1), `${at.file}.next`];
    for (const name of inTheWay) await writeFile(name, '');
    await writeFile(`${at.file}.next`, kept);
    await mkdir(rotatedName(at.file, 2));
    await writeAll(log, ['two', 'three']);
    expect(log.warnings()).toEqual([]);
    expect(await readFile(rotatedName(at.file, 1, 2), 'utf8')).toContain('one');
    expect(await readFile(rotatedName(at.file, 2, 1), 'utf8')).toContain('two');
    expect(await readFile(`${at.file}.next`, 'utf8')).toBe(kept);
    await rm(rotatedName(at.file, 2), { recursive: true });
  }
  expect(await at.texts()).toEqual(['one', 'two', 'three']);
  expect((await at.verify()).problem).toBeUndefined();
});

test('A-85: what is no file of records is refused with the way out, and left alone', async () => {
  await using at = await newWitnessed();
  await mkdir(at.file);
  await expect(at.open()).rejects.toThrow(`the audit ${at.file} cannot be used: it is not a regular file; `);
  await rm(at.file, { recursive: true });
  await writeFile(join(at.dir, 'other'), kept);
  await symlink('other', at.file);
  await expect(at.open()).rejects.toThrow('it is not a regular file');
  expect(await readFile(join(at.dir, 'other'), 'utf8')).toBe(kept);
});

test('A-85: two gateways with a state of their own do not write one audit', async () => {
  await using at = await newWitnessed();
  await using _ = await at.open();
  await expect(at.open()).rejects.toThrow(
    `another gateway writes ${at.file} (pid ${process.pid}); stop it first`,
  );
});

test('A-85: a record of any size is one line of at most 256 KiB, whatever is in it; sixteen of them rotate and start again', async () => {
  await using at = await newWitnessed();
  const dice = seeded(seed);
  const text = () =>
    dice.oneOf(['x', '\u0000', '\u{1f600}', '\ud800', '"\\']).repeat(100_000 + dice.below(60_000));
  for (const life of [1, 2]) {
    await using log = await at.open(512 * 1024);
    for (let i = 0; i < 8; i += 1) {
      const many = Array.from({ length: 1 + dice.below(3) * 20_000 }, () => 'a');
      const record = {
        type: 'decision',
        caller: `c${life}`,
        argv: [text(), ...many],
        more: { [text()]: text() },
      };
      await log.append(record as never);
    }
    expect(log.warnings()).toEqual([]);
  }
  const lines = (await contents(at.dir)).split('\n').filter((line) => line.startsWith('{"seq"'));
  expect(lines).toHaveLength(18);
  expect(lines.filter((line) => line.length > longestLine)).toEqual([]);
  expect(
    lines.filter((line) => line.includes('"type":"decision"') && line.includes('"shortened"')),
  ).toHaveLength(16);
  expect((await at.verify()).problem).toBeUndefined();
});

test('A-85: a line of an earlier version, longer than what is read at once, is followed', async () => {
  await using at = await newWitnessed();
  const { linkHash, firstLink } = await import('../../src/audit/chain.ts');
  const body = { seq: 1, type: 'lifecycle', text: 'x'.repeat(6 * 1024 * 1024), prev: firstLink };
  await writeFile(
    at.file,
    `${JSON.stringify({ ...body, hash: linkHash(body) })}\n{"seq":2,"time":"torn${'x'.repeat(200_000)}`,
  );
  {
    await using log = await at.open();
    await log.append(note('after'));
  }
  expect((await at.verify()).problem).toBeUndefined();
  expect((await at.texts()).at(-1)).toBe('after');
});

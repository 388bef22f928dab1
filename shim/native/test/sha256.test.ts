import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const builds = {
  static: at('../../../build/bench/sha256-check'),
  sanitized: at('../../../build/native-sanitize/sha256-check'),
};

const noHardware = 3;

beforeAll(() => execFileSync('make', ['-s', '-C', at('..'), 'sha256-check']), 60_000);

describe.each(['portable', 'hardware', 'chosen'])('the SHA-256 of the init, %s', (way) => {
  test.each(Object.entries(builds))(
    'of every length up to 2000 bytes is that of everybody (%s)',
    (_name, check) => {
      const bytes = randomBytes(2000);
      const { status, stdout, stderr } = spawnSync(check, [way, 'digests'], { input: bytes });
      if (status === noHardware) return;
      expect([status, stderr.toString()]).toEqual([0, '']);
      const digest = (length: number) => createHash('sha256').update(bytes.subarray(0, length)).digest('hex');
      const expected = Array.from({ length: bytes.length + 1 }, (_, length) => digest(length));
      expect(stdout.toString().trim().split('\n')).toEqual(expected);
    },
  );
});

test.each([
  ['portable', 60],
  ['hardware', 200],
])(
  'by %s it takes more than %i MB in a second of processor time (scripts/bench holds the figure)',
  (way, least) => {
    const { status, stdout } = spawnSync(builds.static, [way, 'speed']);
    if (status !== noHardware) expect(Number(stdout)).toBeGreaterThan(least);
  },
);

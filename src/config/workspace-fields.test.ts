import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Workspace } from '../gen/clawrden/v1/relay.ts';
import { homeMessage, homeOfMessage } from '../wire/home-message.ts';
import { checkHome, formatTold, parseTold } from './told-agents.ts';
import { toWorkspace, workspaceField } from './workspace-fields.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 100_000 : 2_000;
const pieces = fc.constantFrom(
  'a',
  'B',
  '.',
  '..',
  '/',
  '//',
  '-',
  '_',
  '\0',
  '\n',
  ' ',
  '\ud800',
  '\u00e4',
  '',
);
const text = fc.oneof(
  fc.constantFrom('vol', '/srv/app', 'node_modules', 'a/b', '/', 'x'.repeat(256), `/${'x'.repeat(4096)}`),
  fc.array(pieces, { maxLength: 8 }).map((all) => all.join('')),
);
const size = fc.oneof(
  fc.constantFrom(0n, 1n, 255n, 256n, 10_000_000n, 28n * 2n ** 30n, 28n * 2n ** 30n + 1n),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** What a hostile gateway may send. */
const messages: fc.Arbitrary<Workspace> = fc.record({
  home: some(fc.record({ $case: fc.constantFrom('volume', 'bind'), value: text })),
  target: text,
  excludes: fc.array(text, { maxLength: 4 }),
  conflicts: fc.constantFrom('keep-agent', 'keep-tool', '', 'keep-both'),
  limits: some(
    fc.record({
      entries: size,
      bytes: size,
      file: size,
      depth: fc.constantFrom(0, 1, 255, 256, 2 ** 32 - 1),
    }),
  ),
});

const good = {
  kind: 'volume',
  source: 'coder-app',
  target: '/app',
  excludes: ['a/b'],
  conflicts: 'keep-tool',
  limits: { entries: 5, bytes: 1024 ** 4, file: 1024, depth: 7 },
} as const;

test('P2: of whatever a gateway says of a workspace, only what its own file could say is taken', () => {
  let taken = 0;
  fc.assert(
    fc.property(messages, (message) => {
      const checked = checkHome(homeOfMessage(Workspace.decode(Workspace.encode(message).finish())));
      if (typeof checked === 'string') return;
      taken += 1;
      const { kind, source, excludes, conflicts, limits } = checked;
      const written = { sync: true, [kind]: source, excludes: [...excludes], conflicts };
      const counts = { entries: limits.entries, depth: limits.depth };
      expect(workspaceField.safeParse({ ...written, limits: counts }).success).toBe(true);
      expect(source).toMatch(kind === 'bind' ? /^\/[^\0]/ : /^[A-Za-z0-9][A-Za-z0-9_.-]+$/);
      expect(`/${excludes.join('/')}/`).not.toMatch(/\/\.{1,2}\/|\0/);
      const agent = { name: 'x', users: [{ uid: 1, gid: 1 }] as [{ uid: number; gid: number }] };
      expect(parseTold(formatTold([{ ...agent, workspace: checked }]))).toEqual([
        { ...agent, workspace: checked },
      ]);
    }),
    { numRuns, examples: [[homeMessage(good)]] },
  );
  expect(taken).toBeGreaterThan(0);
});

test('what the file says arrives as it was, with defaults', () => {
  const said = workspaceField.parse({
    ...{ bind: '/srv/app', sync: true, 'seen-by': { zone: 'a' }, 'host-size': '2g', conflicts: 'keep-tool' },
    ...{ excludes: ['node_modules', 'a/b'], limits: { bytes: '1t', depth: 9 } },
  });
  const config = toWorkspace(said);
  expect(config).toEqual({
    ...{ kind: 'bind', source: '/srv/app' },
    sync: {
      ...{ seenBy: { zone: 'a' }, hostBytes: 2 * 1024 ** 3 },
      carried: {
        ...{ conflicts: 'keep-tool', excludes: ['node_modules', 'a/b'] },
        limits: { entries: 200_000, bytes: 1024 ** 4, file: 4 * 1024 ** 3, depth: 9 },
      },
    },
  });
  const told = { kind: config.kind, source: config.source, target: '/app', ...config.sync?.carried } as never;
  const message = Workspace.decode(Workspace.encode(homeMessage(told)).finish());
  expect(checkHome(homeOfMessage(message))).toEqual(told);
  expect(toWorkspace(workspaceField.parse({ volume: 'app', sync: true })).sync).toMatchObject({
    ...{ seenBy: {}, hostBytes: 10 * 1024 ** 3 },
    carried: { conflicts: 'keep-agent', excludes: [], limits: { depth: 255 } },
  });
  expect(toWorkspace(workspaceField.parse({ volume: 'app' }))).toEqual({ kind: 'volume', source: 'app' });
});

test.each([
  [{ volume: 'app', excludes: ['x'] }, /only with sync: true/],
  [{ volume: 'app', sync: true, conflicts: 'newest' }, /conflicts/],
  [{ volume: 'app', sync: true, excludes: ['../x'] }, /must be a name/],
  [{ volume: 'app', sync: true, excludes: ['/x'] }, /must be a name/],
  [{ volume: 'app', sync: true, excludes: Array(17).fill('x'.repeat(255)) }, /4096 bytes/],
  [{ volume: 'app', sync: true, limits: { file: '29g' } }, /limits/],
  [{ volume: 'app', sync: true, limits: { bytes: '999999t' } }, /limits/],
  [{ volume: 'app', sync: true, limits: { depth: 256 } }, /limits/],
  [{ volume: 'app', sync: true, 'host-size': '10' }, /a size like/],
  [{ bind: `/${'x'.repeat(4095)}`, sync: true }, /4095 bytes/],
])('is refused in the file: %j', (raw, problem) => {
  const issues = workspaceField.safeParse(raw).error?.issues ?? [];
  expect(issues.map(({ path, message }) => `${path.join('.')} ${message}`).join()).toMatch(problem);
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFindLinks } from './find-links.ts';
import type { HomeWorkspace } from './gateway-config.ts';
import { parseRelayConfig } from './relay-config.ts';
import type { ToldAgent } from './told-agents.ts';
import { createFindOutOfBounds } from './workspace-bounds.ts';

let base: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'clawrden-bounds-')));
});
afterAll(() => rmSync(base, { recursive: true }));

const carried = {
  ...{ target: '/app', excludes: [], conflicts: 'keep-agent' as const },
  limits: { entries: 1, bytes: 2, file: 3, depth: 4 },
};
const bind = (source: string): HomeWorkspace => ({ kind: 'bind', source, ...carried });
const volume = (source: string): HomeWorkspace => ({ kind: 'volume', source, ...carried });
const agents = (...workspaces: (HomeWorkspace | undefined)[]): ToldAgent[] =>
  workspaces.map((workspace, index) => ({
    ...{ name: `a${index}`, users: [{ uid: 1000, gid: 1000 }] },
    ...(workspace && { workspace }),
  }));
const finder = (roots: readonly string[] | undefined, places: object = {}, findLinks = createFindLinks()) => {
  const file = { gateway: 'w:1', identity: '/nonexistent/identity', state: '/nonexistent/state', ...places };
  const text = JSON.stringify({ ...file, ...(roots && { 'workspace-roots': roots }) });
  return createFindOutOfBounds(parseRelayConfig(text, '/nonexistent/relay.yaml'), findLinks);
};
const problems = async (find: ReturnType<typeof finder>, ...workspaces: HomeWorkspace[]) => {
  const found = await find(agents(...workspaces));
  return workspaces.map((_, index) => found.get(`a${index}`) ?? '');
};

test('by default volumes and what is in /srv are kept, and nothing else; an empty list lets nothing be kept', async () => {
  const told = ['/srv/app', '/srv/a/b', '/srvx/app', '/home/coder/app', '/opt/app', '/data'].map(bind);
  const outside = expect.stringContaining('is not in workspace-roots of relay.yaml: [volumes, /srv]');
  expect(await problems(finder(undefined), volume('coder-app'), ...told)).toEqual([
    ...['', '', ''],
    ...[outside, outside, outside, outside],
  ]);
  const none = expect.stringContaining('is not in workspace-roots of relay.yaml: []');
  expect(await problems(finder([]), volume('coder-app'), bind('/srv/app'))).toEqual([none, none]);
  expect(await problems(finder(['volumes']), volume('clawrden-app'), bind('/srv/app'))).toEqual([
    '',
    expect.stringContaining('/srv/app is not in'),
  ]);
});

test('a volume of the gateway’s own is no workspace', async () => {
  const names = ['clawrden-init-0123456789ab', 'clawrden-ws-0123456789abcdef', 'clawrden-initial'].map(
    volume,
  );
  const own = expect.stringMatching(/volume clawrden-.* has a name of Clawrden's own/);
  expect(await problems(finder(undefined), ...names)).toEqual([own, own, '']);
});

test('P13: no folder in which a carrier keeps its own files is a workspace', async () => {
  const own = expect.stringMatching(/has a name of Clawrden's own$/);
  for (const source of [
    '/srv/.app.clawrden',
    '/srv/.app.clawrden/kept',
    '/srv/app/.clawrden',
    '/srv/..clawrden',
    '/srv/.app.clawrden-1/kept',
    '/srv/app/.clawrden-8',
  ])
    expect([source, await problems(finder(['/srv']), bind(source))]).toEqual([source, [own]]);
  for (const source of [
    '/srv/clawrden',
    '/srv/app.clawrden',
    '/srv/.app',
    '/srv/.clawrden.app',
    '/srv/.app.clawrden-9',
  ])
    expect([source, await problems(finder(['/srv']), bind(source))]).toEqual([source, ['']]);
});

test('no folder of the system’s is kept, whatever the roots are, nor one in it or above it', async () => {
  const wide = finder(['/home', '/var', '/opt', '/tmp', '/srv', '/data']);
  const folders = ['/etc', '/usr', '/root', '/proc', '/dev', '/run', '/boot', '/var/lib/docker', '/var/run'];
  const hostile = [
    ...folders.flatMap((folder) => [folder, `${folder}/x`, `${folder}/x/y`]),
    ...['/home', '/var', '/opt', '/tmp', '/srv', '/var/lib', '/var/tmp', '/var/lib/docker/volumes/v/_data'],
  ];
  for (const source of hostile)
    expect(await problems(wide, bind(source))).toEqual([expect.stringMatching(/a folder of the system's$/)]);
  const fine = ['/home/coder/app', '/var/app', '/var/lib/app', '/opt/etc', '/tmp/usr', '/data', '/srv/root'];
  for (const source of fine) expect([source, await problems(wide, bind(source))]).toEqual([source, ['']]);
});

const names = fc.array(fc.constantFrom('a', 'b', 'ab'), { maxLength: 3 });

test('P13: a workspace is kept if it is in a root, and clear of the relay’s places and of all other agents’', async () => {
  const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 4000 : 100;
  const kept = { some: 0, none: 0 };
  const holds = (outer: readonly string[], inner: readonly string[]) =>
    outer.every((name, index) => inner[index] === name);
  const input = fc.record({
    roots: fc.array(names),
    own: fc.array(names, { maxLength: 3 }),
    told: fc.array(names),
  });
  await fc.assert(
    fc.asyncProperty(input, async ({ roots, own: [state, identity, socket], told }) => {
      const at = (path: readonly string[]) => join(base, 'pure', ...path);
      const places = {
        ...(state && { state: at(state) }),
        ...(identity && { identity: at(identity) }),
        ...(socket && {
          agents: [{ name: 'own', container: 'own', users: ['1:1'], socket: join(at(socket), 's') }],
        }),
      };
      const own = [state, identity, socket].filter((place) => place !== undefined);
      const found = await problems(finder(roots.map(at), places), ...told.map(at).map(bind));
      const isInPlace = (path: readonly string[]) =>
        roots.some((root) => holds(root, path)) &&
        !own.some((place) => holds(place, path) || holds(path, place));
      for (const [index, path] of told.entries()) {
        const isAnother = told.some(
          (other, each) => each !== index && isInPlace(other) && holds(path, other),
        );
        expect(found[index] === '').toBe(isInPlace(path) && !isAnother);
        kept[found[index] === '' ? 'some' : 'none'] += 1;
      }
    }),
    { numRuns },
  );
  expect(Math.min(kept.some, kept.none)).toBeGreaterThan(numRuns / 20);
});

test('two agents have no volume together; the one that is within the other’s folder keeps it', async () => {
  const found = await problems(
    finder(undefined),
    ...[volume('both'), volume('both'), volume('both2'), bind('/srv/x'), bind('/srv/x/y'), bind('/srv/xy')],
  );
  const another = (name: string) => expect.stringContaining(`the workspace of agent ${name}`);
  expect(found).toEqual([another('a1'), another('a0'), '', another('a4'), '', '']);
});

test('A-145: a workspace that is refused is in no other’s way; one that cannot be looked at now is', async () => {
  const at = (path: string) => join(base, 'way', path);
  mkdirSync(at('app'), { recursive: true });
  symlinkSync('/etc', at('app/out'));
  const refused = expect.stringMatching(/Clawrden's own|is a link$/);
  const find = finder([at('').replace(/\/$/, '')]);
  expect(await problems(find, ...['app', 'app/.clawrden', 'app/out'].map(at).map(bind))).toEqual([
    ...['', refused, refused],
  ]);
  const stuck = finder(
    undefined,
    {},
    createFindLinks((path) => (path === '/srv/x/y' ? new Promise(() => {}) : Promise.resolve('')), 50),
  );
  expect(await problems(stuck, bind('/srv/x'), bind('/srv/x/y'))).toEqual([
    expect.stringContaining('the workspace of agent a1'),
    expect.stringContaining('it cannot be looked at in time'),
  ]);
});

test('a path that goes through a link is not kept, also through one that leads nowhere yet, or round', async () => {
  const at = (path: string) => join(base, 'links', path);
  mkdirSync(at('real/app'), { recursive: true });
  writeFileSync(at('file'), '');
  symlinkSync('real', at('link'));
  symlinkSync('/etc', at('real/app/out'));
  symlinkSync('not-there', at('dangling'));
  symlinkSync('round', at('round'));
  const through = (path: string) => [
    expect.stringContaining(`does not name a folder itself: ${at(path)} is a link`),
  ];
  const find = finder([at('.').replace(/\/$/, '')]);
  const look = (path: string) => problems(find, bind(at(path)));
  for (const path of ['link', 'dangling', 'round', 'real/app/out'])
    expect([path, await look(path)]).toEqual([path, through(path)]);
  expect(await look('link/app')).toEqual(through('link'));
  expect(await look('real/app/out/ssh')).toEqual(through('real/app/out'));
  expect(await look('file/app')).toEqual([expect.stringContaining('cannot be looked at: ENOTDIR')]);
  expect(await look('real/app')).toEqual(['']);
  expect(await look('not/there/yet')).toEqual(['']);
});

test('places of the relay count as they are written and where they lead', async () => {
  const at = (path: string) => join(base, 'led', path);
  mkdirSync(at('disk/state'), { recursive: true });
  symlinkSync('disk/state', at('state'));
  const find = finder([at('x').slice(0, -2)], { state: at('state') });
  const own = [expect.stringContaining("the relay's own")];
  for (const path of ['state', 'state/x', 'disk', 'disk/state', 'disk/state/x'])
    expect([path, await problems(find, bind(at(path)))]).toEqual([path, own]);
  expect(await problems(find, bind(at('disk/app')))).toEqual(['']);
});

test('a file system that does not answer costs its workspaces, no more than one look, and a short wait', async () => {
  const asked: string[] = [];
  const stuck = Promise.withResolvers<string>();
  const look = (path: string) => {
    asked.push(path);
    return path === '/srv/stuck' ? stuck.promise : Promise.resolve('');
  };
  const find = finder(undefined, {}, createFindLinks(look, 50));
  const told = [bind('/srv/first'), bind('/srv/stuck'), volume('app')];
  const late = expect.stringContaining('it cannot be looked at in time');
  for (let again = 0; again < 5; again += 1) expect(await problems(find, ...told)).toEqual([late, late, '']);
  expect(asked).toEqual(['/srv/first', '/srv/stuck']);
  stuck.resolve('');
  await expect.poll(() => problems(find, ...told)).toEqual(['', '', '']);
});

test('A-516 P20: a workspace that was in order stays so while a later look at it is slow', async () => {
  let stuck = Promise.resolve('');
  const look = (path: string) => (path === '/srv/slow' ? stuck : Promise.resolve(''));
  const find = finder(undefined, {}, createFindLinks(look, 50, 2000));
  const told = [bind('/srv/slow'), bind('/srv/first')];
  expect(await problems(find, ...told)).toEqual(['', '']);
  const slow = Promise.withResolvers<string>();
  stuck = slow.promise;
  for (let again = 0; again < 3; again += 1) expect(await problems(find, ...told)).toEqual(['', '']);
  // What is new was never looked at.
  const late = expect.stringContaining('it cannot be looked at in time');
  expect(await problems(find, ...told, bind('/srv/new'))).toEqual(['', '', late]);
  await expect.poll(() => problems(find, ...told)).toEqual([late, late]);
  slow.resolve('/srv/slow is a link');
  await expect
    .poll(() => problems(find, ...told))
    .toEqual([expect.stringContaining('/srv/slow is a link'), '']);
});

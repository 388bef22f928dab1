import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, CarrierProcess, makePlace } from './carrier-process.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const asRoot = process.getuid?.() === 0;
const places = buildsOrOnly('sanitized');

/** Another process that does this to a folder again and again, from now on until it is disposed of. */
async function again(folder: string, body: string): Promise<AsyncDisposable> {
  const script = `const { join } = require('node:path'); const at = (name) => join(process.argv[1], name);
    process.stdout.write('x');
    for (let i = 0; ; i++) { try { ${body} } catch {} }`;
  const child = spawn(process.execPath, ['-e', script, folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

describe.each(places)(
  'an agent that writes in the tree ($name, $under)',
  ({ name: build, carrier, under }) => {
    const applies = long ? 150 : 15;

    test.each([
      [
        '1: a folder that becomes a link to outside and back',
        `fs.renameSync(at('d'), at('e')); fs.symlinkSync(at('../outside'), at('d')); fs.unlinkSync(at('d')); fs.renameSync(at('e'), at('d'));`,
      ],
      ['2: parents that are renamed', `fs.renameSync(at('d'), at('e')); fs.renameSync(at('e'), at('d'));`],
    ])(
      '%s leads nothing out',
      async (_name, body) => {
        await using pair = await Pair.make(carrier, under);
        const outside = join(pair.homePlace.folder, 'outside');
        mkdirSync(outside);
        writeFileSync(join(outside, 'f'), 'not yours');
        mkdirSync(join(pair.homePlace.root, 'd', 'in'), { recursive: true });
        writeFileSync(join(pair.homePlace.root, 'd', 'f'), '0');
        await sendOut(pair.home.session, pair.replica.session);
        {
          await using _loop = await again(pair.homePlace.root, body);
          for (let i = 1; i <= applies; i++) {
            writeFileSync(join(pair.replicaPlace.root, 'd', 'f'), `${i}`);
            writeFileSync(join(pair.replicaPlace.root, 'd', 'in', `new${i}`), `${i}`);
            await bringHome(pair.home.session, pair.replica.session);
            rmSync(join(pair.replicaPlace.root, 'd', 'in', `new${i}`), { force: true });
          }
        }
        expect(readdirSync(outside)).toEqual(['f']);
        expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('not yours');
        await bringHome(pair.home.session, pair.replica.session);
        await sendOut(pair.home.session, pair.replica.session);
        await bringHome(pair.home.session, pair.replica.session);
        await sendOut(pair.home.session, pair.replica.session);
        expect(pair.difference).toBe('');
      },
      long ? 600_000 : 60_000,
    );

    test(
      '3: of a file that the agent replaces all the time no version is lost',
      async () => {
        await using pair = await Pair.make(carrier, under);
        const [here, there] = [join(pair.homePlace.root, 'f'), join(pair.replicaPlace.root, 'f')];
        const lost = join(pair.homePlace.folder, 'lost');
        writeFileSync(here, 'agent start');
        await sendOut(pair.home.session, pair.replica.session);
        {
          // What stands where its own last version stood must have been made from that version. Between a swap and the
          // swap back it may see another one, but not for long.
          await using _loop = await again(
            pair.homePlace.folder,
            `fs.writeFileSync(at('new'), 'agent ' + i); fs.renameSync(at('new'), at('base/f'));
         const read = () => fs.readFileSync(at('base/f'), 'utf8');
         const isMine = () => ['agent ' + i, 'tool after agent ' + i].includes(read());
         for (let wait = 0; wait < (i % 7) * 150; wait++) {
           let mine = isMine();
           for (const until = Date.now() + 2000; !mine && Date.now() < until; ) mine = isMine();
           if (!mine) fs.appendFileSync(at('lost'), i + ' became ' + read() + '\\n');
         }`,
          );
          for (let i = 0; i < (long ? 300 : 150); i++) {
            await sendOut(pair.home.session, pair.replica.session);
            const now = readFileSync(there, 'utf8');
            writeFileSync(there, now.startsWith('tool') ? now : `tool after ${now}`);
            await bringHome(pair.home.session, pair.replica.session);
          }
        }
        expect(existsSync(lost) ? readFileSync(lost, 'utf8') : '').toBe('');
      },
      long ? 600_000 : 60_000,
    );

    test.runIf(asRoot)(
      '7: setuid and capabilities are never carried; setgid and sticky of folders are',
      async () => {
        await using pair = await Pair.make(carrier, under);
        const there = (path: string) => join(pair.replicaPlace.root, path);
        writeFileSync(there('suid'), 'x');
        chmodSync(there('suid'), 0o6755);
        writeFileSync(there('able'), 'x');
        execFileSync('setcap', ['cap_net_raw+ep', there('able')], {
          env: { PATH: '/usr/sbin:/sbin:/usr/bin' },
        });
        mkdirSync(there('folder'));
        chmodSync(there('folder'), 0o3775);
        await bringHome(pair.home.session, pair.replica.session);
        const here = (path: string) => join(pair.homePlace.root, path);
        expect(statSync(here('suid')).mode & 0o7777).toBe(0o755);
        expect(execFileSync('getfattr', ['-d', '-m', '-', here('able')]).toString()).toBe('');
        expect(statSync(here('folder')).mode & 0o7777).toBe(0o3775);
      },
    );

    test.runIf(asRoot)(
      '8: a FIFO in the place of a file is not waited for, and nothing goes over it',
      async () => {
        await using pair = await Pair.make(carrier, under);
        writeFileSync(join(pair.homePlace.root, 'f'), 'x');
        await sendOut(pair.home.session, pair.replica.session);
        rmSync(join(pair.homePlace.root, 'f'));
        execFileSync('mkfifo', [join(pair.homePlace.root, 'f')]);
        writeFileSync(join(pair.replicaPlace.root, 'f'), 'tool');
        const back = await bringHome(pair.home.session, pair.replica.session);
        expect(back?.exchanged.applied.refused).toMatchObject([{ why: 'conflict' }]);
        expect(statSync(join(pair.homePlace.root, 'f')).isFIFO()).toBe(true);
      },
    );

    test('5: names of any bytes arrive as they are', async () => {
      await using pair = await Pair.make(carrier, under);
      const names = ['-rf', 'a\nb', '\u202etxt', '\x1b[31m', 'é', '\\', '*', ' ', 'x'.repeat(255)].map(
        (name) => Buffer.from(name),
      );
      names.push(Buffer.of(0xff, 0xfe), Buffer.of(0xc3, 0x28));
      const path = (root: string, name: Buffer) => Buffer.concat([Buffer.from(`${root}/`), name]);
      for (const name of names) writeFileSync(path(pair.homePlace.root, name), name);
      await sendOut(pair.home.session, pair.replica.session);
      for (const name of names) expect(readFileSync(path(pair.replicaPlace.root, name))).toEqual(name);
      expect(pair.difference).toBe('');
    });

    test('9: a file that grows or shrinks while it is read is right in the end', async () => {
      await using pair = await Pair.make(carrier, under);
      const file = join(pair.homePlace.root, 'f');
      writeFileSync(file, Buffer.alloc(5_000_000, 'x'));
      {
        await using _loop = await again(
          pair.homePlace.root,
          `fs.appendFileSync(at('f'), 'more'); fs.truncateSync(at('f'), 4000000 + i % 1000);`,
        );
        for (let i = 0; i < 5; i++) await sendOut(pair.home.session, pair.replica.session);
      }
      await sendOut(pair.home.session, pair.replica.session);
      expect(pair.difference).toBe('');
      appendFileSync(file, 'end');
      truncateSync(file, 3_000_000);
      await sendOut(pair.home.session, pair.replica.session);
      expect(pair.difference).toBe('');
    });

    test(
      '10: a file of many names, split by either side',
      async () => {
        await using pair = await Pair.make(carrier, under);
        // An inode of ext4 has at most 65,000 names.
        const many = long ? 60_000 : build === 'static' ? 1000 : 200;
        const [here, there] = [pair.homePlace.root, pair.replicaPlace.root];
        writeFileSync(join(here, 'n0'), 'x');
        for (let i = 1; i < many; i++) linkSync(join(here, 'n0'), join(here, `n${i}`));
        await sendOut(pair.home.session, pair.replica.session);
        expect(statSync(join(there, 'n1')).nlink).toBe(many);
        rmSync(join(there, 'n0'));
        writeFileSync(join(there, 'n0'), 'split');
        writeFileSync(join(there, 'n7'), 'all the others');
        const back = await bringHome(pair.home.session, pair.replica.session);
        expect(back?.exchanged.applied.refused).toEqual([]);
        expect(statSync(join(here, 'n1')).nlink).toBe(many - 1);
        expect(pair.difference).toBe('');
      },
      long ? 300_000 : 30_000,
    );

    test.runIf(asRoot)(
      '22: a home that may not give files away keeps them as the agent, and both agree',
      async () => {
        await using pair = await Pair.make(carrier, under);
        using place = makePlace(under);
        for (const path of [place.folder, place.root]) execFileSync('chown', ['1000:1000', path]);
        await using home = await CarrierProcess.start(carrier, place, { uid: 1000, gid: 1000 });
        expect(readFileSync(`/proc/${home.child.pid}/status`, 'utf8')).toMatch(
          /CapEff:\s0+\n[^]*NoNewPrivs:\s1/,
        );
        await sendOut(home.session, pair.replica.session);
        writeFileSync(join(pair.replicaPlace.root, 'of-root'), 'x');
        const back = await bringHome(home.session, pair.replica.session);
        expect(back?.exchanged.applied.refused).toEqual([]);
        expect(statSync(join(place.root, 'of-root'))).toMatchObject({ uid: 1000, gid: 1000 });
        await sendOut(home.session, pair.replica.session);
        expect(statSync(join(pair.replicaPlace.root, 'of-root'))).toMatchObject({ uid: 1000, gid: 1000 });
        expect((await home.session.settle()).tree).toBe((await pair.replica.session.settle()).tree);
      },
    );
  },
);

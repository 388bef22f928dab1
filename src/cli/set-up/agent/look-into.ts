import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import { z } from 'zod';
import { openAnswer } from '../doctor/engine-request.ts';
import type { JailEntry } from './jail-facts.ts';

/** An entry of a container's file system, itself, not what it leads to. */
export interface PathStat {
  readonly isFolder: boolean;
  readonly isLink: boolean;
  readonly isSocket: boolean;
  /** Where a link leads in the container, in the end; empty if it is no link. */
  readonly leadsTo: string;
}

/** Looks into a container without running anything in it. */
export interface Look {
  /** `undefined` if there is nothing at the path. */
  readonly stat: (path: string) => Promise<PathStat | undefined>;
  /** Entries of a folder. `undefined` if there is none; rejects if they are more than 10,000 or hold more than 16 MiB. */
  readonly list: (folder: string) => Promise<readonly JailEntry[] | undefined>;
  /** The text of a file, also through links. `undefined` if there is none, or if it holds more than 16 MiB. */
  readonly read: (path: string) => Promise<string | undefined>;
}

/** `id` is one of the engine at `unix:///PATH`. */
export function lookInto(engine: string, id: string): Look {
  const open = (path: string, method: 'GET' | 'HEAD') =>
    openAnswer({ engine }, `/containers/${id}/archive?path=${encodeURIComponent(path)}`, method);
  const stat = async (path: string) => statOf(await open(path, 'HEAD'));
  return {
    stat,
    list: async (folder) => {
      const all = await readEntries(await open(`${folder}/`, 'GET'));
      return all?.flatMap((entry) => {
        // The folder itself is the first entry, and every name begins with its own.
        const name = entry.name.replace(/^[^/]*\/?/, '');
        return name === '' ? [] : [{ ...entry, name }];
      });
    },
    read: async (path) => {
      const found = await stat(path);
      const place = found?.isLink === true ? found.leadsTo : path;
      const [file] = (await readEntries(await open(place, 'GET')).catch(() => undefined)) ?? [];
      return file?.type === 'file' ? file.bytes.toString() : undefined;
    },
  };
}

/** As Go's os.FileMode has them. */
const goMode = { folder: 2 ** 31, link: 2 ** 27, socket: 2 ** 24 };

const pathStat = z.object({ mode: z.number(), linkTarget: z.string() });

function statOf(answer: IncomingMessage): PathStat | undefined {
  answer.destroy();
  if (answer.statusCode === 404) return undefined;
  const text = answer.headers['x-docker-container-path-stat'];
  if (answer.statusCode !== 200 || typeof text !== 'string')
    throw new Error(`the engine does not look into the container (${answer.statusCode})`);
  const { mode, linkTarget } = pathStat.parse(JSON.parse(Buffer.from(text, 'base64').toString()));
  const has = (bit: number) => Math.floor(mode / bit) % 2 === 1;
  return {
    isFolder: has(goMode.folder),
    isLink: has(goMode.link),
    isSocket: has(goMode.socket),
    leadsTo: linkTarget,
  };
}

const mostEntries = 10_000;
const mostBytes = 16 * 1024 ** 2;

async function readEntries(answer: IncomingMessage): Promise<JailEntry[] | undefined> {
  try {
    if (answer.statusCode === 404) return undefined;
    if (answer.statusCode !== 200)
      throw new Error(`the engine does not look into the container (${answer.statusCode})`);
    const unpacked = answer.pipe(extract());
    answer.on('error', (error) => unpacked.destroy(error));
    const found: JailEntry[] = [];
    let held = 0;
    for await (const entry of unpacked) {
      const { header } = entry;
      held += header.size ?? 0;
      if (found.length === mostEntries || held > mostBytes) throw new Error('it holds too much to look at');
      found.push({
        name: header.name,
        type: typeOf(header.type),
        target: header.linkname ?? '',
        mode: header.mode ?? 0,
        bytes: await buffer(entry),
      });
    }
    await finished(answer).catch(() => {});
    return found;
  } finally {
    answer.destroy();
  }
}

function typeOf(type: Header['type']): JailEntry['type'] {
  if (type === 'symlink') return 'link';
  return type === 'file' || type === 'contiguous-file' ? 'file' : 'other';
}

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/**
 * A registry for npm, over TLS on port 443 of ADDRESS: packages p0, p1 … of 20 kB; and on port 8088 one page, 1 MiB of plain
 * text. FOLDER has `cert` and `key`. */
const [folder = '', address = ''] = process.argv.slice(2);
const [cert, key] = await Promise.all(['cert', 'key'].map((name) => readFile(join(folder, name))));
const version = '1.0.0';
const bytes = 20_000;

const tarballs = new Map<string, Promise<Buffer>>();

async function makeTarball(name: string): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'package/package.json' }, JSON.stringify({ name, version }));
  archive.entry({ name: 'package/index.js' }, `// ${randomBytes(bytes / 2).toString('hex')}\n`);
  archive.finalize();
  return gzipSync(await buffer(archive));
}

function tarball(name: string): Promise<Buffer> {
  const made = tarballs.get(name) ?? makeTarball(name);
  tarballs.set(name, made);
  return made;
}

async function answer(path: string): Promise<Buffer | string> {
  const file = /^\/-\/(p\d+)\.tgz$/.exec(path)?.[1];
  if (file !== undefined) return await tarball(file);
  const name = path.slice(1);
  const integrity = `sha512-${createHash('sha512')
    .update(await tarball(name))
    .digest('base64')}`;
  const dist = { tarball: `https://${address}/-/${name}.tgz`, integrity };
  return JSON.stringify({
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, dist } },
  });
}

const page = 'a line of plain text\n'.repeat(50_000).slice(0, 1024 * 1024);
const plain = createPlainServer((_, response) => {
  response.setHeader('content-type', 'text/plain; charset=utf-8').end(page);
}).listen(8088, '::');
await once(plain, 'listening');

createServer({ cert, key }, (request, response) => {
  void answer(request.url ?? '/').then((body) => response.end(body));
}).listen(443, '::', () => process.send?.('ready'));
process.on('disconnect', () => process.exit());

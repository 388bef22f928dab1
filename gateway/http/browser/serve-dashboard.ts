import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { packageRoot } from '../../../src/package-root.ts';
import { HttpRefused } from '../problem.ts';
import { type BuiltFile, type BuiltFiles, readBuiltFiles } from './built-files.ts';
import { dashboardPages } from './dashboard-pages.ts';

/** Where `scripts/bundle dashboard` puts what it builds. */
const builtFolder = join(packageRoot(), 'build/dashboard');

/** Their names change with what is in them. */
const forEver = { 'cache-control': 'public, max-age=31536000, immutable' };

/** A file of the dashboard by its name; throws what a reader is told if it is not there. */
export type FindFile = (name: string) => Promise<BuiltFile>;

export function createFindFile(folder: string = builtFolder): FindFile {
  let files: Promise<BuiltFiles | undefined> | undefined;
  return async (name) => {
    files ??= readBuiltFiles(folder);
    const built = await files;
    if (built === undefined) {
      files = undefined;
      throw new HttpRefused(404, 'the dashboard is not built; run scripts/bundle dashboard');
    }
    const file = built.get(name);
    if (file === undefined) throw new HttpRefused(404, 'there is nothing at this path');
    return file;
  };
}

/** Serves the dashboard: pages and their files, to everybody, because they tell nothing. */
export function serveDashboard(app: FastifyInstance, find: FindFile): void {
  for (const { paths, file, policy } of dashboardPages)
    for (const path of paths)
      app.get(path, async (request, reply) => {
        void reply.header('content-security-policy', policy);
        return send(request, reply, await find(file));
      });
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const file = await find(`assets/${request.params.name}`);
    void reply.headers(forEver);
    return send(request, reply, file);
  });
}

function send(request: FastifyRequest, reply: FastifyReply, { type, plain, packed }: BuiltFile) {
  void reply.type(type).header('vary', 'accept-encoding');
  const takesGzip = /\bgzip\b(?!;q=0(?:\.0*)?(?:,|$))/.test(request.headers['accept-encoding'] ?? '');
  if (!takesGzip) return reply.send(plain);
  return reply.header('content-encoding', 'gzip').send(packed);
}

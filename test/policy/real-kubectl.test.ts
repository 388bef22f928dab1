import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { findTool } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const has = findTool('kubectl') !== undefined;

const kinds = {
  'api/v1': ['pods pod Pod po', 'secrets secret Secret', 'configmaps configmap ConfigMap cm'],
  'apis/apps/v1': ['deployments deployment Deployment deploy', 'statefulsets statefulset StatefulSet sts'],
};

/** A cluster that has these kinds and no object of them: a kubectl needs one to know what a word means. */
function answerTo(path: string): object {
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') {
    const version = { groupVersion: 'apps/v1', version: 'v1' };
    return {
      kind: 'APIGroupList',
      groups: [{ name: 'apps', versions: [version], preferredVersion: version }],
    };
  }
  const here = Object.entries(kinds).find(([folder]) => path === `/${folder}`);
  if (here === undefined) return { kind: 'List', apiVersion: 'v1', metadata: {}, items: [] };
  const resources = here[1].map((line) => {
    const [name, singularName, kind, ...shortNames] = line.split(' ');
    return { name, singularName, kind, shortNames, namespaced: true, verbs: ['get', 'list', 'delete'] };
  });
  return { kind: 'APIResourceList', groupVersion: here[0].replace(/^apis?\//, ''), resources };
}

const asked: string[] = [];
const server: Server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://x');
  asked.push(pathname);
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answerTo(pathname)));
});
const home = mkdtempSync(join(tmpdir(), 'clawrden-kubectl-'));
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
});

/** The kinds that the real kubectl asks the cluster about. */
async function askedFor(args: readonly string[]): Promise<readonly string[]> {
  asked.length = 0;
  const { port } = server.address() as AddressInfo;
  const all = ['--server', `http://127.0.0.1:${port}`, ...args];
  const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: '/dev/null' };
  await new Promise<void>((resolve) => {
    execFile(findTool('kubectl') ?? 'kubectl', all, { env, timeout: 30_000 }, () => resolve());
  });
  const found = asked.flatMap((path) => /\/namespaces\/default\/([a-z]+)/.exec(path)?.[1] ?? []);
  return [...new Set(found)];
}

function isDenied(about: string, args: readonly string[]): boolean {
  const text = `version: 1\ntools: { kubectl: { strategy: mirror } }\nrules:\n  - { name: no, tools: [kubectl], args: [${about}, "**"], action: deny }\n  - { name: yes, tools: [kubectl], action: allow }\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return (
    decide(result.policy, { agent: 'a', tool: 'kubectl', uid: 1, gid: 1, cwd: '/app', args }).action ===
    'deny'
  );
}

/** Every kind by every name, in every form that kubectl takes. */
const forms: readonly (readonly string[])[] = Object.entries(kinds).flatMap(([folder, lines]) =>
  lines.flatMap((line) =>
    line.split(' ').flatMap((name) => {
      const group = folder === 'api/v1' ? ['.', '.v1', '.v1.'] : ['.apps', '.v1.apps', '.ap'];
      const words = [name, name.toUpperCase(), ...group.map((end) => `${name}${end}`)];
      return words.flatMap((word) => [
        [word],
        [word, 'x'],
        [`${word}/x`],
        [`configmaps,${word}`],
        [`${word},po`, 'x'],
        ['cm/y', `${word}/x`],
      ]);
    }),
  ),
);
const isSampled = (at: number) => Math.imul(at + 1, 0x9e3779b1) >>> 0 < 2 ** 32 / (forms.length / 12);
const tried = forms.filter((_, at) => isLong || isSampled(at));

describe.skipIf(!has)(
  'A-77 P7: what the real kubectl asks a cluster about is denied by a deny of that kind',
  () => {
    test('whatever the form', { timeout: 900_000 }, async () => {
      const open: string[] = [];
      let understood = 0;
      for (const form of tried) {
        const found = await askedFor(['get', ...form]);
        if (found.length > 0) understood += 1;
        for (const kind of found)
          if (!isDenied(`get, ${kind}`, ['get', ...form]))
            open.push(`${kind}: kubectl get ${form.join(' ')}`);
      }
      expect(open).toEqual([]);
      // The control: kubectl knows most of these forms.
      expect(understood).toBeGreaterThan(tried.length / 2);
    });

    test.each(['get deploy.apps/x', 'get cm,secrets.v1.', 'delete sts x'])('%s', async (line) => {
      const args = line.split(' ');
      const found = await askedFor(args);
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((kind) => !isDenied(`${args[0]}, ${kind}`, args))).toEqual([]);
      expect(isDenied(`${args[0]}, pods`, args)).toBe(false);
    });
  },
);

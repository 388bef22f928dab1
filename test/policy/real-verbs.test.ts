import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { sampled } from '../fixtures/sampled.ts';
import { holds, oneRule } from './one-rule.ts';
import { findTool } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const has = findTool('kubectl') !== undefined;
const rbac = 'rbac.authorization.k8s.io';

const groups: Readonly<Record<string, string>> = {
  v1: 'pods/Pod secrets/Secret configmaps/ConfigMap services/Service serviceaccounts/ServiceAccount namespaces/Namespace nodes/Node',
  'apps/v1': 'deployments/Deployment',
  'autoscaling/v2': 'horizontalpodautoscalers/HorizontalPodAutoscaler',
  [`${rbac}/v1`]:
    'roles/Role rolebindings/RoleBinding clusterroles/ClusterRole clusterrolebindings/ClusterRoleBinding',
  'certificates.k8s.io/v1': 'certificatesigningrequests/CertificateSigningRequest',
};
const unscoped = /^(node|namespace|cluster|certificate)/;

/** Whatever is asked for is there. A binding is there with another role than the file's. */
function answerTo(path: string): object {
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') return { kind: 'APIGroupList', groups: Object.keys(groups).flatMap(groupOf) };
  const listed = Object.entries(groups).find(([name]) => path === `/api/${name}` || path === `/apis/${name}`);
  if (listed !== undefined)
    return {
      kind: 'APIResourceList',
      groupVersion: listed[0],
      resources: listed[1].split(' ').map(resourceOf),
    };
  const [, group = '', plural = '', name] =
    /^\/apis?\/(v1|[^/]+\/v\d)(?:\/namespaces\/[^/]+(?=\/))?\/([a-z]+)(?:\/([^/]+))?/.exec(path) ?? [];
  const kind =
    groups[group]
      ?.split(' ')
      .find((one) => one.startsWith(`${plural}/`))
      ?.split('/')[1] ?? 'Status';
  const object = { kind, apiVersion: group, ...bodyOf(kind, name ?? 'x') };
  return name === undefined
    ? { kind: `${kind}List`, apiVersion: group, metadata: {}, items: [object] }
    : object;
}

function groupOf(name: string): object[] {
  const [group = '', version] = name.split('/');
  if (version === undefined) return [];
  const one = { groupVersion: name, version };
  return [{ name: group, versions: [one], preferredVersion: one }];
}

function resourceOf(one: string): object {
  const [name = '', kind = ''] = one.split('/');
  const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  return { name, kind, singularName: kind.toLowerCase(), namespaced: !unscoped.test(name), verbs };
}

function bodyOf(kind: string, name: string): object {
  const containers = [{ name: 'c', image: 'i' }];
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: { containers } };
  const specs: Readonly<Record<string, object>> = {
    Pod: { containers, nodeName: 'n' },
    Deployment: { replicas: 1, selector: { matchLabels: labels }, template },
    Service: { selector: labels, ports: [{ port: 1 }] },
    CertificateSigningRequest: { request: 'eA==', usages: ['client auth'], signerName: 'a/b' },
  };
  const namespace = unscoped.test(kind.toLowerCase()) ? {} : { namespace: 'default' };
  const metadata = { name, ...namespace, uid: 'u', resourceVersion: '1', labels };
  const more = kind.endsWith('Binding')
    ? { roleRef: { apiGroup: rbac, kind: 'Role', name: 'other' }, subjects: [] }
    : {};
  return { metadata, data: { k: 'eA==' }, spec: specs[kind] ?? {}, rules: [], status: {}, ...more };
}

/** The changes that were asked for, and secrets that were read, as a sub-command with a kind. */
const asked = new Set<string>();
const verbs: Readonly<Record<string, string>> = {
  DELETE: 'delete',
  POST: 'create',
  PUT: 'patch',
  PATCH: 'patch',
};

function note({ method = '', url = '' }: IncomingMessage): void {
  const { pathname } = new URL(url, 'http://x');
  const kind = /\/v\d(?:\/namespaces\/[^/]+(?=\/))?\/([a-z]+)/.exec(pathname)?.[1];
  const verb = verbs[method] ?? (kind === 'secrets' ? 'get' : undefined);
  // A question about what one may do changes nothing, and what is done within an object is no kind of its own.
  if (kind === undefined || verb === undefined || kind.endsWith('reviews')) return;
  if (/\/(eviction|token|exec|attach|portforward)$/.test(pathname)) return;
  asked.add(`${verb} ${kind}`);
}

const server: Server = createServer((request, response) => {
  note(request);
  const { pathname } = new URL(request.url ?? '', 'http://x');
  request
    .resume()
    .on('end', () =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answerTo(pathname))),
    );
});
const home = mkdtempSync(join(tmpdir(), 'clawrden-verbs-'));
const file = (name: string, object: object) => writeFileSync(join(home, name), JSON.stringify(object));
beforeAll(async () => {
  for (const kind of ['RoleBinding', 'ClusterRoleBinding']) {
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'mine' };
    file(`${kind}.json`, { kind, apiVersion: `${rbac}/v1`, metadata: { name: 'x' }, roleRef, subjects: [] });
  }
  for (const kind of ['Role', 'ClusterRole']) {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    file(`${kind}.json`, { kind, apiVersion: `${rbac}/v1`, metadata: { name: 'x' }, rules });
  }
  file('ConfigMap.json', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' }, data: { k: 'v' } });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
});

async function doneBy(args: readonly string[]): Promise<readonly string[]> {
  asked.clear();
  const { port } = server.address() as AddressInfo;
  const all = ['--server', `http://127.0.0.1:${port}`, '--request-timeout=10s', ...args];
  const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: '/dev/null' };
  await new Promise<void>((resolve) => {
    execFile(findTool('kubectl') ?? 'kubectl', all, { cwd: home, env, timeout: 60_000 }, () => resolve());
  });
  // A change of a secret is worked out from what it reads, and shows none of it.
  return [...asked].filter((deed) => deed !== 'get secrets' || !asked.has('patch secrets'));
}

const objects = ['deployment/x', 'pod/x', 'secret/x', 'cm/x'];
const lines: readonly string[] = [
  ...['RoleBinding', 'ClusterRoleBinding', 'Role', 'ClusterRole'].flatMap((kind) => [
    `auth reconcile -f ${kind}.json`,
    `auth reconcile -f ${kind}.json --remove-extra-permissions --remove-extra-subjects`,
  ]),
  'certificate approve x',
  'certificate deny x --force',
  ...['create', 'apply', 'replace', 'replace --force', 'delete'].map((verb) => `${verb} -f ConfigMap.json`),
  ...objects.flatMap((one) => [
    `annotate ${one} c=d`,
    `label ${one} c=d`,
    `delete ${one} --wait=false`,
    `describe ${one}`,
  ]),
  'patch secret x -p {"data":{"k":"eQ=="}}',
  'set env deployment/x --from=secret/y',
  'set env deployment/x --from=secret/y --local -o yaml',
  'set env pod/x --from=configmap/y --prefix=Z_',
  'set image deployment/x c=j',
  'set serviceaccount deployment/x y',
  'set resources deployment/x --limits=cpu=1',
  'rollout restart deployment/x',
  'scale deployment/x --replicas=2',
  'autoscale deployment/x --max=2',
  'expose deployment/x --port=1 --name=y',
  'run y --image=i',
  'create configmap y --from-literal=a=b',
  'create secret generic y --from-literal=a=b',
  'create serviceaccount y',
  'create clusterrolebinding y --clusterrole=z --user=u',
  'cordon x',
  'taint node x a=b:NoSchedule',
  'drain x --force --timeout=1s',
  'debug pod/x --image=i --copy-to=y',
  'auth can-i get pods',
];

/** By the sub-command, and by the kind if the line does not create it by its own name. */
function rulesAbout(deed: string) {
  const [verb = '', kind = ''] = deed.split(' ');
  const named = { args: compileArgs([verb, kind, '**']) };
  return [
    oneRule('kubectl', { subcommands: new Set([verb]) }),
    ...(verb === 'create' || verb === 'patch' ? [] : [oneRule('kubectl', named)]),
  ];
}

/** What a file names is not seen. */
const isSeen = (line: string, deed: string) =>
  !line.includes(' -f ') || line.startsWith('auth ') || !deed.includes(' ');

describe.skipIf(!has)(
  'A-150 P7: what the real kubectl has a cluster change is denied by a deny of that',
  () => {
    test('whatever the sub-command', { timeout: 600_000 }, async () => {
      const tried = [
        'auth reconcile -f RoleBinding.json',
        'set env deployment/x --from=secret/y',
        ...sampled(lines, isLong ? 150 : 6),
      ];
      const open: string[] = [];
      let deeds = 0;
      for (const line of tried) {
        for (const deed of await doneBy(line.split(' '))) {
          deeds += 1;
          const [first, ...byKind] = rulesAbout(deed);
          const wanted = [first, ...(isSeen(line, deed) ? byKind : [])];
          for (const policy of wanted)
            if (policy !== undefined && !holds(policy, 'kubectl', line.split(' ')))
              open.push(`${deed}: kubectl ${line}`);
        }
      }
      expect(open).toEqual([]);
      expect(deeds).toBeGreaterThan(tried.length / 3);
    });

    test('auth reconcile removes a binding with another role, and set env reads the secret', {
      timeout: 120_000,
    }, async () => {
      expect(await doneBy(['auth', 'reconcile', '-f', 'RoleBinding.json'])).toContain('delete rolebindings');
      expect(await doneBy(['set', 'env', 'deployment/x', '--from=secret/y'])).toContain('get secrets');
      expect(await doneBy(['auth', 'can-i', 'get', 'pods'])).toEqual([]);
    });
  },
);

test.each(['auth can-i delete pods', 'get pods', 'set env deployment/x A=b', 'auth whoami'])(
  'A-150 A-34 kubectl %s deletes nothing',
  (line) => {
    expect(holds(oneRule('kubectl', { subcommands: new Set(['delete']) }), 'kubectl', line.split(' '))).toBe(
      false,
    );
  },
);

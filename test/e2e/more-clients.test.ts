import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { resolveName } from '../../src/egress/resolve-name.ts';
import { endpointOf } from '../demo/destination-of.ts';
import { run } from '../lab/command.ts';
import { caInImage, findNodeSources, makeNodeRoot, type NodeSources } from '../lab/images/node-root.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { clientCommands } from './client-commands.ts';
import { type Internet, startInternet } from './internet.ts';
import { type PackageServers, startPackageServers } from './package-servers.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const image = 'clawrden-lab/more-clients:latest';
// debootstrap does not find libc-dev, which rustc wants, by itself.
const debian = ['curl', 'wget', 'libc6-dev', 'cargo', 'golang-go', 'openjdk-17-jdk-headless'];

/** What an operator says in an image: which authorities count, and where go finds modules. */
const variables = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ...{ CURL_CA_BUNDLE: '/app/ca.pem', CARGO_HTTP_CAINFO: '/app/ca.pem', SSL_CERT_FILE: '/app/ca.pem' },
  ...{ GOPROXY: 'https://packages.example/go', GONOSUMDB: '*', NODE_EXTRA_CA_CERTS: caInImage },
};

const policyFor = (destinations: readonly string[]) => `version: 1
default: deny
workspace: /app
timeout: 5m
networks:
  packages: { allow: [${destinations.map((to) => `{ to: "${to}", private: true }`).join(', ')}] }
tools:
${['curl', 'wget', 'apt-get', 'cargo', 'go', 'java', 'npm', 'node']
  .map((tool) => `  ${tool}: { strategy: ghost, image: "${image}", memory: 1g, network: packages }`)
  .join('\n')}
rules:
  - { name: all, tools: [curl, wget, apt-get, cargo, go, java, npm, node], action: allow }
complete: true
`;

/** Gets a page, and trusts the authority of a file. */
const javaSource = `import java.io.*; import java.net.*; import java.security.*; import java.security.cert.*; import javax.net.ssl.*;
public class Fetch {
  public static void main(String[] args) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream pem = new FileInputStream("/app/ca.pem")) {
      store.setCertificateEntry("test", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    HttpsURLConnection.setDefaultSSLSocketFactory(context.getSocketFactory());
    System.out.write(new URL(args[0]).openStream().readAllBytes());
    System.out.flush();
  }
}
`;

// Its image takes minutes to make, of some 300 MB from Debian: with --long only.
describe.skipIf(!hasLab() || !isLong)('more real clients, with nothing but destinations (--long)', () => {
  let internet: Internet;
  let servers: PackageServers;
  let stack: Stack;
  let sources: NodeSources;
  const host = () => sharedLab().hosts[0]!;
  const { app, type, own, forget, reached } = clientCommands(() => stack);
  const folder = async (name: string) => {
    await mkdir(app(name), { recursive: true });
    await run(['chown', '-R', '1000:1000', app(name.split('/')[0] ?? name)]);
  };

  beforeAll(async () => {
    sources = await findNodeSources();
    await makeImage(host(), sources);
    internet = await startInternet();
    servers = await startPackageServers(internet, 1);
    const real = [sources.registry, sources.mirror];
    const here = [[internet.address]] as [string[]];
    const zone = Object.fromEntries(
      await Promise.all(
        real.map(async (url) => {
          const { hostname } = new URL(url);
          const found = await resolveName(hostname, AbortSignal.timeout(30_000));
          return [hostname, [[...found]] as [string[]]] as const;
        }),
      ),
    );
    await internet.order({ zone: { ...zone, 'packages.example': here, 'git.example': here } });
    const destinations = ['packages.example:443', 'git.example:443', ...new Set(real.map(endpointOf))];
    stack = await startStack(
      { ...sharedLab(), hosts: [host()] },
      { name: 'more-clients', policy: policyFor(destinations), under: internet.under },
    );
    await own('ca.pem', servers.authority);
  }, 900_000);
  afterAll(async () => {
    await stack?.stop();
    await servers?.[Symbol.asyncDispose]();
    await internet?.[Symbol.asyncDispose]();
    await host().docker(['rmi', '-f', image]);
  });
  beforeEach(forget);

  test.each([
    ['curl', ['-fsS', 'https://packages.example/page']],
    ['wget', ['-q', '-O', '-', '--ca-certificate=/app/ca.pem', 'https://packages.example/page']],
  ])('%s gets a page over TLS', async (tool, args) => {
    expect(await type(tool, ...args)).toMatchObject({ code: 0, stderr: '', stdout: Buffer.from('a page\n') });
    expect(await reached()).toMatchObject([{ to: 'packages.example:443', outcome: 'closed' }]);
  });

  test('java gets a page over TLS', async () => {
    await own('Fetch.java', javaSource);
    const { code, stdout } = await type('java', 'Fetch.java', 'https://packages.example/page');
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: 'a page\n' });
    expect(await reached()).toMatchObject([{ to: 'packages.example:443', outcome: 'closed' }]);
  });

  test('cargo fetches a dependency from a repository', async () => {
    await folder('crate/src');
    const dependency = 'tiny = { git = "https://git.example/crate.git", branch = "main" }';
    await own(
      'crate/Cargo.toml',
      `[package]\nname = "user"\nversion = "1.0.0"\n\n[dependencies]\n${dependency}\n`,
    );
    await own('crate/src/lib.rs', '');
    const { code, stderr } = await type('cargo', 'fetch', '--manifest-path', 'crate/Cargo.toml');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('git.example/crate.git') });
    for (const connection of await reached())
      expect(connection).toMatchObject({ to: 'git.example:443', outcome: 'closed' });
  });

  test('go downloads a module', async () => {
    const { code, stdout, stderr } = await type('go', 'mod', 'download', '-json', 'example.org/tiny@v1.0.0');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout.toString())).toMatchObject({ Path: 'example.org/tiny', Version: 'v1.0.0' });
    for (const connection of await reached())
      expect(connection).toMatchObject({ to: 'packages.example:443', outcome: 'closed' });
  });

  test('apt reads the lists of its mirror, and downloads a package', async () => {
    for (const name of ['apt/lists/partial', 'apt/cache/archives/partial']) await folder(name);
    await own('sources.list', `deb ${sources.mirror} ${sources.suite} main\n`);
    const options = Object.entries({
      'Dir::State::lists': '/app/apt/lists',
      'Dir::Cache': '/app/apt/cache',
      'Dir::Etc::sourcelist': '/app/sources.list',
      'Dir::Etc::sourceparts': '-',
      'Acquire::Languages': 'none',
      'Acquire::https::CAInfo': caInImage,
    }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const updated = await type('apt-get', ...options, 'update');
    expect(updated).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout } = await type('apt-get', ...options, 'download', 'hello');
    expect({ code, stdout: stdout.toString() }).toEqual({
      code: 0,
      stdout: expect.stringContaining('hello'),
    });
    const to = endpointOf(sources.mirror);
    for (const connection of await reached(2)) expect(connection).toMatchObject({ to, outcome: 'closed' });
  });

  test('pnpm and yarn add a package from their registry', async () => {
    const { registry } = sources;
    await folder('tools');
    expect(await type('npm', 'install', '--prefix', 'tools', 'pnpm@9', 'yarn@1')).toMatchObject({ code: 0 });
    for (const [program, ...args] of [
      ['pnpm/bin/pnpm.cjs', 'add', 'is-number', '--dir'],
      ['yarn/bin/yarn.js', 'add', 'is-number', '--cwd'],
    ]) {
      const project = `by-${program?.split('/')[0]}`;
      await folder(project);
      await own(`${project}/package.json`, '{ "name": "tried", "version": "1.0.0" }');
      const line = [`tools/node_modules/${program}`, ...args, `/app/${project}`, '--registry', registry];
      expect(await type('node', ...line)).toMatchObject({ code: 0 });
      const used = await type('node', '-p', `require("/app/${project}/node_modules/is-number")(42)`);
      expect(used.stdout.toString()).toBe('true\n');
    }
    const to = endpointOf(registry);
    for (const connection of await reached(3)) expect(connection).toMatchObject({ to, outcome: 'closed' });
  });

  test.each([
    ['curl', ['-sS', 'https://other.example/'], /403/],
    ['wget', ['-t', '1', '-O', '-', 'https://other.example/'], /clawrden: egress-denied: other\.example:443/],
  ])('A-260 P14: %s reaches nothing else', async (tool, args, says) => {
    const { code, stderr } = await type(tool, ...args);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(says);
    expect(await reached()).toMatchObject([{ to: 'other.example:443', outcome: 'denied' }]);
  });
});

async function makeImage(host: LabHost, sources: NodeSources): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'clawrden-clients-'));
  try {
    await makeNodeRoot(join(root, 'root'), sources, debian);
    const changes = Object.entries(variables).flatMap(([name, text]) => [
      '--change',
      `ENV ${name}="${text}"`,
    ]);
    const load = ['docker', '-H', `unix://${host.socket}`, 'import', ...changes, '-', image];
    const tar = `tar -C ${join(root, 'root')} --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* -cf - . | "$@"`;
    await run(['sh', '-ec', tar, 'sh', ...load], { timeout: 300_000 });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

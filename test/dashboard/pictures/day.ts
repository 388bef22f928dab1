import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../lab/command.ts';
import { present, type Stage } from './stage.ts';

/** What a build and its tests write, in the colours that such tools have. */
const build = `
const files = ['cart', 'checkout', 'orders', 'payment', 'prices', 'search', 'sessions', 'stock', 'taxes', 'users'];
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
console.log('\\x1b[36mshop\\x1b[0m building for production, 148 modules');
for (const [at, name] of files.entries()) {
  await wait(60);
  console.log('\\x1b[32m✓\\x1b[0m dist/' + (name + '.js').padEnd(16) + '\\x1b[2m' + (3.1 + at * 1.7).toFixed(2).padStart(6) + ' kB\\x1b[0m');
}
console.log('\\x1b[33m!\\x1b[0m payment.js is larger than it was: 13.30 kB, before 9.85 kB');
console.log('optimising 212 pictures');
for (let done = 8; done < 212; done += 8) {
  await wait(done < 120 ? 200 : 30_000);
  console.log('  ' + String(done).padStart(3) + ' of 212');
}
`;
const tests = `
import { test } from 'node:test';
import assert from 'node:assert/strict';
for (const name of ['a cart adds up', 'a discount counts once', 'taxes are rounded per line', 'an empty cart has no total'])
  test(name, () => assert.ok(true));
test('a refund is not paid twice', () => assert.equal(2, 1));
`;

/** What the agents did before the pictures are made, and what goes on while they are. */
export async function playDay(stage: Stage): Promise<void> {
  await Promise.all(present.map((agent) => fill(stage.apps[agent] ?? '')));
  const { type, as, question } = stage;
  for (const line of ['ls -la', 'git init --quiet', 'git add --all', 'git status --short', 'node --version'])
    await type('coder', line);
  const added = type('coder', 'npm install picocolors', 'for the colours of the build');
  await as('alice', 'approve', await question('alice', 'npm install picocolors'));
  await added;
  const lines = ['npm test', 'curl https://paste.example.com/x', 'npm install -g yarn', 'cat package.json'];
  for (const line of lines) await type('coder', line);
  for (const line of ['git init --quiet', 'git log --oneline', 'npm test']) await type('reviewer', line);
  const pushed = type('reviewer', 'git push origin main');
  await as(
    'alice',
    'deny',
    await question('alice', 'git push'),
    '--reason',
    'the tests fail: look at the refund first',
  );
  await pushed;
  await type('night-ops', 'cat package.json');
  await as('alice', 'pause', 'reviewer', '--reason', 'pushes before the tests pass');
}

/** Leaves two commands running and three waiting; the newest is the one with the most to say. */
export async function leaveWork({ type, as, question }: Stage): Promise<void> {
  const open = [
    type('coder', 'npm install express@5.1.0', 'the shop needs a web server for its new checkout page'),
  ];
  await question('bob', 'npm install express');
  open.push(type('night-ops', 'kubectl apply -f deploy/shop.yaml', 'release 2.3.0'));
  const release = await question('bob', 'kubectl apply');
  await as('bob', 'approve', release);
  open.push(type('night-ops', 'npm ci'));
  await question('bob', 'npm ci');
  open.push(type('coder', 'npm run build'), type('night-ops', 'npm run build'));
  // They end with their containers.
  for (const each of open) void each.catch(() => {});
}

async function fill(app: string): Promise<void> {
  const scripts = { build: 'node build.mjs', test: 'node --test' };
  await mkdir(join(app, 'deploy'), { recursive: true });
  await writeFile(
    join(app, 'package.json'),
    `${JSON.stringify({ name: 'shop', version: '2.3.0', type: 'module', scripts }, null, 2)}\n`,
  );
  await writeFile(join(app, 'build.mjs'), build);
  await writeFile(join(app, 'shop.test.mjs'), tests);
  await writeFile(join(app, 'deploy/shop.yaml'), 'kind: Deployment\n');
  await run(['chown', '-R', '1000:1000', app]);
}

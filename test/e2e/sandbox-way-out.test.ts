import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allIfLong } from '../fixtures/sampled.ts';
import { checkout } from '../lab/names.ts';
import { hasLab } from '../lab/shared-lab.ts';
import { type Internet, startInternet } from './internet.ts';
import { type Sandboxed, startSandboxed } from './sandboxed.ts';

const policy = `version: 1
default: deny
workspace: /app
networks:
  thinking: { routes: [model] }
tools:
  ghostly: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m }
  # Programs that a sandbox itself needs at its start are not asked for by these names.
  sleep: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m }
  grep: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m }
  stat: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m }
rules:
  - { name: all, tools: [ghostly], action: allow }
complete: true
`;
const modes = allIfLong<'root' | 'user'>(['root', 'user'], 1);
const ask = 'busybox timeout 10 busybox wget -q -O - -Y off';

describe.skipIf(!hasLab()).each(modes)("a sandbox with its agent's way out, as %s", (mode) => {
  let internet: Internet;
  let on: Sandboxed;
  beforeAll(async () => {
    internet = await startInternet();
    await internet.order({
      zone: { 'model.example': [[internet.address]], 'other.example': [[internet.address]] },
    });
    on = await startSandboxed(mode, {
      ...{ name: `wayout${mode}`, policy, under: internet.under, agentKeys: { network: 'thinking' } },
      gateway: { routes: { model: { to: 'http://model.example/v1/', private: true } } },
    });
  });
  afterAll(async () => {
    await on?.[Symbol.asyncDispose]();
    await internet?.[Symbol.asyncDispose]();
  });

  test('A-232: reaches its model from its first moment, each time anew, and nothing else', async () => {
    const script = `${ask} http://127.0.0.1:3128/model/thought; ${ask} http://other.example/ || echo none`;
    for (const _time of [1, 2]) expect((await on.inside(script)).stdout).toBe('GET /v1/thought none\n');
    const { requests } = await internet.order({ tell: 'seen' });
    expect(requests).toHaveLength(2);
    const { stdout } = await on.inside('echo $http_proxy; ghostly "echo worked"');
    expect(stdout).toBe('http://127.0.0.1:3128\nworked\n');
  });

  test('A-243: by the configuration of examples/claude-code it runs programs over MCP, without a token', async () => {
    const main = join(checkout, 'test/examples/mcp-configuration-main.ts');
    const allowed = ['node_modules', 'test', 'examples'].flatMap((name) => ['--allow', join(checkout, name)]);
    const { stdout, stderr } = await on.inside(`${process.execPath} ${main} ghostly 'echo by MCP'`, allowed);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      expect.stringContaining('exit code: 0'),
      ...['stdout, 7 bytes:', 'by MCP\n'],
    ]);
  });
});

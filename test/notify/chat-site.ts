import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { clawrden } from '../cli/clawrden.ts';
import { sharedPolicy } from '../fixtures/shared-policy.ts';
import { type First, type Mirrored, newMirrored, play } from '../warden/mirrored.ts';
import { type RealGateway, startRealGateway } from '../warden/real-gateway.ts';

export const waiting = { timeout: 60_000, interval: 50 } as const;

/** A gateway with chats, and people who are linked to users of them. */
export interface ChatSite extends AsyncDisposable {
  readonly gateway: RealGateway;
  /** The policy from now on. */
  readonly put: (change: (policy: string) => string) => Promise<void>;
  readonly ask: (first: First) => Promise<{ readonly command: Mirrored; readonly ended: Promise<void> }>;
  /** At the command line's door. */
  readonly deny: (command: Mirrored, reason?: string) => Promise<void>;
  readonly restart: (signal: NodeJS.Signals) => Promise<void>;
}

/** `ask` is answered in a chat, too, and `touch` only at the usual doors; `ask two` needs two people, and `ask only` a chat. */
const chatRules = `  - { name: by-chat, tools: [ask], action: ask, reason: "*bold* <!here> [a](b)", answer-in: [cli, chat] }
  - { name: two, tools: [ask], args: [two, "**"], action: ask, approvals: 2, answer-in: [cli, chat] }
  - { name: only-chat, tools: [ask], args: [only], action: ask, answer-in: [chat] }
  - { name: by-cli, tools: [touch], action: ask }
`;

const people = { alice: 'approver', vera: 'viewer', olga: 'approver' } as const;

const agent = { relay: 'host-1', users: ['1000:1000'], cwd: '/app' };
const agents = [
  { name: 'coder', ...agent, labels: { team: 'web' } },
  { name: 'other', ...agent },
];

/** `links`: of admin and the people, as `users link` takes them. */
export async function startChatSite(
  notify: object,
  links: Readonly<Partial<Record<'admin' | keyof typeof people, string>>>,
): Promise<ChatSite> {
  await using stack = new AsyncDisposableStack();
  const gateway = stack.use(await startRealGateway({ keys: { notify, agents } }));
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-chat-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  let relay: GatewayClient = await gateway.relay();
  let admin = await gateway.admin();
  stack.defer(() => {
    relay.close();
    admin.close();
  });
  await Promise.all(
    Object.entries(people).map(async ([name, role]) => {
      // No agent has it.
      const scope = name === 'olga' ? [{ key: 'team', value: 'x' }] : [];
      const wanted = { name, role, scope, ttl: 0n, replace: false };
      const { code } = await admin.call(WardenServiceService.setUser, wanted);
      const login = ['login', '--gateway', gateway.enrollAddress, '--code', code];
      expect(await clawrden(['--context', join(folder, `${name}.yaml`), ...login])).toMatchObject({
        code: 0,
      });
    }),
  );
  for (const [name, principal] of Object.entries(links))
    await admin.call(WardenServiceService.linkUser, { name, principal, reason: '' });
  const hash = async () => (await admin.call(WardenServiceService.getStatus, {})).policyHash;
  const put: ChatSite['put'] = async (change) => {
    const before = await hash();
    const rule = /^ {2}- \{ name: must-ask.*\n/m;
    await writeFile(join(gateway.state, 'policy.yaml'), change(sharedPolicy().replace(rule, chatRules)));
    // Also before the tests.
    await vi.waitFor(async () => expect(await hash()).not.toBe(before), waiting);
  };
  await put((policy) => policy);
  const open = stack.move();
  return {
    gateway,
    put,
    ask: async (first) => {
      const command = newMirrored();
      const ended = play(relay, command, first, gateway.audit);
      const said = () => command.approvalId || command.outcome?.text || command.broken;
      await expect.poll(said, waiting).toMatch(/^[0-9a-f]{32}$/);
      return { command, ended };
    },
    deny: async ({ approvalId: id, planHash }, reason = '') => {
      const said = { id, planHash, verdict: Verdict.DENY, reason, grantSeconds: 0, via: 'cli' };
      await admin.call(WardenServiceService.resolveApproval, said);
    },
    restart: async (signal) => {
      relay.close();
      admin.close();
      await gateway.end(signal);
      await gateway.start();
      [relay, admin] = [await gateway.relay(), await gateway.admin()];
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

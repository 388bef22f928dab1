import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { slackAppToken, slackBotToken } from './slack-server.ts';
import { botToken } from './telegram-server.ts';

const repository = join(import.meta.dirname, '../..');

/** Says which of our files of chat services, and which packages, a process loads that opens `notify`. */
const script = (notify: object) => `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
const { openNotify } = await import('./gateway/notify/open-notify.ts');
const notify = await openNotify(${JSON.stringify(notify)}, () => ({ version: 1, rules: [] }));
const none = async () => [];
const log = { warn() {}, info() {}, error() {} };
await notify.begin({
  ...{ page: undefined, agents: () => new Map(), principals: {}, approvals: {}, log },
  warden: { approvals: () => [], agents: () => [], hosts: () => [], watchApprovals() {},
    status: () => ({ problem: '', lockdown: false }), policy: () => ({ problem: '' }) },
  notices: { hooks: { keepOnly: none }, told: { all: none },
    chats: { keepOnly: none, due: none, nextAt: async () => undefined } },
  faults: { report() {}, guard: (_where, run) => run },
});
process.stdout.write(JSON.stringify(loaded.filter((url) => /notify\\/(telegram|slack)\\/|node_modules\\/ws\\//.test(url))));
process.exit();
`;

async function loaded(notify: object): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script(notify)],
    { cwd: repository, env: { ...process.env, T: botToken, A: slackAppToken, B: slackBotToken } },
  );
  const urls = JSON.parse(stdout) as string[];
  return [...new Set(urls.map((url) => /notify\/(\w+)\/|\/(ws)\//.exec(url)?.slice(1).find(Boolean) ?? ''))];
}

const api = 'http://127.0.0.1:9';
const target = { tells: [], agents: {} };

test('a service is loaded if gateway.yaml names it, and not before', async () => {
  const telegram = { token: { env: 'T' }, api, chats: [{ name: 'a', chat: 1, ...target }] };
  const tokens = { appToken: { env: 'A' }, botToken: { env: 'B' } };
  const slack = { ...tokens, api, channels: [{ name: 'b', channel: 'C0123456789', ...target }] };
  const [neither, one, other] = await Promise.all([
    loaded({ webhooks: [] }),
    loaded({ webhooks: [], telegram }),
    loaded({ webhooks: [], slack }),
  ]);
  expect(neither).toEqual([]);
  expect(one).toEqual(['telegram']);
  expect(other.toSorted()).toEqual(['slack', 'ws']);
}, 60_000);

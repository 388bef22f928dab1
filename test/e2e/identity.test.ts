import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import { type ExecuteResponse, OutcomeKind, type Refusal } from '../../src/gen/clawrden/v1/execution.ts';
import { connectRelay } from '../grpc/connect-relay.ts';
import { attempt } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { startsSince } from '../stack/engine-events.ts';
import { launcher } from '../stack/launcher.ts';
import { plainRequest, type RawAgent, rawContainer, startRawAgent } from '../stack/raw-agent.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { createVerdicts, type Verdicts } from '../stack/verdicts.ts';

const policy = `version: 1
default: deny
workspace: /app
tools:
  "true": { strategy: passthrough }
  ls: { strategy: mirror }
  id: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
rules:
  - { name: look, tools: ["true", ls, id], action: allow }
complete: true
`;

// An agent whose operator lets it make namespaces: its claims there must not count.
const unconfined = {
  ...rawContainer,
  extra: [...rawContainer.extra, '--security-opt', 'seccomp=unconfined'],
};

describe.skipIf(!hasLab())('who asks', () => {
  let stack: Stack;
  let coder: RawAgent;
  let verdicts: Verdicts;
  beforeAll(async () => {
    const other = { users: ['1001:1001'], container: { ...rawContainer, user: '1001:1001' } };
    stack = await startStack(sharedLab(), {
      name: 'who',
      policy,
      agents: { coder: { container: unconfined }, other, far: { elsewhere: true } },
    });
    coder = startRawAgent(stack.agents['coder']!);
    verdicts = createVerdicts(sharedLab(), stack, coder);
  });
  afterAll(async () => {
    coder?.[Symbol.dispose]();
    await stack?.stop();
  });

  const recordsSince = async (type: string, before: number) =>
    (await stack.audit()).slice(before).filter((record) => record.type === type);
  const incidentsSince = (before: number) => recordsSince('incident', before);
  const decisionsSince = (before: number) => recordsSince('decision', before);

  test('each agent is who the kernel says it is, in a ghost too', async () => {
    const ids = [];
    for (const [name, user] of [
      ['coder', '1000:1000'],
      ['other', '1001:1001'],
    ] as const)
      ids.push((await stack.agents[name]!.exec(['id'], { user })).stdout.split(' ').slice(0, 2).join(' '));
    expect(ids).toEqual([
      expect.stringMatching(/^uid=1000\S* gid=1000/),
      expect.stringMatching(/^uid=1001 gid=1001/),
    ]);
  });

  test.each([
    { uid: 0, gid: 0 },
    { uid: 1000, gid: 0 },
    { uid: 1001, gid: 1001 },
  ])('A-09 P1 who claims to be %j and is 1000:1000 is refused, and it is an incident', async (identity) => {
    const before = (await stack.audit()).length;
    const record = { agent: 'coder', uid: 1000, gid: 1000 };
    await verdicts.refuses(() => coder.request({ ...plainRequest, identity }), 'identity-mismatch', record);
    expect(await incidentsSince(before)).toEqual([
      expect.objectContaining({ incident: 'identity-mismatch', caller: 'relay:host-1' }),
    ]);
  });

  test.each(['-1', '4294967295', '4294967296', '1000.5', '"1000"', 'null', '[1000]', 'true'])(
    'A-10 the uid %s is refused',
    (uid) => {
      const body = JSON.stringify(plainRequest).replace('"uid":1000', `"uid":${uid}`);
      return verdicts.refuses(() => coder.request(body), 'request-invalid');
    },
  );

  test('A-10 no uid is refused, and 1e3 is the number 1000', async () => {
    const body = JSON.stringify(plainRequest);
    await verdicts.refuses(() => coder.request(body.replace('"uid":1000,', '')), 'request-invalid');
    expect(await coder.request(body.replace('"uid":1000', '"uid":1e3'))).toMatchObject({ exit: [0, 0] });
  });

  test('A-11 the root of a user namespace of the agent’s own is refused', async () => {
    const agent = stack.agents['coder']!;
    expect((await agent.exec(['unshare', '-Ur', '/usr/bin/id', '-u'])).stdout).toBe('0\n');
    const before = (await stack.audit()).length;
    const since = Date.now();
    const { code, stdout, stderr } = await agent.exec(['unshare', '-Ur', 'ls']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^clawrden: identity-userns: [^\n]+\n$/);
    expect(await startsSince(sharedLab(), since)).toEqual([]);
    expect(await decisionsSince(before)).toMatchObject([{ decision: 'deny', uid: 1000, gid: 1000 }]);
    await verdicts.serves();
  });

  test('A-12 P2 another uid of the host cannot even reach the socket of an agent', async () => {
    const before = (await stack.audit()).length;
    const read = ['cat', stack.socketOf('coder')];
    expect((await attempt(read)).stderr).toContain('No such device or address');
    for (const id of ['1001', '65534']) {
      const drop = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups'];
      expect((await attempt([...drop, ...read])).stderr).toContain('Permission denied');
    }
    expect(await decisionsSince(before)).toEqual([]);
  });

  test('A-12 the user of another agent is refused on a socket that it was given', async () => {
    const user = '1001:1001';
    const before = (await stack.audit()).length;
    const { stderr } = await stack.agents['coder']!.exec(['ls'], { user });
    expect(stderr).toMatch(/^clawrden: identity-user: [^\n]+\n$/);
    expect(await decisionsSince(before)).toMatchObject([
      { agent: 'coder', code: 'identity-user', uid: 1001 },
    ]);
    await verdicts.serves();
  });

  test.each([
    ['agent_id', 'other'],
    ['session', 'other-1'],
  ])('A-13 P2 a request that names another agent is refused: %s', (key, value) =>
    verdicts.refuses(() => coder.request({ ...plainRequest, [key]: value }), 'request-invalid', {
      agent: 'coder',
    }),
  );

  test.each([
    ['runs a command', undefined],
    ['reports a refusal', { reason: 'identity-user', text: 'x' }],
  ])(
    'A-13 P3 a relay that %s for an agent of another relay is refused, and it is an incident',
    async (_, refusal) => {
      const before = (await stack.audit()).length;
      const since = Date.now();
      expect(await startAs(stack, 'far', refusal)).toMatchObject({
        kind: OutcomeKind.DENIED,
        reason: 'identity-agent',
      });
      expect(await startsSince(sharedLab(), since)).toEqual([]);
      expect(await decisionsSince(before)).toMatchObject([
        { decision: 'deny', code: 'identity-agent', caller: 'relay:host-1' },
      ]);
      // The relay of the stack is displaced by it, which is an incident, too.
      expect(await incidentsSince(before)).toContainEqual(
        expect.objectContaining({
          ...{ incident: 'identity-agent', caller: 'relay:host-1' },
          text: expect.stringContaining('far') as unknown,
        }),
      );
      const online = async () => JSON.parse((await stack.cli(['agents', '--json'])).stdout) as unknown;
      const served: unknown = expect.objectContaining({ name: 'coder', online: true, relay: 'host-1' });
      await expect.poll(online, { timeout: 10_000 }).toContainEqual(served);
      await verdicts.serves();
    },
  );

  test('A-14 a relay that cannot ask the kernel does not start, and its agents are offline', async () => {
    await stack.relay.end('SIGTERM');
    const native = join(checkout, 'build/native');
    const relay = `exec ${process.execPath} ${launcher} relay --config ${join(stack.dir, 'relay/relay.yaml')}`;
    for (const hide of [`--bind /dev/null ${native}/peercred.node`, `-t tmpfs none ${native}`]) {
      const { code, stderr } = await attempt(['unshare', '--mount', 'sh', '-c', `mount ${hide} && ${relay}`]);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^clawrden: relay: (the peer-credential addon [^\n]+; build it with|peercred.node is not built; run:) [^\n]+\n$/,
      );
    }
    const { stdout } = await stack.cli(['agents', '--json']);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'coder', online: false }));
    await stack.startRelay();
    await verdicts.serves();
  });
});

/** The gateway's answer to the stack's relay if it speaks for `agent` with its own certificate. */
async function startAs(stack: Stack, agent: string, refusal: Refusal | undefined): Promise<unknown> {
  const client = await connectRelay({
    address: stack.grpcAddress,
    identityDir: join(stack.dir, 'relay'),
  });
  const stream = client.execute();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  stream.on('data', ({ message }: ExecuteResponse) => {
    if (message?.$case === 'outcome') resolve(message.value);
  });
  stream.on('error', reject).on('end', () => reject(new Error('no outcome')));
  const timer = setTimeout(() => reject(new Error('no outcome in time')), 5000);
  const { command: tool, args, cwd, env, umask, stdio, ignored, identity } = plainRequest;
  const command = {
    tool,
    args,
    cwd,
    env,
    umask,
    stdio,
    ignored,
    blocked: [],
    terminal: undefined,
    version: 1,
  };
  const start = { executionId: newExecutionId(), agent, command, identity, refusal, hostLabels: [] };
  stream.write({ message: { $case: 'start', value: start } });
  return await promise.finally(() => {
    clearTimeout(timer);
    stream.cancel();
    client.close();
  });
}

import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isatty } from 'node:tty';
import type { Identity } from '../../../command.ts';
import type { KnownAgent } from '../../../config/known-agent.ts';
import { loadRelayConfig } from '../../../config/relay-config.ts';
import { endSandboxes, markSandbox } from '../../../sandbox-mark.ts';
import { tell } from '../../print/tell.ts';
import { checkHalt } from '../agent/run/check-halt.ts';
import { checkWorkspace } from '../agent/run/check-sources.ts';
import { jailFirst } from '../agent/run/jail-path.ts';
import { waitForPlaces } from '../agent/run/wait-for-places.ts';
import { withWayOut } from '../agent/run/way-out-env.ts';
import { bwrapLine, type SandboxWorkspace, sandboxHome } from './bwrap-line.ts';
import { callFilter } from './call-filter.ts';
import { checkAllowed } from './check-allowed.ts';
import { findBwrap } from './find-bwrap.ts';
import { bareNames, guardedIn, guardedNames, idOf, look, lookAtGuarded } from './guarded.ts';
import { type GuardedState, openGuardedState } from './guarded-state.ts';
import { closeInherited } from './inherited.ts';
import { command, refuseSandbox } from './refuse-sandbox.ts';
import { startBwrap } from './start-bwrap.ts';
import { systemParts } from './system-parts.ts';
import { takeAway } from './taken-away.ts';
import { watchHalt } from './watch-halt.ts';

export interface SandboxOptions {
  readonly agent: string;
  /** relay.yaml */
  readonly config: string;
  readonly workspace?: string;
  readonly allow: readonly string[];
  readonly writable: readonly string[];
}

/** Runs a line as an agent of this host, closed by bubblewrap. Resolves with its exit status. */
export async function runSandbox(line: readonly string[], options: SandboxOptions): Promise<number> {
  closeInherited();
  const isRoot = process.geteuid?.() === 0;
  checkWritable(options.writable);
  const bwrap = await findBwrap(isRoot);
  const config = loadRelayConfig(options.config);
  const known = await waitForPlaces(options.agent, config, command);
  checkHalt(known, command);
  const { places, wayOut } = known;
  const [user] = places.agent.users;
  if (!isRoot) checkUser(user);
  await checkWorkspace(known, config, command);
  await checkAllowed(options.allow, config, known.workspace?.target);
  using state = await openGuardedState(config, options.agent);
  const as = isRoot ? user : undefined;
  await lookAfter(state, as);
  await markSandbox(config, options.agent).catch(({ message }: Error) => {
    throw refuseSandbox(`that it runs cannot be kept: ${message}`, `make room below ${config.state}`);
  });
  // The kill switch may have come in between.
  checkHalt(await waitForPlaces(options.agent, config, command), command);
  const workspace = await workspaceOf(known, options);
  const left = workspace && { root: workspace.source, absent: [...workspace.guards.absent] };
  if (left !== undefined) await state.note(left);
  const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));
  const filter = callFilter(hasTerminal);
  const all = bwrapLine({
    ...{ system: await systemParts(), jail: places.jail, socketFolder: dirname(places.agent.socket) },
    ...{ allowed: options.allow, newSession: !hasTerminal, wayOut: wayOut !== undefined, command: line },
    ...(workspace && { workspace }),
    ...(isRoot && { become: user }),
  });
  try {
    using halt = watchHalt(options.agent, config.state);
    const env = environment(wayOut?.environment ?? []);
    const status = await startBwrap(bwrap, all, { env, filter, over: halt.signal });
    if (halt.signal.aborted) tell(`clawrden: ${command}: agent ${options.agent} is killed`);
    return status;
  } finally {
    await lookAfter({ ...state, left }, as);
    await endSandboxes(config, [options.agent]);
  }
}

type Left = Omit<GuardedState, 'note' | typeof Symbol.dispose>;

/** Takes away what appeared while a sandbox ran: this one, or one that was killed with its starter. */
async function lookAfter({ folder, left, forget }: Left, as: Identity | undefined): Promise<void> {
  if (left === undefined) return;
  for (const text of await takeAway({ ...left, to: folder, as })) tell(`clawrden: ${command}: ${text}`);
  await forget();
}

function checkWritable(writable: readonly string[]): void {
  const known = [...guardedNames, ...bareNames];
  const unknown = writable.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw refuseSandbox(`--writable ${unknown}: it is not guarded`, `name one of ${known.join(', ')}`);
}

function checkUser({ uid, gid }: Identity): void {
  const own = `${process.geteuid?.()}:${process.getegid?.()}`;
  if (own === `${uid}:${gid}`) return;
  throw refuseSandbox(
    `the agent's user is ${uid}:${gid}, and this is ${own}`,
    'run it as that user, or as root',
  );
}

/** The agent's own, which `--workspace` may name: no other folder of this machine is an agent's to write. */
async function workspaceOf(
  { places, workspace }: KnownAgent,
  { workspace: wanted, writable }: SandboxOptions,
): Promise<SandboxWorkspace | undefined> {
  const { name } = places.agent;
  if (workspace === undefined) {
    if (wanted === undefined) return undefined;
    const toDo = 'give it one with bind and sync: true in gateway.yaml, or leave --workspace out';
    throw refuseSandbox(`agent ${name} has no workspace that follows it`, toDo);
  }
  const { kind, source, target } = workspace;
  if (kind !== 'bind')
    throw refuseSandbox(
      `the workspace of agent ${name} is the volume ${source}`,
      'give it a folder: workspace.bind',
    );
  const real = wanted === undefined ? source : await realpath(wanted).catch(() => wanted);
  if (real !== source)
    throw refuseSandbox(`--workspace ${wanted}: the workspace of agent ${name} is ${source}`, 'leave it out');
  const found = await look(source);
  if (found?.isDirectory() !== true) throw refuseSandbox(`${source} is no folder`, 'make it, for its user');
  return {
    source,
    target,
    id: idOf(found),
    guards: await lookAtGuarded(source, await guardedIn(source, writable)),
  };
}

const passedOn = ['TERM', 'COLORTERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'];

function environment(wayOut: readonly string[]): Readonly<Record<string, string>> {
  const own = passedOn.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  const all = [...withWayOut(own, [], wayOut), `HOME=${sandboxHome}`, `PATH=${jailFirst([])}`];
  return Object.fromEntries(
    all.map((entry) => [entry.replace(/=.*$/s, ''), entry.slice(entry.indexOf('=') + 1)]),
  );
}

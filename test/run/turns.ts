import { execFileSync } from 'node:child_process';

/**
 * Files that take 15 s and more on two busy cores, slowest first. A run without `--long` takes every sixth of them:
 * together they are three quarters of the time of all program and lab tests. What each commit needs is not here: the
 * conformance suite, and a command's way through a ghost (`test/e2e/{policy,workspace,judged,streams}`).
 */
export const slowFiles: readonly string[] = [
  'test/dashboard/policy-and-audit.test.ts',
  'test/dashboard/memory.test.ts',
  'test/docs/shell-blocks.test.ts',
  'test/dashboard/frame.test.ts',
  'test/e2e/fleet.test.ts',
  'test/policy/real-tools.test.ts',
  'test/e2e/kill-switch.test.ts',
  'test/cli/workspace.test.ts',
  'test/warden/kill-switch.test.ts',
  'test/dashboard/waiting.test.ts',
  'test/scenarios/interruptions.test.ts',
  'test/scenarios/gateway-restarted.test.ts',
  'test/warden/database-behind.test.ts',
  'test/notify/telegram.test.ts',
  'test/dashboard/every-room.test.ts',
  'test/oidc/login.test.ts',
  'test/grpc/empty-records.test.ts',
  'test/warden/users-and-tokens.test.ts',
  'test/e2e/agents-way-out.test.ts',
  'test/e2e/sandbox.test.ts',
  'test/e2e/runner-image.test.ts',
  'test/e2e/sandbox-way-out.test.ts',
  'test/warden/tool-files.test.ts',
  'test/e2e/stalled-reader.test.ts',
  'test/e2e/agent-run.test.ts',
  'test/warden/verdict-race.test.ts',
  'test/dashboard/live-rooms.test.ts',
  'test/e2e/mirror.test.ts',
  'test/e2e/egress-learn.test.ts',
  'test/warden/used-ids.test.ts',
  'test/warden/own-pki.test.ts',
  'test/oidc/browser.test.ts',
  'test/warden/full-disk.test.ts',
  'test/e2e/followed-faults.test.ts',
  'test/warden/audit-followed.test.ts',
  'test/lab/cleanup.test.ts',
  'test/e2e/sessions-end.test.ts',
  'test/e2e/version-0.test.ts',
  'test/e2e/mcp.test.ts',
  'test/lab/faults.test.ts',
  'test/e2e/ssh-engine.test.ts',
  'test/e2e/scratch.test.ts',
  'test/e2e/followed-full.test.ts',
  'test/e2e/environment.test.ts',
  'test/e2e/agent-label.test.ts',
  'test/e2e/scripts.test.ts',
  'test/e2e/doctor-mistakes.test.ts',
  'test/e2e/held-scripts.test.ts',
  'test/e2e/named-networks.test.ts',
  'test/e2e/pool.test.ts',
  'test/e2e/http-door.test.ts',
  'test/e2e/agent-images.test.ts',
  'test/e2e/image-pull.test.ts',
  'test/e2e/orchestrator.test.ts',
  'test/e2e/ghost-init-volume.test.ts',
  'test/e2e/engine-watch.test.ts',
  'test/lab/lab.test.ts',
  'test/cli/watch.test.ts',
  'test/policy/real-git-children.test.ts',
  'test/warden/questions.test.ts',
  'test/cli/policy.test.ts',
  'test/cli/audit.test.ts',
  'test/cli/exec.test.ts',
  'test/policy/real-interpreters.test.ts',
  'test/notify/buttons.test.ts',
  'shim/native/test/init-wire.test.ts',
  'shim/native/test/carrier-damaged.test.ts',
  'test/grpc/connections.test.ts',
  'test/grpc/lists.test.ts',
  'test/install/outside.test.ts',
  'test/examples/agent.test.ts',
  'test/cli/reader-gone.test.ts',
  'shim/native/test/shim-give-back.test.ts',
  'test/warden/stalled-log.test.ts',
  'test/warden/revoked-relay.test.ts',
  'test/dashboard/chat-only.test.ts',
  'test/install/install-clawrden.test.ts',
  'test/warden/told-relay.test.ts',
  'test/install/odd-files.test.ts',
  'test/warden/browsers.test.ts',
  'test/cli/commands.test.ts',
  'test/e2e/followed-repository.test.ts',
  'test/relay/gateway-away.test.ts',
  'test/install/package.test.ts',
  'test/e2e/first-steps.test.ts',
  'test/warden/unreadable-records.test.ts',
  'gateway/judging/policy-checks.programs.test.ts',
  'test/relay/kept-workspaces.test.ts',
  'test/relay/program.test.ts',
  'test/dashboard/fleet-rooms.test.ts',
  'test/notify/slack.test.ts',
  'test/egress/fetch.test.ts',
  'test/e2e/raw-sockets.test.ts',
  'test/e2e/probed-networks.test.ts',
  'test/egress/smuggled.test.ts',
  'test/policy/judging-at-limits.test.ts',
  'test/warden/prometheus.test.ts',
  'test/warden/flooded.test.ts',
  'test/warden/second-gateway.test.ts',
  'test/warden/lost-audit.test.ts',
  'test/warden/records.test.ts',
  'test/dashboard/long-history.test.ts',
  'test/grpc/slow-readers.test.ts',
  'test/e2e/followed.test.ts',
  'test/cli/exec-tty.test.ts',
  'test/e2e/sessions.test.ts',
  'test/e2e/waiting.test.ts',
  'test/e2e/asked.test.ts',
  'test/warden/keys-rotated.test.ts',
  'test/skew/upgrade.test.ts',
  'test/e2e/ghost-faults.test.ts',
  'test/mcp/door.test.ts',
  'test/warden/people-live.test.ts',
  'test/e2e/demo.test.ts',
  'test/cli/gateway-start.test.ts',
  'test/grpc/abuse.test.ts',
  'shim/native/test/carrier-home-jail.test.ts',
  'test/policy/fuzz.test.ts',
  'test/warden/gateway-killed.test.ts',
  'test/relay/hostile-clients.test.ts',
  'test/workspaces/held-up.test.ts',
  'test/relay/told-agents.test.ts',
  'test/warden/traces.test.ts',
  'test/e2e/real-clients.test.ts',
  'test/notify/webhooks.test.ts',
  'test/warden/calls-without-start.test.ts',
  'test/warden/authority-rotated.test.ts',
  'test/warden/stolen-relay.test.ts',
  'test/warden/agents-reloaded.test.ts',
  'test/e2e/abandoned.test.ts',
  'test/policy/real-spellings.test.ts',
  'test/e2e/ending.test.ts',
  'test/warden/grants-and-policy.test.ts',
  'test/e2e/contained-home.test.ts',
  'test/notify/answer-in.test.ts',
  'test/warden/watched-output.test.ts',
  'test/warden/audit-full.test.ts',
  'test/relay/halted-before.test.ts',
  'test/e2e/limits.test.ts',
  'test/e2e/secrets.test.ts',
  'test/egress/fetch-forbidden.test.ts',
  'test/mcp/execute.test.ts',
  'test/examples/openai-agents.test.ts',
  'test/mcp/tasks.test.ts',
  'test/policy/real-runners.test.ts',
  'test/policy/real-kubectl.test.ts',
  'test/grpc/needless-frames.test.ts',
  'test/mcp/long-output.test.ts',
  'test/relay/neighbours.test.ts',
  'test/install/any-tree.test.ts',
];

/**
 * Files whose full counts take half a minute and more, those that take longest first. A run with `--long` takes every
 * sixth of them in full, and of the others their samples.
 */
export const inFull: readonly string[] = [
  'test/scenarios/interruptions.test.ts',
  'test/workspaces/model.test.ts',
  'test/conformance/conformance.test.ts',
  'test/e2e/followed-faults.test.ts',
  'test/policy/real-spellings.test.ts',
  'test/e2e/more-clients.test.ts',
  'test/warden/verdict-race.test.ts',
  'test/policy/real-tools.test.ts',
  'test/e2e/fleet-faults.test.ts',
  'test/install/package.test.ts',
  'test/warden/gateway-killed.test.ts',
  'test/dashboard/memory.test.ts',
  'test/mcp/long-command.test.ts',
  'test/audit/interrupted.test.ts',
  'test/policy/judging-at-limits.test.ts',
  'test/e2e/followed-repository.test.ts',
  'test/policy/real-interpreters.test.ts',
  'test/e2e/compose.test.ts',
  'test/audit/rotation-interrupted.test.ts',
  'shim/native/test/carrier-odd-files.test.ts',
  'test/policy/real-kubectl.test.ts',
  'shim/native/test/init-hold.test.ts',
  'test/install/any-tree.test.ts',
  'test/policy/real-verbs.test.ts',
  'test/e2e/stalled-reader.test.ts',
  'test/policy/real-runners.test.ts',
  'test/warden/used-ids.test.ts',
  'shim/native/test/carrier-hostile.test.ts',
  'shim/native/test/carrier-restore.test.ts',
  'shim/native/test/carrier-home-jail.test.ts',
  'shim/native/test/shim-answer.test.ts',
  'test/egress/fetch-forbidden.test.ts',
  'test/e2e/workspace.test.ts',
  'test/grpc/empty-records.test.ts',
  'shim/native/test/carrier-index.test.ts',
  'test/grpc/needless-frames.test.ts',
  'test/e2e/agent-run-options.test.ts',
  'test/grpc/places.test.ts',
  'test/grpc/slow-readers.test.ts',
  'test/http/events.test.ts',
  'test/grpc/abuse.test.ts',
  'test/dashboard/long-history.test.ts',
  'test/e2e/contained-home.test.ts',
  'test/skew/upgrade.test.ts',
  'test/e2e/real-clients.test.ts',
  'test/audit/tampered.test.ts',
  'test/grpc/revocation-race.test.ts',
  'test/grpc/hostile-gateway.test.ts',
];

export const turns = 6;

/** The slow files that a run of this turn, 0 to `turns` - 1, leaves out. */
export function leftOut(turn: number): readonly string[] {
  return otherTurns(slowFiles, turn);
}

/** The files that a run with `--long` of this turn tries with samples only. */
export function sampledOnly(turn: number): readonly string[] {
  return otherTurns(inFull, turn);
}

function otherTurns(files: readonly string[], turn: number): readonly string[] {
  return files.filter((_, at) => at % turns !== turn);
}

/** CLAWRDEN_TURN, or the turn of the commit that is checked out: each run of one commit takes the same files. */
export function turnOf(checkout: string): number {
  const wanted = process.env.CLAWRDEN_TURN ?? String(numberOfCommit(checkout) % turns);
  const turn = Number(wanted);
  if (Number.isInteger(turn) && turn >= 0 && turn < turns) return turn;
  throw new Error(`CLAWRDEN_TURN is ${wanted}; it is a number from 0 to ${turns - 1}`);
}

/** 0 if this is no clone. */
function numberOfCommit(checkout: string): number {
  try {
    const commit = execFileSync('git', ['-C', checkout, 'rev-parse', 'HEAD'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(commit.toString().slice(0, 8), 16);
  } catch {
    return 0;
  }
}

import type { Inner, InnerCommand } from '../arguments/see-through.ts';
import type { DecidedTool, Decision, Rule } from '../policy.ts';
import { joinedConsent, withConsent } from './consent.ts';
import type { Ruling } from './decide-by-rules.ts';
import { isLiteral, namesWord } from './match-args.ts';
import { tighterLimit, tighterTool } from './run-overrides.ts';

/**
 * If the rules do not deny a wrapper, compares it with what it would run. If that is not visible, a person decides,
 * or a rule that names it literally.
 */
export function withinWrapper(
  own: Ruling,
  inner: Inner,
  decideInner: (command: InnerCommand) => Decision,
): Ruling {
  if (own.decision.action === 'allow' && own.rules.some(({ runsAnything }) => runsAnything === true))
    return own;
  if (inner.kind === 'script')
    return ifNamed(
      own,
      ({ args }) => namesWord(args, inner.path),
      'a script runs whatever is in it: name it in the args of a rule',
    );
  if (inner.kind === 'opaque') return ifNamed(own, ({ args }) => isLiteral(args), inner.why);
  const decision = strictest(own.decision, decideInner(inner), inner.tool);
  const both = { decision, rules: own.rules };
  return inner.adds
    ? ifNamed(both, ({ args }) => isLiteral(args), 'it adds arguments that cannot be seen')
    : both;
}

function ifNamed(own: Ruling, names: (rule: Rule) => boolean, why: string): Ruling {
  return own.decision.action !== 'allow' || own.rules.some(names)
    ? own
    : { decision: unseen(why), rules: own.rules };
}

function strictest(outer: Decision, inner: Decision, name: string): Decision {
  if (inner.action === 'deny') return { ...inner, reason: `it would run ${named(name)}: ${inner.reason}` };
  if (outer.tool === undefined || inner.tool === undefined || !isSamePlace(outer.tool, inner.tool)) {
    return unseen(
      `it would run ${named(name)} elsewhere than the policy says`,
      `call ${named(name)} by itself`,
    );
  }
  const asks = outer.action === 'allow' && inner.action === 'ask' ? inner : outer;
  const timeoutMs = tighterLimit(
    outer.timeoutMs ?? outer.tool.timeoutMs,
    inner.timeoutMs ?? inner.tool.timeoutMs,
  );
  const rates = [...(outer.rates ?? []), ...(inner.rates ?? [])];
  const both = {
    ...asks,
    tool: tighterTool(outer.tool, inner.tool),
    timeoutMs,
    ...(rates.length === 0 ? {} : { rates }),
  };
  const asking = [outer, inner].filter(({ action }) => action === 'ask');
  return withConsent(both, joinedConsent(asking.map(({ consent }) => consent)));
}

function isSamePlace(a: DecidedTool, b: DecidedTool): boolean {
  const places = ['strategy', 'image', 'network', 'reach'] as const;
  return places.every((key) => a[key] === b[key]);
}

function unseen(reason: string, instead?: string): Decision {
  const rest = instead === undefined ? {} : { instead };
  return { action: 'deny', rule: 'seen-through', reason, code: 'denied-by-rule', ...rest };
}

/** The agent's own word: short, and on one line. */
function named(tool: string): string {
  return JSON.stringify(tool.slice(0, 80)).slice(1, -1);
}

import { AgentText } from '../../parts/texts.tsx';

export type Found =
  | 'looking'
  | Error
  | {
      readonly problems: readonly string[];
      readonly errors: readonly string[];
      readonly warnings: readonly string[];
    };

interface FindingsProps {
  readonly found: Found;
  readonly lineTo: (line: number) => string;
}

/** What `clawrden policy check` says of the policy in force. */
export function Findings({ found, lineTo }: FindingsProps) {
  return (
    <section class="card policy-card" aria-labelledby="findings">
      <h2 id="findings">Warnings</h2>
      <Said found={found} lineTo={lineTo} />
    </section>
  );
}

function Said({ found, lineTo }: FindingsProps) {
  if (found === 'looking') return <p class="soft">The policy is being checked…</p>;
  if (found instanceof Error) return <p class="soft">It could not be checked: {found.message}</p>;
  const rows = [
    ...[...found.problems, ...found.errors].map((text) => ({ level: 'error', text })),
    ...found.warnings.map((text) => ({ level: 'warning', text })),
  ];
  if (rows.length === 0) return <p class="soft">The check finds nothing: no rule is wider than it says.</p>;
  return (
    <ul class="policy-findings">
      {rows.map(({ level, text }, at) => {
        const line = Number(/^policy\.yaml:(\d+)|\(line (\d+)\)/.exec(text)?.slice(1).find(Boolean) ?? 0);
        return (
          <li key={at}>
            <span class={level === 'error' ? 'tag bad' : 'tag warn'}>{level}</span>
            <span>
              {line > 0 && (
                <>
                  <a href={lineTo(line)}>line {line}</a>{' '}
                </>
              )}
              <AgentText
                text={text.replace(/^policy\.yaml:\d+:(?:\d+:)? ?/, '').replace(` (line ${line})`, '')}
                bare
              />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

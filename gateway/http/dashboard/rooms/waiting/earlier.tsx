import type { EarlierAnswerView } from '../../../../../src/http-api/approvals.ts';
import { AgentText } from '../../parts/texts.tsx';
import { Ago } from '../../parts/times.tsx';

/** How this very plan was answered before; nothing if it never was. */
export function Earlier({ answers }: { readonly answers: readonly EarlierAnswerView[] }) {
  if (answers.length === 0) return null;
  return (
    <section class="beside" aria-label="Answered before">
      <h3>This very plan before</h3>
      <ul>
        {answers.map(({ verdict, by, reason, askedAt }) => (
          <li key={askedAt}>
            <span class={verdict === 'approved' ? 'tag good' : 'tag bad'}>{verdict}</span> {by},{' '}
            <Ago at={askedAt} />
            {reason !== '' && (
              <>
                : <AgentText text={reason} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

import type { ApprovalView } from '../../../../../src/http-api/approvals.ts';
import { AgentText } from '../../parts/texts.tsx';
import { Ago } from '../../parts/times.tsx';
import { Fact } from './fact.tsx';

/** Who has to say yes, and who has; nothing where anybody may. */
export function Needs({ question }: { readonly question: ApprovalView }) {
  const { approvals, approverRole, approverNames, answerIn, missing, yeses } = question;
  const isUsual = answerIn.join() === 'cli,dashboard';
  if (approvals === 1 && approverRole === 'approver' && approverNames.length === 0 && isUsual) return null;
  const who = approvals === 1 ? 'one person' : `${approvals} different people`;
  const role = approverRole === 'admin' ? 'admin' : `${approverRole} or above`;
  return (
    <Fact name="Needs a yes of">
      {who} with the role {role}
      {approverNames.length > 0 && `, of ${approverNames.join(', ')}`}
      {!isUsual && `, by ${answerIn.join(' or ')}`}
      {yeses.length > 0 && (
        <ul class="question-yeses">
          {yeses.map(({ givenBy, givenAt, reason, counts }) => (
            <li key={givenBy}>
              <span class={counts ? 'tag good' : 'tag'}>{counts ? 'yes' : 'counts no more'}</span> {givenBy},{' '}
              <Ago at={givenAt} />
              {reason !== '' && (
                <>
                  : <AgentText text={reason} />
                </>
              )}
            </li>
          ))}
          <li class="soft">{missing} more needed</li>
        </ul>
      )}
    </Fact>
  );
}

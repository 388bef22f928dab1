import { useSignal } from '@preact/signals';
import type { ApprovalView } from '../../../../../src/http-api/approvals.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { AgentText } from '../../parts/texts.tsx';
import { proposedRule } from './rule-text.ts';

interface RuleProposalProps {
  readonly question: ApprovalView;
  readonly onClose: () => void;
}

/** A rule to copy: the page writes nothing. */
export function RuleProposal({ question, onClose }: RuleProposalProps) {
  const { notices } = useDashboard();
  const action = useSignal<'allow' | 'deny'>('allow');
  const proposal = proposedRule(question, action.value);
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text).then(
      () => notices.tell('Copied the rule.'),
      () => notices.tell('This browser does not let the page copy.', 'bad'),
    );
  };
  return (
    <Dialog title="A rule for policy.yaml" onClose={onClose}>
      <p class="soft">Nothing is written: copy it into the policy, and run clawrden policy check.</p>
      <label class="labelled">
        This command of this agent is
        <select
          class="field"
          value={action.value}
          onChange={({ currentTarget }) => {
            action.value = currentTarget.value === 'deny' ? 'deny' : 'allow';
          }}
        >
          <option value="allow">allowed without a question</option>
          <option value="deny">denied without a question</option>
        </select>
      </label>
      {'problem' in proposal ? (
        <p class="trouble">{proposal.problem}</p>
      ) : (
        <pre class="rule-text" tabIndex={0} role="region" aria-label="The rule">
          {proposal.yaml}
        </pre>
      )}
      {action.value === 'allow' && (
        <p class="small">
          The rule <AgentText text={question.rule} bare /> asks about it, and ask is stronger than allow:
          narrow that rule, too.
        </p>
      )}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
        {'yaml' in proposal && (
          <button type="button" class="button main" onClick={() => void copy(proposal.yaml)}>
            Copy
          </button>
        )}
      </div>
    </Dialog>
  );
}

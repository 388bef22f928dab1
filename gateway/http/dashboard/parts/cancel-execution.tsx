import { useSignal } from '@preact/signals';
import type { ExecutionView } from '../../../../src/http-api/history.ts';
import { renderArgv } from '../../../../src/text/render-text.ts';
import { hasRole, useDashboard } from '../data/dashboard.ts';
import { Confirm } from './dialog.tsx';
import { problemText } from './problem-text.ts';
import { Rendered } from './texts.tsx';

/** Ends a command that has not ended, behind a confirm that names it. */
export function CancelExecution({ execution: { id, agent, argv } }: { readonly execution: ExecutionView }) {
  const { client, session, notices } = useDashboard();
  const isAsked = useSignal(false);
  const isBusy = useSignal(false);
  if (!hasRole(session, 'operator')) return null;
  const cancel = async () => {
    isBusy.value = true;
    try {
      const { state } = await client().call('cancelExecution', { params: { id } });
      notices.tell(state === 'ended' ? 'It has ended.' : 'It is told to end.', 'good');
      isAsked.value = false;
    } catch (error) {
      notices.tell(`Not canceled: ${problemText(error)}`, 'bad');
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <button
        type="button"
        class="button danger short"
        onClick={() => {
          isAsked.value = true;
        }}
      >
        Cancel it…
      </button>
      {isAsked.value && (
        <Confirm
          title="Cancel this command?"
          action="Cancel the command"
          danger
          busy={isBusy.value}
          onConfirm={() => void cancel()}
          onCancel={() => {
            isAsked.value = false;
          }}
        >
          <p class="agent-text">
            <Rendered text={renderArgv(argv)} />
          </p>
          <p>
            {agent === '' ? 'It' : <>The command of {agent}</>} gets a signal to end, and is killed if it does
            not. What it has done stays done.
          </p>
        </Confirm>
      )}
    </>
  );
}

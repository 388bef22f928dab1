import { useDashboard } from '../../data/dashboard.ts';
import { Written } from '../../parts/texts.tsx';
import { WindowList } from '../../parts/window-list.tsx';

const rowHeight = 22;

/** With the number of each line; that of the address is marked and on the screen. */
export function PolicyText({ lines }: { readonly lines: readonly string[] }) {
  const { router } = useDashboard();
  const current = router.now.value.query.get('line') ?? undefined;
  const rows = lines.map((text, at) => ({ text, key: String(at + 1) }));
  return (
    <section class="card policy-text" aria-labelledby="policy-text">
      <h2 id="policy-text">The text in force</h2>
      <div class="policy-lines">
        <WindowList
          takesFocus
          label="Lines of the policy"
          {...{ rows, rowHeight, current }}
          keyOf={({ key }) => key}
        >
          {({ text, key }) => (
            <div class={key === current ? 'policy-line is-current' : 'policy-line'}>
              <span class="policy-number">{key}</span>
              <code class="agent-text" dir="ltr">
                <Written text={text} />
              </code>
            </div>
          )}
        </WindowList>
      </div>
    </section>
  );
}

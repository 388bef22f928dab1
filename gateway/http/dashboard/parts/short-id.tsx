import { useDashboard } from '../data/dashboard.ts';

/** The beginning of an id, which every command of the CLI takes; a click copies all of it. */
export function ShortId({ id, length = 8 }: { readonly id: string; readonly length?: number }) {
  const { notices } = useDashboard();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(id);
      notices.tell(`Copied ${id}`);
    } catch {
      notices.tell(`This browser does not let the page copy. The id is ${id}`, 'bad');
    }
  };
  return (
    <button
      type="button"
      class="short-id"
      title={`Copy ${id}`}
      aria-label={`${id.slice(0, length)}: copy the whole id`}
      onClick={() => void copy()}
    >
      {id.slice(0, length)}
    </button>
  );
}

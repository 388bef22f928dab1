import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Where the list and a question do not fit side by side. As in `waiting.css`. */
const query = '(max-width: 68rem)';

export function useIsNarrow(): boolean {
  const isNarrow = useSignal(matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const update = () => {
      isNarrow.value = media.matches;
    };
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, []);
  return isNarrow.value;
}

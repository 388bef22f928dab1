import { useSignal } from '@preact/signals';
import { alertsKey } from '../../data/alerts.ts';
import { useDashboard } from '../../data/dashboard.ts';

/** Whether this browser tells of new questions while nobody looks at the page. */
export function AlertsButton() {
  const { notices } = useDashboard();
  const isOn = useSignal(localStorage.getItem(alertsKey) === 'on');
  if (!('Notification' in globalThis)) return null;
  const change = async () => {
    const wanted = !isOn.peek() && (await Notification.requestPermission()) === 'granted';
    if (!isOn.peek() && !wanted) return notices.tell('This browser does not let the page notify you.', 'bad');
    isOn.value = wanted;
    localStorage.setItem(alertsKey, wanted ? 'on' : 'off');
  };
  return (
    <button type="button" class="button" aria-pressed={isOn.value} onClick={() => void change()}>
      {isOn.value ? 'Notifications are on' : 'Notify me'}
    </button>
  );
}

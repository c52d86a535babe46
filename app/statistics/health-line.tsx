import { Icon, type IconName } from '~/ui/icon';

const ICONS: Record<string, IconName> = { new: 'plus', active: 'check', quiet: 'clock', never: 'warning' };

/** The state of a code, in one sentence. */
export function HealthLine({ health, text }: { health: string; text: string }) {
  return (
    <p className={`health health--${health}`}>
      <Icon name={ICONS[health] ?? 'info'} />
      <span>{text}</span>
    </p>
  );
}

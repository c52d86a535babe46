import { Icon, type IconName } from '~/ui/icon';

const ICONS: Record<string, IconName> = { new: 'plus', active: 'check', quiet: 'clock', never: 'warning' };

/** How a code is doing, in a sentence. */
export function HealthLine({ health, text }: { health: string; text: string }) {
  return (
    <p className={`health health--${health}`}>
      <Icon name={ICONS[health] ?? 'info'} />
      <span>{text}</span>
    </p>
  );
}

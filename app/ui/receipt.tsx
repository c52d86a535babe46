import { useTranslation } from 'react-i18next';
import { Icon, type IconName } from './icon';

type State = 'reads-back' | 'checking' | 'unread' | 'waiting';

const ICONS: Record<State, IconName> = {
  'reads-back': 'check',
  checking: 'clock',
  unread: 'warning',
  waiting: 'code',
};

interface Props {
  state: State;
  /** The whole line; without it a general wording of the state. */
  text?: string | undefined;
}

/** The line under a code that says what a reader made of it. */
export function Receipt({ state, text }: Props) {
  const { t } = useTranslation();
  return (
    <p className={`receipt ${state}`}>
      <Icon name={ICONS[state]} />
      <span>{text ?? t(`receipt.${state}`)}</span>
    </p>
  );
}

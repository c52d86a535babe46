import { Icon, type IconName } from './icon';

type State = 'reads-back' | 'unread' | 'waiting';

const ICONS: Record<State, IconName> = {
  'reads-back': 'check',
  unread: 'warning',
  waiting: 'code',
};

interface Props {
  state: State;
  /** The whole line. */
  text: string;
}

/** The line below a code that says whether it can be read. */
export function Receipt({ state, text }: Props) {
  return (
    <p className={`receipt ${state}`}>
      <Icon name={ICONS[state]} />
      <span>{text}</span>
    </p>
  );
}

import type { ReactNode } from 'react';
import { Icon } from '~/ui/icon';

interface Props {
  isWarning?: boolean;
  children: ReactNode;
}

/** One thing to know about a code before anything else on its page. */
export function State({ isWarning = false, children }: Props) {
  return (
    <div className={`notice code-state${isWarning ? ' warning' : ''}`}>
      <Icon name={isWarning ? 'warning' : 'info'} />
      <p>{children}</p>
    </div>
  );
}

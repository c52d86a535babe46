import type { ReactNode } from 'react';
import { NO_SUBSCRIPTION } from './states';

interface Props {
  isLocked: boolean;
  children: ReactNode;
}

/** The controls of a form that changes a code: disabled without a subscription, as the top of the page says. */
export function Changeable({ isLocked, children }: Props) {
  if (!isLocked) return children;
  return (
    <fieldset className="changeable" disabled aria-describedby={NO_SUBSCRIPTION}>
      {children}
    </fieldset>
  );
}

import type { ReactNode } from 'react';
import { ModulePicture } from './module-art';

interface Props {
  title: ReactNode;
  text: ReactNode;
  /** Link or button to go on with. */
  action?: ReactNode;
}

/** Shown in place of an empty list. */
export function EmptyState({ title, text, action }: Props) {
  return (
    <div className="empty-state">
      <ModulePicture rows="e7a5e70000e0a0e0" />
      <h2>{title}</h2>
      <p>{text}</p>
      {action && <div className="actions">{action}</div>}
    </div>
  );
}

import type { ReactNode } from 'react';

/** A drawn phone with a white screen in every theme: what is on it looks as it will be printed. */
export function PhoneFrame({ label, children }: { label: string; children: ReactNode }) {
  return (
    <figure className="phone" aria-label={label}>
      <div className="screen">{children}</div>
    </figure>
  );
}

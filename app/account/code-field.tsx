import type { ReactNode } from 'react';
import { Field, type FieldMeta } from '~/ui/field';

interface Props {
  field: FieldMeta;
  label: ReactNode;
  hint: ReactNode;
  error: string | undefined;
}

/** The authenticator app's digits or a recovery code; phones show the number pad for both. */
export function CodeField(props: Props) {
  return (
    <Field
      {...props}
      className="mono code-input"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={40}
      spellCheck={false}
    />
  );
}

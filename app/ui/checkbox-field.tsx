import type { InputHTMLAttributes } from 'react';
import { controlProps, type FieldMeta, FieldNotes, type FieldTexts, OptionalMark } from './field';

interface Props
  extends FieldTexts,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'name' | 'type' | 'defaultValue'> {
  field: FieldMeta;
}

/** A checkbox with its label. Submits `on` unless given a `value`; checked if the initial value equals it. */
export function CheckboxField({ field, label, hint, error, optional, value = 'on', ...rest }: Props) {
  return (
    <div className="field check">
      <input
        type="checkbox"
        {...controlProps(field, { hint, error })}
        value={value}
        defaultChecked={field.initialValue === value}
        {...rest}
      />{' '}
      <label htmlFor={field.id}>
        {label}
        {optional && <OptionalMark />}
      </label>
      <FieldNotes id={field.id} hint={hint} error={error} />
    </div>
  );
}

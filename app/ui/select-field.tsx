import type { SelectHTMLAttributes } from 'react';
import { controlProps, FieldFrame, type FieldMeta, type FieldTexts } from './field';

interface Props
  extends FieldTexts,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'name' | 'defaultValue' | 'value'> {
  field: FieldMeta;
  /** An option with an empty value is the request to choose. */
  options: { value: string; label: string }[];
}

export function SelectField({ field, label, hint, error, optional, options, className, ...rest }: Props) {
  return (
    <FieldFrame field={field} label={label} hint={hint} error={error} optional={optional ?? false}>
      <select
        {...controlProps(field, { hint, error })}
        defaultValue={field.initialValue}
        className={className ? `input ${className}` : 'input'}
        {...rest}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

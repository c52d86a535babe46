import { type SelectHTMLAttributes, useEffect, useRef } from 'react';
import { controlProps, FieldFrame, type FieldMeta, type FieldTexts } from './field';

interface Props
  extends FieldTexts,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'name' | 'defaultValue' | 'value'> {
  field: FieldMeta;
  /** An option with an empty value is the prompt to choose. */
  options: { value: string; label: string }[];
}

export function SelectField({ field, label, hint, error, optional, options, className, ...rest }: Props) {
  const select = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (select.current) setDefault(select.current, field.initialValue);
  }, [field.initialValue]);
  return (
    <FieldFrame field={field} label={label} hint={hint} error={error} optional={optional ?? false}>
      <select
        {...controlProps(field, { hint, error })}
        ref={select}
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

/**
 * React sets the default of a select only once, and resetting the form would always return to it. The
 * selection follows the new default, unless the user chose something else.
 */
function setDefault({ options, selectedOptions }: HTMLSelectElement, value: string | undefined): void {
  const before = findDefault(options);
  const shown = selectedOptions[0];
  for (const option of options) option.defaultSelected = option.value === value;
  const next = shown === before ? findDefault(options) : shown;
  if (next) next.selected = true;
}

function findDefault(options: HTMLOptionsCollection): HTMLOptionElement | undefined {
  return [...options].find(({ defaultSelected }) => defaultSelected) ?? options[0];
}

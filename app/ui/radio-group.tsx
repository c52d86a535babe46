import type { ReactNode } from 'react';
import { type FieldMeta, FieldNotes, notesOf, OptionalMark } from './field';
import { Icon, type IconName } from './icon';

interface RadioOption {
  value: string;
  label: ReactNode;
  hint?: ReactNode;
  icon?: IconName;
  disabled?: boolean;
  /** A short remark, such as that the option is coming soon. */
  badge?: string;
}

interface Props {
  field: FieldMeta;
  legend: ReactNode;
  options: RadioOption[];
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  layout?: 'tiles' | 'tiles tiles--small' | 'list';
}

/** The first option has the field's own id, so that a link in the error summary leads to it. */
export function RadioGroup({ field, legend, options, hint, error, optional, layout = 'list' }: Props) {
  return (
    <fieldset className="field" aria-describedby={notesOf(field.id, { hint, error })}>
      <legend>
        {legend}
        {optional && <OptionalMark />}
      </legend>
      <FieldNotes id={field.id} hint={hint} error={error} />
      <div className={layout}>
        {options.map((option, position) => (
          <Option
            key={option.value}
            option={option}
            id={position === 0 ? field.id : `${field.id}-${option.value}`}
            field={field}
            isInvalid={error !== undefined}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface OptionProps {
  option: RadioOption;
  id: string;
  field: FieldMeta;
  isInvalid: boolean;
}

function Option({ option, id, field, isInvalid }: OptionProps) {
  const { value, label, hint, icon, disabled, badge } = option;
  const hintId = `${id}-about`;
  return (
    <div className="option">
      <input
        type="radio"
        id={id}
        name={field.name}
        value={value}
        defaultChecked={field.initialValue === value}
        required={field.required || undefined}
        disabled={disabled}
        aria-invalid={isInvalid || undefined}
        aria-describedby={hint ? hintId : undefined}
      />
      <label htmlFor={id}>
        {icon && <Icon name={icon} />}
        <span>{label}</span>
        {badge && <span className="badge"> {badge}</span>}
      </label>
      {hint && (
        <p id={hintId} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

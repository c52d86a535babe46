import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useEffect,
  useRef,
} from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from './icon';

/** What a control needs to know about its field. */
export interface FieldMeta {
  id: string;
  name: string;
  initialValue?: string | undefined;
  errors?: string[] | undefined;
  required?: boolean | undefined;
}

/** Texts around a control. `error` is already translated. */
export interface FieldTexts {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  /** Marks the label as optional; required fields are not marked. */
  optional?: boolean;
}

interface FieldProps
  extends FieldTexts,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'name' | 'defaultValue' | 'value'> {
  field: FieldMeta;
  /** A unit or symbol after the control. */
  suffix?: ReactNode;
}

export function Field({ field, label, hint, error, optional, suffix, className, ...rest }: FieldProps) {
  const input = (
    <input
      type="text"
      {...controlProps(field, { hint, error })}
      defaultValue={field.initialValue}
      className={className ? `input ${className}` : 'input'}
      {...rest}
    />
  );
  return (
    <FieldFrame field={field} label={label} hint={hint} error={error} optional={optional ?? false}>
      {suffix ? (
        <div className="with-suffix">
          {input}
          <span className="suffix">{suffix}</span>
        </div>
      ) : (
        input
      )}
    </FieldFrame>
  );
}

/** For an e-mail address, which browsers neither capitalise nor correct. */
export function EmailField(props: FieldProps) {
  return <Field type="email" {...props} autoCapitalize="none" spellCheck={false} />;
}

/** Label, hint and error around any single control, in the order in which they are read. */
export function FieldFrame({
  field,
  label,
  hint,
  error,
  optional,
  children,
}: FieldTexts & { field: FieldMeta; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={field.id}>
        {label}
        {optional && <OptionalMark />}
      </label>{' '}
      <FieldNotes id={field.id} hint={hint} error={error} />
      {children}
    </div>
  );
}

export function OptionalMark() {
  const { t } = useTranslation();
  return <span className="optional"> {t('form.optional')}</span>;
}

/** The paragraphs that `controlProps` refers to. */
export function FieldNotes({ id, hint, error }: { id: string } & Pick<FieldTexts, 'hint' | 'error'>) {
  const { t } = useTranslation();
  return (
    <>
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="field-error">
          <Icon name="error" />
          <span>
            <span className="sr-only">{t('form.errorPrefix')} </span>
            {error}
          </span>
        </p>
      )}
    </>
  );
}

/** Attributes every native control of a field has. */
export function controlProps(field: FieldMeta, texts: Pick<FieldTexts, 'hint' | 'error'>) {
  return {
    id: field.id,
    name: field.name,
    required: field.required || undefined,
    'aria-describedby': notesOf(field.id, texts),
    'aria-invalid': texts.error ? (true as const) : undefined,
  };
}

/** Value of `aria-describedby`: the ids of the hint and the error of a control or group, if present. */
export function notesOf(id: string, { hint, error }: Pick<FieldTexts, 'hint' | 'error'>) {
  return [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
}

interface TextAreaProps
  extends FieldTexts,
    Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id' | 'name' | 'defaultValue' | 'value'> {
  field: FieldMeta;
}

export function TextArea({ field, label, hint, error, optional, className, ...rest }: TextAreaProps) {
  return (
    <FieldFrame field={field} label={label} hint={hint} error={error} optional={optional ?? false}>
      <textarea
        rows={4}
        {...controlProps(field, { hint, error })}
        defaultValue={field.initialValue}
        className={className ? `input ${className}` : 'input'}
        {...rest}
      />
    </FieldFrame>
  );
}

interface SelectFieldProps
  extends FieldTexts,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'name' | 'defaultValue' | 'value'> {
  field: FieldMeta;
  /** An option with an empty value is the prompt to choose. */
  options: { value: string; label: string }[];
}

export function SelectField({
  field,
  label,
  hint,
  error,
  optional,
  options,
  className,
  ...rest
}: SelectFieldProps) {
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

interface CheckboxFieldProps
  extends FieldTexts,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'name' | 'type' | 'defaultValue'> {
  field: FieldMeta;
}

/** A checkbox with its label. Submits `on` unless given a `value`; checked if the initial value equals it. */
export function CheckboxField({
  field,
  label,
  hint,
  error,
  optional,
  value = 'on',
  ...rest
}: CheckboxFieldProps) {
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

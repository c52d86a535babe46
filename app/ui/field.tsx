import type { InputHTMLAttributes, ReactNode } from 'react';
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

interface Props
  extends FieldTexts,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'name' | 'defaultValue' | 'value'> {
  field: FieldMeta;
  /** A unit or symbol after the control. */
  suffix?: ReactNode;
}

export function Field({ field, label, hint, error, optional, suffix, className, ...rest }: Props) {
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

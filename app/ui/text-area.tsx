import type { TextareaHTMLAttributes } from 'react';
import { controlProps, FieldFrame, type FieldMeta, type FieldTexts } from './field';

interface Props
  extends FieldTexts,
    Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id' | 'name' | 'defaultValue' | 'value'> {
  field: FieldMeta;
}

export function TextArea({ field, label, hint, error, optional, className, ...rest }: Props) {
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

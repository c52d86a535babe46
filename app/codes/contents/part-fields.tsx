import type { InputHTMLAttributes } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldName } from '#contract/contents/contents';
import type { TextName } from '~/i18n/text-keys';
import { Field, TextArea } from '~/ui/field';
import type { DetailsProps } from './content-form';

/** Fields whose labels have their names. */
export type PartName = Extract<FieldName, TextName<'design', 'form'>>;

type Attributes = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'autoComplete' | 'autoCapitalize' | 'spellCheck' | 'inputMode'
>;

interface PartProps extends DetailsProps, Attributes {
  name: PartName;
  hint?: TextName<'design', 'form'>;
  isRequired?: boolean;
}

/** One of the inputs of a content of several texts. */
export function PartField({
  name,
  hint,
  isRequired,
  fields,
  message,
  rows: _rows,
  ...attributes
}: PartProps) {
  const { t } = useTranslation('design');
  return (
    <Field
      field={{ ...fields[name], required: isRequired }}
      label={t(`form.${name}`)}
      hint={hint && t(`form.${hint}`)}
      error={message(fields[name].errors)}
      {...attributes}
    />
  );
}

export function PartArea({ name, fields, message, rows }: Pick<PartProps, 'name' | keyof DetailsProps>) {
  const { t } = useTranslation('design');
  return (
    <TextArea
      field={fields[name]}
      label={t(`form.${name}`)}
      error={message(fields[name].errors)}
      rows={rows}
    />
  );
}

interface FoldProps extends DetailsProps {
  summary: TextName<'design', 'form'>;
  /** Each with its attributes. */
  parts: [name: PartName, attributes: Attributes][];
}

/** Inputs that few need: open if any of them has something in it. */
export function PartFold({ summary, parts, ...props }: FoldProps) {
  const { t } = useTranslation('design');
  const isUsed = parts.some(([name]) => props.fields[name].initialValue || props.fields[name].errors);
  return (
    <details className="fold" open={isUsed}>
      <summary>{t(`form.${summary}`)}</summary>
      <div className="parts">
        {parts.map(([name, attributes]) => (
          <PartField key={name} name={name} {...props} {...attributes} />
        ))}
      </div>
    </details>
  );
}

/** For web addresses, which are also accepted without `https://`. */
export const LINK_INPUT = {
  type: 'text',
  inputMode: 'url',
  autoComplete: 'url',
  autoCapitalize: 'none',
  spellCheck: false,
} as const;

import { useTranslation } from 'react-i18next';
import { Field, type FieldMeta } from '~/ui/field';

interface Props {
  fields: Record<'name' | 'tags', FieldMeta>;
  message: (codes: string[] | undefined) => string | undefined;
}

/** Inputs for a code's name and tags. */
export function LabelFields({ fields, message }: Props) {
  const { t } = useTranslation('design');
  return (
    <>
      <Field
        field={fields.name}
        label={t('form.name')}
        hint={t('form.nameHint')}
        error={message(fields.name.errors)}
        autoComplete="off"
        optional
      />
      <Field
        field={fields.tags}
        label={t('form.tags')}
        hint={t('form.tagsHint')}
        error={message(fields.tags.errors)}
        autoComplete="off"
        optional
      />
    </>
  );
}

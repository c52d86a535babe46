import { Fragment, type RefObject, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CodeType, InputName } from '#contract/contents/contents';
import type { ContentForm } from '~/codes/contents/content-form';
import { CONTENT_FORMS, FORM_TYPES } from '~/codes/contents/content-forms';
import { Field, type FieldMeta } from '~/ui/field';

/** Input names of the creation form. */
export type Design = Record<'type' | InputName | 'logo' | 'logoPreset' | 'useWhiteBackground', string>;

export type FormRef = RefObject<HTMLFormElement | null>;

interface ContentFieldsProps {
  fields: Record<keyof Design, FieldMeta>;
  message: (codes: string[] | undefined) => string | undefined;
}

/** The inputs of all types; CSS shows those of the chosen type, so that choosing works without scripts. */
export function ContentFields({ fields, message, formRef }: ContentFieldsProps & { formRef: FormRef }) {
  const { t } = useTranslation('design');
  const chosen = CONTENT_FORMS[chosenType(fields.type)];
  const mains = [...new Set(FORM_TYPES.map((type) => CONTENT_FORMS[type].main))];
  return mains.map((main) => {
    const types = FORM_TYPES.filter((type) => CONTENT_FORMS[type].main === main);
    const [{ control, isOptional, note, hint, Details }] = types.map((type) => CONTENT_FORMS[type]) as [
      ContentForm,
    ];
    const own = chosen.main === main ? message(fields.content.errors) : undefined;
    return (
      <div key={main} className={`panel ${types.map((type) => `panel--${type}`).join(' ')}`}>
        {note && <p className="note">{t(`form.${note}`)}</p>}
        <Field
          field={{ ...fields[main], required: !isOptional }}
          label={types.map((type, place) => (
            <Fragment key={type}>
              {place > 0 && (
                <>
                  {' '}
                  <span hidden>/ </span>
                </>
              )}
              <span className={`label--${type}`}>{t(`form.${CONTENT_FORMS[type].label}`)}</span>
            </Fragment>
          ))}
          hint={hint ? t(`form.${hint}`) : main === 'content' && <LengthHint formRef={formRef} />}
          error={message(fields[main].errors) ?? own}
          {...control}
        />
        {Details && <Details fields={fields} message={message} rows={3} />}
      </div>
    );
  });
}

/** The type that a form starts with. */
export function chosenType({ initialValue }: FieldMeta): CodeType {
  return FORM_TYPES.find((type) => type === initialValue) ?? FORM_TYPES[0];
}

/**
 * The length limit and, once something is typed, the current length. Separate, so that only it rerenders on
 * each keystroke.
 */
function LengthHint({ formRef }: { formRef: FormRef }) {
  const { t } = useTranslation('design');
  const [length, setLength] = useState<number>();
  useEffect(() => {
    const form = formRef.current;
    const count = async () => {
      const { lengthOf } = await import('./live-drawing');
      if (form) setLength(lengthOf(form));
    };
    form?.addEventListener('input', count);
    return () => form?.removeEventListener('input', count);
  }, [formRef]);
  return length === undefined ? t('form.limit') : t('form.length', { length });
}

interface LabelFieldsProps {
  fields: Record<'name' | 'tags', FieldMeta>;
  message: (codes: string[] | undefined) => string | undefined;
}

/** Inputs for a code's name and tags. */
export function LabelFields({ fields, message }: LabelFieldsProps) {
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

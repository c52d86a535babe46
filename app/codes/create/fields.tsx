import { type RefObject, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckboxField, Field, type FieldMeta, SelectField, TextArea } from '~/ui/field';

/** Input names of the creation form. */
export type Design = Record<
  | 'type'
  | 'content'
  | 'address'
  | 'subject'
  | 'body'
  | 'ssid'
  | 'passphrase'
  | 'security'
  | 'hidden'
  | 'logo'
  | 'logoPreset'
  | 'useWhiteBackground',
  string
>;

export type FormRef = RefObject<HTMLFormElement | null>;

interface ContentFieldsProps {
  fields: Record<keyof Design, FieldMeta>;
  message: (codes: string[] | undefined) => string | undefined;
}

/** The inputs of all types; CSS shows those of the chosen type, so that choosing works without scripts. */
export function ContentFields({ fields, message, formRef }: ContentFieldsProps & { formRef: FormRef }) {
  const { t } = useTranslation('design');
  const isEmail = fields.type.initialValue === 'email';
  const contentError = message(fields.content.errors);
  return (
    <>
      <div className="panel panel--content">
        <Field
          field={{ ...fields.content, required: true }}
          label={
            <>
              <span className="panel--link">{t('form.link')}</span> <span hidden>/ </span>
              <span className="panel--text">{t('form.text')}</span>
            </>
          }
          hint={<LengthHint formRef={formRef} />}
          error={isEmail ? undefined : contentError}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </div>
      <EmailFields fields={fields} message={message} error={isEmail ? contentError : undefined} />
      <WifiFields fields={fields} message={message} />
    </>
  );
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

function EmailFields({ fields, message, error }: ContentFieldsProps & { error: string | undefined }) {
  const { t } = useTranslation('design');
  return (
    <div className="panel panel--email">
      <Field
        field={{ ...fields.address, required: true }}
        type="email"
        label={t('form.address')}
        error={error}
        autoComplete="email"
        spellCheck={false}
      />
      <Field
        field={fields.subject}
        label={t('form.subject')}
        error={message(fields.subject.errors)}
        optional
      />
      <TextArea
        field={fields.body}
        label={t('form.body')}
        error={message(fields.body.errors)}
        rows={3}
        optional
      />
    </div>
  );
}

function WifiFields({ fields, message }: ContentFieldsProps) {
  const { t } = useTranslation('design');
  return (
    <div className="panel panel--wifi">
      <p className="note">{t('form.wifiFixed')}</p>
      <Field
        field={{ ...fields.ssid, required: true }}
        label={t('form.ssid')}
        error={message(fields.ssid.errors)}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
      />
      <SelectField
        field={fields.security}
        label={t('form.security')}
        options={[
          { value: 'WPA', label: t('security.WPA') },
          { value: 'WEP', label: t('security.WEP') },
          { value: 'nopass', label: t('security.nopass') },
        ]}
      />
      <div className="panel--secured">
        <Field
          field={fields.passphrase}
          label={t('form.passphrase')}
          error={message(fields.passphrase.errors)}
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
        />
      </div>
      <CheckboxField field={fields.hidden} label={t('form.hidden')} />
    </div>
  );
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

import { getFormProps } from '@conform-to/react';
import { Form as PageForm } from '@remix-run/react';
import { type ComponentProps, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { CheckboxField } from '~/ui/checkbox-field';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Field } from '~/ui/field';
import { RadioGroup } from '~/ui/radio-group';
import { useSchemaForm } from '~/ui/schema-form';
import { SelectField } from '~/ui/select-field';
import { TextArea } from '~/ui/text-area';
import { CodePreview, type ServerPreview } from './code-preview';
import type { CodeFields } from './contents';
import { type KeptLogo, LogoChooser } from './logo-chooser';
import { useLivePreview } from './use-live-preview';

/** Inputs of the form by name. */
type Design = Record<
  | 'type'
  | 'content'
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

const ADDRESS_ID = 'create-address';

type LastResult = Parameters<typeof useSchemaForm>[0]['lastResult'];

export interface CodeFormData {
  presets: string[];
  key: string;
  draft: { id: string; fields: CodeFields & { useWhiteBackground: boolean }; logo: KeptLogo | null } | null;
}

export interface CodeFormAnswer {
  lastResult?: LastResult;
  preview?: ServerPreview | null;
  draft?: { id: string; logo: KeptLogo | null } | null;
}

interface Props {
  data: CodeFormData;
  answer: CodeFormAnswer | undefined;
  /** `/create`, or the page's own address. */
  action: string;
  /** A fetcher's form inside the dialog. */
  Form?: typeof PageForm | ((props: ComponentProps<typeof PageForm>) => ReactNode);
  /** Further buttons, such as Cancel in the dialog. */
  children?: ReactNode;
}

/** The one creation form: on the home page, on /create and in the dialog. */
export function CodeForm({ data, answer, action, Form = PageForm, children }: Props) {
  const { t } = useTranslation('codes');
  const formRef = useRef<HTMLFormElement>(null);
  const kept = data.draft?.fields;
  const [form, fields] = useSchemaForm<Design>({
    id: 'create',
    lastResult: answer?.lastResult,
    defaultValue: kept ? designOf(kept, data.draft?.logo) : { type: 'link' },
  });
  const live = useLivePreview(formRef);
  const draft = answer?.draft ?? (data.draft && { id: data.draft.id, logo: data.draft.logo });
  const { message, summary } = useErrorTexts('codes', form);
  const isEmail = (fields.type.initialValue ?? 'link') === 'email';
  const errors = summary.map((error) =>
    isEmail && error.field === fields.content.id ? { ...error, field: ADDRESS_ID } : error,
  );
  const contentError = message(fields.content.errors);

  return (
    <div className="creation">
      <Form
        method="post"
        action={action}
        encType="multipart/form-data"
        {...getFormProps(form)}
        ref={formRef}
        className="creation__form sheet"
      >
        <ErrorSummary errors={errors} />
        <input type="hidden" name="key" value={data.key} />
        {draft && <input type="hidden" name="draft" value={draft.id} />}
        <RadioGroup
          layout="tiles"
          legend={t('form.type')}
          field={fields.type}
          error={message(fields.type.errors)}
          options={[
            { value: 'link', label: t('types.link'), icon: 'link' },
            { value: 'text', label: t('types.text'), icon: 'text' },
            { value: 'email', label: t('types.email'), icon: 'mail' },
            { value: 'wifi', label: t('types.wifi'), icon: 'wifi' },
            {
              value: 'image',
              label: t('types.image'),
              icon: 'image',
              disabled: true,
              badge: t('types.soon'),
            },
            {
              value: 'video',
              label: t('types.video'),
              icon: 'video',
              disabled: true,
              badge: t('types.soon'),
            },
          ]}
        />
        <div className="panel panel--content">
          <Field
            field={fields.content}
            label={
              <>
                <span className="panel--link">{t('form.link')}</span>
                <span className="panel--text">{t('form.text')}</span>
              </>
            }
            hint={live ? t('form.length', { length: live.length }) : t('form.limit')}
            error={contentError}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </div>
        <div className="panel panel--email">
          <Field
            field={{ ...fields.content, id: ADDRESS_ID }}
            type="email"
            label={t('form.address')}
            error={contentError}
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
        <div className="panel panel--wifi">
          <p className="note">{t('form.wifiFixed')}</p>
          <Field
            field={fields.ssid}
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
        <LogoChooser
          presets={data.presets}
          field={fields.logoPreset}
          kept={draft?.logo ?? null}
          error={message([...(fields.logo.errors ?? []), ...(fields.logoPreset.errors ?? [])])}
        />
        <CheckboxField
          field={fields.useWhiteBackground}
          label={t('form.whiteBackground')}
          hint={t('form.whiteBackgroundHint')}
        />
        <div className="creation__actions">
          <Button name="intent" value="create">
            {t('form.create')}
          </Button>
          <Button name="intent" value="preview" variant="secondary">
            {t('form.preview')}
          </Button>
          {children}
        </div>
      </Form>
      <CodePreview live={live} server={answer?.preview ?? null} />
    </div>
  );
}

function designOf(
  kept: NonNullable<CodeFormData['draft']>['fields'],
  logo: KeptLogo | null | undefined,
): Partial<Design> {
  const { hidden, useWhiteBackground, ...texts } = kept;
  return {
    ...texts,
    logoPreset: logo?.kind === 'preset' ? logo.name : 'none',
    ...(hidden && { hidden: 'on' }),
    ...(useWhiteBackground && { useWhiteBackground: 'on' }),
  };
}

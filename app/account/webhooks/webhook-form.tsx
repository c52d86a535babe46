import { useTranslation } from 'react-i18next';
import { WEBHOOK_EVENTS, type WebhookEvent } from '#contract/webhook-events';
import { OwnerProof } from '~/account/sign-in/credential-fields';
import { Button } from '~/ui/button';
import { CheckboxField, Field, FieldNotes, notesOf } from '~/ui/field';
import { Form, FormKey } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { eventField } from './event-fields';

const EVENT_FIELDS = WEBHOOK_EVENTS.map(eventField);
const PROOF = ['currentPassword', 'code'] as const;
const FIELDS = ['url', 'description', ...EVENT_FIELDS, 'tag', ...PROOF] as const;
const [FIRST = 'code_created'] = EVENT_FIELDS;
/** The choice is refused as a whole, at the first event. */
const RELATED = Object.fromEntries(EVENT_FIELDS.map((name) => [name, [FIRST]]));
const OFFERED: WebhookEvent[] = ['code.created', 'code.updated', 'code.deleted'];

interface Props {
  lastResult: LastResult;
  /** Absent for a new one. */
  webhook?: { url: string; description: string; events: WebhookEvent[]; tag: string | null };
  formKey?: string;
  hasSecondFactor: boolean;
}

export function WebhookForm({ lastResult, webhook, formKey, hasSecondFactor }: Props) {
  const { t } = useTranslation('webhooks');
  const { url = '', description = '', tag = '', events = OFFERED } = webhook ?? {};
  const chosen = WEBHOOK_EVENTS.map((event) => [eventField(event), events.includes(event) ? 'on' : '']);
  const [form, fields] = useServerValidatedForm<(typeof FIELDS)[number]>({
    id: 'webhook',
    lastResult,
    defaultValue: { url, description, tag: tag ?? '', ...Object.fromEntries(chosen) },
    constraint: { url: { required: true } },
    related: RELATED,
  });
  const { control, message, summary } = useErrorTexts(['webhooks', 'account'], form, FIELDS);
  const error = message(fields[FIRST].errors);
  return (
    <>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form">
        {formKey !== undefined && <FormKey value={formKey} />}
        <Field
          {...control('url')}
          label={t('url')}
          hint={t('urlHint')}
          type="url"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={1000}
        />
        <Field
          {...control('description')}
          label={t('about')}
          hint={t('aboutHint')}
          optional
          maxLength={100}
        />
        <fieldset className="field" aria-describedby={notesOf(fields[FIRST].id, { error })}>
          <legend>{t('events')}</legend>
          <FieldNotes id={fields[FIRST].id} error={error} />
          {EVENT_FIELDS.map((name) => (
            <CheckboxField key={name} field={fields[name]} label={t(`event.${name}`)} />
          ))}
        </fieldset>
        <Field {...control('tag')} label={t('tag')} hint={t('tagHint')} optional maxLength={60} />
        {webhook && <p>{t('proof')}</p>}
        <OwnerProof fields={fields} message={message} hasSecondFactor={hasSecondFactor} />
        <Button>{t(webhook ? 'edit.submit' : 'new.submit')}</Button>
      </Form>
    </>
  );
}

export function RotationForm({ lastResult, hasSecondFactor }: Pick<Props, 'lastResult' | 'hasSecondFactor'>) {
  const { t } = useTranslation('webhooks');
  const [form, fields] = useServerValidatedForm<(typeof PROOF)[number]>({ id: 'rotation', lastResult });
  const { message, summary } = useErrorTexts('account', form, PROOF);
  return (
    <>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form">
        <OwnerProof fields={fields} message={message} hasSecondFactor={hasSecondFactor} />
        <Button>{t('rotation.title')}</Button>
      </Form>
    </>
  );
}

import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { OwnerProof } from '~/account/sign-in/credential-fields';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { Icon } from '~/ui/icon';
import { RadioGroup } from '~/ui/radio-group';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import type { AuthorizationRequest } from './authorize.server';

/** Who asks, as far as anybody knows, and for what. */
export function Asker({
  request: { client, answersTo, resource, email },
}: {
  request: AuthorizationRequest;
}) {
  const { t } = useTranslation('authorize');
  const goesTo = answersTo === null ? t('ask.toDevice') : t('ask.answersTo', { host: answersTo });
  return (
    <div className="sheet asker">
      {client.host === null ? (
        <p className="warning">
          <Icon name="warning" />
          <span>
            {t('ask.says', { name: client.name })} {goesTo}
          </span>
        </p>
      ) : (
        <p>
          {t('ask.verified', { ...client })} {goesTo}
        </p>
      )}
      <p>
        {t(`ask.resources.${resource}`)} {t('ask.never')}
      </p>
      <p className="hint">{t('ask.account', { email })}</p>
    </div>
  );
}

const FIELDS = ['permission', 'tag', 'currentPassword', 'code', 'answer'] as const;

export function AnswerForm({
  lastResult,
  request,
}: {
  lastResult: LastResult;
  request: AuthorizationRequest;
}) {
  const { t } = useTranslation('authorize');
  const { permission, mayAllow, hasSecondFactor } = request;
  const [form, fields] = useServerValidatedForm<(typeof FIELDS)[number]>({
    id: 'answer',
    lastResult,
    defaultValue: { permission },
  });
  const { control, message, summary } = useErrorTexts('account', form, FIELDS);
  const options = (['read', 'change'] as const).filter((one) => one === 'read' || permission === 'change');
  return (
    <>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="sheet form">
        {mayAllow ? (
          <>
            <RadioGroup
              {...control('permission')}
              legend={t('permission')}
              options={options.map((value) => ({
                value,
                label: t(`permissions.${value}.label`),
                hint: t(`permissions.${value}.hint`),
              }))}
            />
            <Field {...control('tag')} label={t('tag')} hint={t('tagHint')} optional maxLength={60} />
            <OwnerProof fields={fields} message={message} hasSecondFactor={hasSecondFactor} />
          </>
        ) : (
          <p>
            {t('unpaid')} <Link to="/user/subscription">{t('toSubscription')}</Link>
          </p>
        )}
        <p>
          <strong>{t('ask.started')}</strong>
        </p>
        <div className="actions">
          {mayAllow && (
            <Button name="answer" value="allow">
              {t('allow')}
            </Button>
          )}
          <Button variant="secondary" name="answer" value="refuse">
            {t('refuse')}
          </Button>
        </div>
      </Form>
    </>
  );
}

import '~/styles/retarget.css';
import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CampaignInput } from '#contract/campaign';
import { CampaignFields } from '~/codes/create/campaign-fields';
import { Button, buttonClass } from '~/ui/button';
import { Field, type FieldMeta } from '~/ui/field';
import { Form } from '~/ui/form';
import type { FormError } from '~/ui/form-errors';
import { FormPage } from '~/ui/page-layouts';
import { RadioGroup } from '~/ui/radio-group';
import type { RetargetPlan } from './retarget.server';

export type RetargetField = 'kind' | 'target' | 'find' | 'replacement' | CampaignInput;

interface FieldsProps {
  fields: Record<RetargetField, FieldMeta>;
  message: (codes: string[] | undefined) => string | undefined;
}

/** One address for all codes, a part of theirs replaced, or campaign parameters; CSS shows the fields of the chosen one. */
export function RetargetFields({ fields, message }: FieldsProps) {
  const { t } = useTranslation('codes');
  return (
    <>
      <RadioGroup
        field={fields.kind}
        legend={t('retarget.how')}
        options={(['set', 'replace', 'campaign'] as const).map((value) => ({
          value,
          label: t(`retarget.${value}`),
        }))}
      />
      <div className="retarget__set">
        <Field
          field={fields.target}
          label={t('retarget.target')}
          hint={t('retarget.targetHint')}
          error={message(fields.target.errors)}
          type="text"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <div className="retarget__replace">
        <Field
          field={fields.find}
          label={t('retarget.find')}
          hint={t('retarget.findHint')}
          error={message(fields.find.errors)}
          autoComplete="off"
          spellCheck={false}
        />
        <Field
          field={fields.replacement}
          label={t('retarget.replacement')}
          hint={t('retarget.replacementHint')}
          error={message(fields.replacement.errors)}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <div className="retarget__campaign panel">
        <p>{t('retarget.campaignHint')}</p>
        <CampaignFields fields={fields} message={message} />
      </div>
    </>
  );
}

interface PageProps {
  plan: RetargetPlan;
  /** Of this page, which the form posts to, and of the form that it comes from. */
  address: string;
  back: string;
  list: string;
  errors: FormError[];
  /** Hidden fields. */
  children: ReactNode;
}

/** Each address before and after, for confirmation: nothing has changed yet. */
export function RetargetPage({ plan, address, back, list, errors, children }: PageProps) {
  const { t } = useTranslation('codes');
  const isNone = plan.changed === 0;
  return (
    <FormPage
      title={t('retarget.title')}
      lead={t(isNone ? 'retarget.none' : 'retarget.lead')}
      errors={errors}
    >
      <Form action={address} className="form retarget">
        {!isNone && <Changes {...plan} />}
        {plan.left > 0 && <LeftOut {...plan} />}
        {children}
        <div className="actions">
          {!isNone && <Button>{t('retarget.confirm', { count: plan.changed })}</Button>}
          <Link to={back} className={buttonClass('secondary')}>
            {t('retarget.again')}
          </Link>{' '}
          <Link to={list}>{t('retarget.keep')}</Link>
        </div>
      </Form>
    </FormPage>
  );
}

function Changes({ changes, hidden }: RetargetPlan) {
  const { t } = useTranslation('codes');
  return (
    <ol className="retarget__changes">
      {changes.map(({ id, name, before, after }) => (
        <li key={id}>
          {name && (
            <p>
              <strong>{name}</strong>
            </p>
          )}
          <dl>
            <div>
              <dt>{t('retarget.before')}</dt>
              <dd>{before}</dd>
            </div>
            <div>
              <dt>{t('retarget.after')}</dt>
              <dd>
                <ins>{after}</ins>
              </dd>
            </div>
          </dl>
        </li>
      ))}
      {hidden > 0 && <li>{t('retarget.more', { count: hidden })}</li>}
    </ol>
  );
}

function LeftOut({ left, leftOut, hiddenLeft }: RetargetPlan) {
  const { t } = useTranslation('codes');
  return (
    <details className="fold" open={leftOut.length <= 3}>
      <summary>{t('retarget.leftOut', { count: left })}</summary>
      <ul className="retarget__left">
        {leftOut.map(({ id, name, reason }) => (
          <li key={id}>
            <strong>{name}</strong> {reason}
          </li>
        ))}
        {hiddenLeft > 0 && <li>{t('retarget.more', { count: hiddenLeft })}</li>}
      </ul>
    </details>
  );
}

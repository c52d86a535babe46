import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '~/ui/button';
import { DefinitionList } from '~/ui/definition-list';
import { EmailField, Field } from '~/ui/field';
import { Form, FormKey } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { FormPage, PageHeading } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import type { ContractEnd, DeclarationData } from './contract-end.server';

type Name = 'name' | 'email' | 'reference';
type Read = Record<Name, string>;

interface Props {
  kind: ContractEnd;
  /** Path of the page, which its forms post to. */
  action: string;
  data: DeclarationData;
  actionData: { lastResult: LastResult; checked?: (Read & { key: string }) | null } | undefined;
}

/** A declaration that ends the contract: the form, the review, the receipt. No account is needed. */
export function Declaration({ kind, action, data, actionData }: Props) {
  if (data.receipt) return <Received kind={kind} receipt={data.receipt} terms={data.terms} />;
  if (actionData?.checked) return <Check kind={kind} action={action} read={actionData.checked} />;
  return <DeclarationForm kind={kind} action={action} data={data} lastResult={actionData?.lastResult} />;
}

function DeclarationForm({
  kind,
  action,
  data,
  lastResult,
}: Omit<Props, 'actionData'> & { lastResult: LastResult }) {
  const { t } = useTranslation('billing');
  const [form, fields] = useServerValidatedForm<Name>({
    id: 'declaration',
    lastResult,
    defaultValue: data.known,
  });
  const { message, summary } = useErrorTexts('billing', form, ['name', 'email', 'reference']);
  const textOf = (name: Name) => ({
    field: { ...fields[name], required: name !== 'reference' },
    label: t(`declaration.${name}`),
    error: message(fields[name].errors),
  });
  return (
    <FormPage
      title={t(`${kind}Contract.heading`)}
      lead={t(`${kind}Contract.lead`, data.terms)}
      errors={summary}
    >
      <Form action={action} {...form.props} className="form">
        <FormKey value={data.key} />
        <input type="hidden" name="step" value="check" />
        <Field {...textOf('name')} hint={t('declaration.nameHint')} autoComplete="name" />
        <EmailField {...textOf('email')} hint={t('declaration.emailHint')} autoComplete="email" />
        <Field
          {...textOf('reference')}
          hint={t('declaration.referenceHint')}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          optional
        />
        <Button>{t('declaration.next')}</Button>
      </Form>
      <p>
        {t(
          kind !== 'cancel' && data.isFree ? `${kind}Contract.effectFree` : `${kind}Contract.effect`,
          data.terms,
        )}
      </p>
      <p>{t(data.isSignedIn ? 'declaration.whenOwn' : 'declaration.when', data.terms)}</p>
      <ul className="links">
        <li>
          <Link to={kind === 'cancel' ? '/withdraw' : '/cancel-contract'}>{t(`${kind}Contract.other`)}</Link>
        </li>
        {kind === 'withdraw' && (
          <li>
            <Link to="/money-back">{t('withdrawContract.moneyBack')}</Link>
          </li>
        )}
      </ul>
    </FormPage>
  );
}

function Check({ kind, action, read }: { kind: ContractEnd; action: string; read: Read & { key: string } }) {
  const { t } = useTranslation('billing');
  const hidden = (['name', 'email', 'reference', 'key'] as const).map((name) => (
    <input key={name} type="hidden" name={name} value={read[name]} />
  ));
  return (
    <div className="form-page">
      <PageHeading title={t(`${kind}Contract.check`)} lead={t('declaration.checkLead')} />
      <Form action={action} id="declaration" data-resubmit className="sheet">
        {hidden}
        <input type="hidden" name="read" value="back" />
        <DefinitionList items={itemsOf(t, kind, read)} />
        <div className="actions">
          <Button name="step" value="confirm">
            {t(`${kind}Contract.confirm`)}
          </Button>
          <Button name="step" value="change" variant="secondary">
            {t('declaration.change')}
          </Button>
        </div>
      </Form>
    </div>
  );
}

function Received({
  kind,
  receipt,
  terms,
}: {
  kind: ContractEnd;
  receipt: NonNullable<DeclarationData['receipt']>;
  terms: DeclarationData['terms'];
}) {
  const { t } = useTranslation('billing');
  const { date, email, refund } = receipt;
  return (
    <div className="form-page">
      <PageHeading
        title={t(`${kind}Contract.received`)}
        lead={t(`${kind}Contract.receivedLead`, { date, email })}
      />
      <DefinitionList
        items={[
          ...itemsOf(t, kind, receipt),
          { term: t('declaration.date'), value: date },
          ...(refund
            ? [{ term: t('declaration.refund'), value: t(refundKey(refund.amountCents), refund) }]
            : []),
        ]}
      />
      <p>{t(`declaration.received.${receipt.grounds}`, terms)}</p>
      {receipt.grounds === 'asked' && <p>{t(`${kind}Contract.mailed`)}</p>}
      <div className="actions">
        <Link to="/" className={buttonClass('secondary')}>
          {t('common:errors.home')}
        </Link>
      </div>
    </div>
  );
}

function refundKey(amountCents: number | null) {
  if (amountCents === null) return 'declaration.refundIfPaid';
  return amountCents === 0 ? 'declaration.refundNone' : 'declaration.refundValue';
}

function itemsOf(t: (key: string) => string, kind: ContractEnd, { name, email, reference }: Read) {
  return [
    { term: t('declaration.what'), value: t(`${kind}Contract.declared`) },
    { term: t('declaration.name'), value: name },
    { term: t('declaration.email'), value: email },
    ...(reference ? [{ term: t('declaration.reference'), value: reference }] : []),
  ];
}

import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '~/ui/button';
import { DefinitionList } from '~/ui/definition-list';
import { Form } from '~/ui/form';
import { Pagination } from '~/ui/pagination';
import { TableScroller } from '~/ui/table-scroller';
import type { OwnSubscription } from './subscription.server';
import type { OwnTransactions } from './transactions.server';

interface Props {
  subscription: OwnSubscription;
  canCancel: boolean;
  canResume: boolean;
}

/** The current plan, its state, what happens next and what can be done about it. */
export function PlanCard({ subscription, canCancel, canResume }: Props) {
  const { t } = useTranslation('billing');
  const { plan, billingCycle, state, amount, card, accessUntil, switch: other } = subscription;
  return (
    <section className="sheet plan-card" aria-labelledby="plan">
      <div className="plan-card__head">
        <h2 id="plan">{t(`plans.${plan}`, { defaultValue: t('subscription.basic') })}</h2>
        <span className={`state ${state}`}>{t(`subscription.statuses.${state}`, { date: accessUntil })}</span>
        {subscription.isOrdered && <strong>{t(`subscription.prices.${billingCycle}`, { amount })}</strong>}
      </div>
      <NextStep subscription={subscription} />
      <div className="actions">
        {card && state === 'due_date' && <PortalButton label={t('subscription.fix')} />}
        {canResume && (
          <Link to="/user/subscription/resume" className={buttonClass()}>
            {t('subscription.resume')}
          </Link>
        )}
        {other && (
          <Link to="/user/subscription/switch" className={buttonClass('secondary')}>
            {t(other.pending ? 'subscription.keepPlan' : `subscription.switches.${other.plan}`)}
          </Link>
        )}
        {canCancel && (
          <Link to="/user/subscription/cancel" className={buttonClass('quiet')}>
            {t('subscription.cancel')}
          </Link>
        )}
      </div>
      {subscription.withdraw && <WayBack withdraw={subscription.withdraw} />}
    </section>
  );
}

/** The card that is charged; the details of the contract are folded away. */
export function PaymentDetails({ subscription }: { subscription: OwnSubscription }) {
  const { t } = useTranslation('billing');
  const { billingCycle, status, amount, card, isOrdered, reference } = subscription;
  const items = [
    { term: t('subscription.cycle'), value: t(`subscription.cycles.${billingCycle}`) },
    ...(isOrdered ? [{ term: t('subscription.price'), value: amount }] : []),
    {
      term: t('subscription.nextRenewal'),
      value: subscription.nextRenewal ?? t('subscription.noRenewal'),
    },
    { term: t('subscription.trialEnd'), value: subscription.trialEnd ?? t('subscription.noTrial') },
    { term: t('subscription.accessUntil'), value: subscription.accessUntil },
    ...(isOrdered ? [{ term: t('subscription.reference'), value: reference }] : []),
  ];
  return (
    <section className="plan-payment" aria-labelledby="plan-payment">
      <h2 id="plan-payment">{t('subscription.payment')}</h2>
      {card && (
        <div className="plan-payment__card">
          <p>
            {t('subscription.card')} {t('subscription.cardValue', card)}
          </p>
          {status !== 'due_date' && <PortalButton label={t('subscription.manage')} variant="secondary" />}
        </div>
      )}
      <details className="fold">
        <summary>{t('subscription.details')}</summary>
        <DefinitionList items={items} />
      </details>
    </section>
  );
}

/** How the contract can still be undone, and what would be refunded. */
function WayBack({ withdraw }: { withdraw: NonNullable<OwnSubscription['withdraw']> }) {
  const { t } = useTranslation('billing');
  const { reason, isFree, date, amount } = withdraw;
  const words = reason === 'withdrawal' && isFree ? 'withdrawalFree' : reason;
  return (
    <p>
      {t(`subscription.until.${words}`, { date, amount })}{' '}
      <Link to={reason === 'money_back' ? '/money-back' : '/withdraw'}>
        {t(`subscription.ask.${reason}`)}
      </Link>
    </p>
  );
}

/** Opens the provider's page for the card, on another site. */
function PortalButton({ label, variant }: { label: string; variant?: 'secondary' }) {
  return (
    <Form action="/user/subscription">
      <Button variant={variant ?? 'primary'}>{label}</Button>
    </Form>
  );
}

/** What happens next, in one sentence; a pending change of plan adds another. */
function NextStep({ subscription }: { subscription: OwnSubscription }) {
  const { t } = useTranslation('billing');
  const { next, status, running, accessUntil, switch: other } = subscription;
  const sentence = next
    ? t(`subscription.next.${next.code}`, next)
    : status === 'incomplete'
      ? t('subscription.next.incomplete')
      : t(running ? 'subscription.next.running' : 'subscription.next.over', { date: accessUntil });
  return (
    <p className="happens-next">
      {sentence}
      {other?.pending &&
        ` ${t('subscription.next.switch', { date: other.date, plan: t(`plans.${other.plan}`), amount: other.amount })}`}
    </p>
  );
}

/** One page of the account's charges with their invoices. */
export function TransactionsTable({ transactions, meta }: OwnTransactions) {
  const { t } = useTranslation('billing');
  return (
    <section id="transactions" aria-labelledby="transactions-title">
      <h2 id="transactions-title">{t('transactions.title')}</h2>
      {meta.total === 0 ? (
        <p>{t('transactions.none')}</p>
      ) : (
        <>
          <TableScroller labelledBy="transactions-caption">
            <table className="table stacked-table transactions-table">
              <caption>
                <h3 id="transactions-caption">{t('transactions.caption', { count: meta.total })}</h3>
              </caption>
              <thead>
                <tr>
                  <th scope="col">{t('transactions.date')}</th>
                  <th scope="col">{t('transactions.description')}</th>
                  <th scope="col" className="number">
                    {t('transactions.amount')}
                  </th>
                  <th scope="col">{t('transactions.status')}</th>
                  <th scope="col">{t('transactions.method')}</th>
                  <th scope="col">{t('transactions.invoice')}</th>
                </tr>
              </thead>
              <tbody>
                {transactions.map((one) => (
                  <TransactionRow key={one.id} transaction={one} />
                ))}
              </tbody>
            </table>
          </TableScroller>
          <Pagination {...meta} path="/user/subscription" />
        </>
      )}
    </section>
  );
}

function TransactionRow({ transaction }: { transaction: OwnTransactions['transactions'][number] }) {
  const { t } = useTranslation('billing');
  const { date, description, plan, period, amount, refunded, refund, status, method } = transaction;
  const { invoice, creditNote } = transaction;
  return (
    <tr>
      <td>
        <time dateTime={date.iso}>{date.text}</time>
      </td>
      <th scope="row">
        {t(`transactions.kinds.${description}`, {
          plan: t(`plans.${plan}`, { defaultValue: t('subscription.basic') }),
        })}
        {period && (
          <span className="muted"> {t('transactions.period', { from: period[0], until: period[1] })}</span>
        )}
      </th>
      <td className="number">
        {amount}
        {refunded && <span className="muted"> {t('transactions.refundedPart', { amount: refunded })}</span>}
      </td>
      <td>
        <span className={`state ${status}`}>{t(`transactions.statuses.${status}`)}</span>
        {refund && <span className="muted"> {t('transactions.refundComing', refund)}</span>}
      </td>
      <td>{method ? t('transactions.card', method) : t('transactions.noCard')}</td>
      <td>
        {invoice ? (
          <a href={invoice.path} download>
            {t('transactions.download', { number: invoice.number })}
          </a>
        ) : (
          t('transactions.noInvoice')
        )}
        {creditNote && (
          <>
            {' '}
            <a href={creditNote.path} download>
              {t('transactions.creditNote', { number: creditNote.number })}
            </a>
          </>
        )}
      </td>
    </tr>
  );
}

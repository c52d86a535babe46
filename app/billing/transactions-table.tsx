import { useTranslation } from 'react-i18next';
import { Pagination } from '~/ui/pagination';
import { TableScroller } from '~/ui/table-scroller';
import type { OwnTransactions } from './transactions.server';

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

import { Link, useLocation } from '@remix-run/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '~/ui/button';
import { DefinitionList } from '~/ui/definition-list';
import { Form } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { FormPage, Sheet } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import type { DeclarationLink, handleDeclarationLink, handleOrderLink, OrderLink } from './owner-link.server';
import type { OwnDeclaration, OwnHeldOrder } from './subscription.server';

/** On the subscription page: declarations and orders that others may have made in the owner's name. */
export function OwnerDecisions({
  declarations,
  orders,
}: {
  declarations: OwnDeclaration[];
  orders: OwnHeldOrder[];
}) {
  const { t } = useTranslation('billing');
  return (
    <>
      {declarations.map(({ id, texts, date, effect }) => (
        <Sheet key={id} title={t('waiting.section')} className="owner-decision">
          <p className="happens-next">{t(`${texts}.declared`)}</p>
          <p>{t('waiting.sectionText', { date, effect })}</p>
          <Form action="/user/subscription">
            <input type="hidden" name="declaration" value={id} />
            <DecisionButtons texts="waiting" />
          </Form>
        </Sheet>
      ))}
      {orders.map((order) => (
        <Sheet key={order.id} title={t('held.section')} className="owner-decision">
          <p>{t('held.lead')}</p>
          <HeldOrderFacts order={order} />
          <Form action="/user/subscription">
            <input type="hidden" name="order" value={order.id} />
            <DecisionButtons texts="held" />
          </Form>
        </Sheet>
      ))}
    </>
  );
}

/** For a waiting declaration or a held order. */
function DecisionButtons({ texts }: { texts: 'waiting' | 'held' }) {
  const { t } = useTranslation('billing');
  return (
    <div className="actions">
      <Button name="decision" value="confirm">
        {t(`${texts}.confirm`)}
      </Button>
      <Button name="decision" value={texts === 'held' ? 'discard' : 'undo'} variant="secondary">
        {t(texts === 'held' ? 'held.discard' : 'waiting.undo')}
      </Button>
    </div>
  );
}

/** What was ordered, the deadline to confirm it, and what confirming means. */
export function HeldOrderFacts({ order }: { order: Omit<OwnHeldOrder, 'id'> }) {
  const { t } = useTranslation('billing');
  const { plan, amount, trialHours, placed, until } = order;
  const items = [
    { term: t('payment.offer'), value: t(`plans.${plan}`) },
    { term: t('payment.amount'), value: t(`payment.prices.${plan}`, { amount }) },
    { term: t('held.placed'), value: placed },
    { term: t('held.confirmBy'), value: until },
  ];
  return (
    <>
      <DefinitionList items={items} />
      <p>{trialHours > 0 ? t('held.trial', { hours: trialHours, amount }) : t('held.now', { amount })}</p>
    </>
  );
}

/** Route handle of both pages. */
export const ownerLinkHandle: PageHandle = {
  page: (data) => ({ key: keyOf(data as DeclarationLink | OrderLink), values: {}, isPersonal: true }),
};

function keyOf(link: DeclarationLink | OrderLink) {
  if ('order' in link) return link.order ? 'billing:held' : (`billing:held.${link.state}` as const);
  return link.declaration ? 'billing:waiting' : (`billing:waiting.${link.state}` as const);
}

interface Props {
  /** Path of the page, without the link's token. */
  path: string;
  texts: 'held' | 'waiting';
  /** The pending decision. */
  children: ReactNode;
}

/** The page of a link mailed to the owner of an address about something done in the owner's name. */
export function OwnerLinkPage({ path, texts, children }: Props) {
  const actionData = usePageActionData<typeof handleDeclarationLink | typeof handleOrderLink>();
  const { t } = useTranslation('billing');
  const { search } = useLocation();
  const [form] = useServerValidatedForm<never>({ id: 'decide', lastResult: actionData?.lastResult });
  const { summary } = useErrorTexts('billing', form);
  return (
    <FormPage title={t(`${texts}.heading`)} lead={t(`${texts}.lead`)} errors={summary}>
      <Form action={path + search} {...form.props} className="sheet owner-decision">
        {children}
        <DecisionButtons texts={texts} />
      </Form>
    </FormPage>
  );
}

type Over<Page extends { state: string }, Live> = Exclude<Page['state'], Live>;

/** The outcome, shown when nothing is left to decide. */
export function OverLink({
  texts,
}: {
  texts: `held.${Over<OrderLink, 'held'>}` | `waiting.${Over<DeclarationLink, 'waiting'>}`;
}) {
  const { t } = useTranslation('billing');
  return (
    <FormPage title={t(`${texts}.title`)} lead={t(`${texts}.text`)} errors={[]}>
      <div className="actions">
        <Link to="/user/subscription" className={buttonClass('secondary')}>
          {t('waiting.toSubscription')}
        </Link>
      </div>
    </FormPage>
  );
}

import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { DefinitionList } from '~/ui/definition-list';
import { Form } from '~/ui/form';
import { Sheet } from '~/ui/sheet';
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
export function DecisionButtons({ texts }: { texts: 'waiting' | 'held' }) {
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

import { done } from '#contract/call';
import { decideHeldOrder, decideOwnOrder, readHeldOrder } from '#contract/held-orders';
import { correctOrderEmail, resendOrderMail } from '#contract/subscriptions';
import { hashToken } from '#host/accounts/mail-tokens';
import { findAccountByEmail } from '#host/accounts/store';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { confirmOrder } from '#host/subscriptions/billing-work';
import { findSubscription, isLive } from '#host/subscriptions/contract/store';
import { MAILED_LINKS_PER_IP, MAILS_PER_ORDER, STATUS_PER_IP } from '#host/subscriptions/limits';
import { discardOrder, viewHeldOrder, wasConfirmed } from './held';
import * as mail from './mail';
import { findOrder, findOrderByIntent, findOrderByToken, getOrder, type OrderRow } from './store';

/** Lets the owner of an address confirm or discard orders placed with it: by the mailed link, or signed in. */
export function mountHeldOrders({ mount }: Router, deps: Deps): void {
  const { db, clock } = deps;

  mount(readHeldOrder, async ({ body, clientIp }) => {
    const order = await findByLink(body.token, clientIp);
    const { id: _, ...view } = viewHeldOrder(order);
    const state = stateOf(order);
    const isOver = state === 'held' && (await hasContract(order.email));
    return { data: { ...view, state: isOver ? 'over' : state } };
  });

  mount(decideHeldOrder, async ({ body, clientIp, log }) => {
    const order = await findByLink(body.token, clientIp);
    log.info({ audit: `order_${body.decision}`, order: order.id, by: 'link', clientIp }, 'audit');
    return decide(order, body.decision);
  });

  mount(decideOwnOrder, async ({ params, body, caller, clientIp, log }) => {
    const order = await findOrder(db.orm, params.id);
    const isOwn = order?.confirmBy && order.email.toLowerCase() === caller.email.toLowerCase();
    if (!isOwn) throw new ApiError('not_found');
    const logFields = { order: order.id, by: 'session', account: caller.accountId, clientIp };
    log.info({ audit: `order_${body.decision}`, ...logFields }, 'audit');
    return decide(order, body.decision);
  });

  async function decide({ id }: OrderRow, decision: 'confirm' | 'discard') {
    const now = clock.now();
    if (decision === 'discard') await discardOrder(deps, id, 'discarded', now);
    else await confirm(id, now);
    const order = await getOrder(db.orm, id);
    const state = stateOf(order);
    return { data: { state, paymentIntent: state === 'confirmed' ? order.paymentIntent : null } };
  }

  async function confirm(id: string, now: Date): Promise<void> {
    await confirmOrder(deps, id, now).catch((error: unknown) => {
      deps.log.error({ err: error, order: id }, 'an order could not be fulfilled');
      throw new ApiError('unavailable');
    });
  }

  /** While a contract runs no other order of its owner can be carried out. */
  async function hasContract(email: string): Promise<boolean> {
    const account = await findAccountByEmail(db.orm, email);
    return account !== null && isLive(await findSubscription(db.orm, account.id));
  }

  async function findByLink(token: string, clientIp: string): Promise<OrderRow> {
    await consumeRateLimit(db.orm, MAILED_LINKS_PER_IP, clientIp, clock.now());
    const order = await findOrderByToken(db.orm, hashToken(token));
    if (!order) throw invalidField('token', 'token_unknown');
    return order;
  }
}

function stateOf(order: OrderRow) {
  if (order.status === 'unconfirmed') return 'held' as const;
  const isOver = order.status === 'refused' || !wasConfirmed(order);
  return isOver ? ('over' as const) : ('confirmed' as const);
}

/** What anyone who has the URL of an order's page can do about its mails. */
export function mountOrderMail({ mount }: Router, deps: Deps): void {
  const { db, clock } = deps;

  mount(resendOrderMail, async ({ body, clientIp, log }) => {
    const now = clock.now();
    await consumeRateLimit(db.orm, STATUS_PER_IP, clientIp, now);
    const order = await findOrderByIntent(db.orm, body.payment_intent_id);
    if (!order || !mail.canResend(order, now)) throw new ApiError('not_found');
    await consumeRateLimit(db.orm, MAILS_PER_ORDER, order.id, now);
    await mail.resendOrderMail(deps, order.id, now);
    log.info({ audit: 'order_mail_resent', order: order.id, clientIp }, 'audit');
    return done('order_mail_sent');
  });

  mount(correctOrderEmail, async ({ body, clientIp, log }) => {
    const now = clock.now();
    await consumeRateLimit(db.orm, STATUS_PER_IP, clientIp, now);
    const order = await findOrderByIntent(db.orm, body.payment_intent_id);
    if (!order || !mail.canCorrect(order, body.visitor, now)) throw new ApiError('not_found');
    await consumeRateLimit(db.orm, MAILS_PER_ORDER, order.id, now);
    await mail.correctOrderEmail(deps, order.id, body.email, now);
    log.info({ audit: 'order_email_corrected', order: order.id, clientIp }, 'audit');
    return done('order_email_corrected');
  });
}

import { done } from '#contract/call';
import { correctOrderEmail, resendOrderMail } from '#contract/order-mail';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { MAILS_PER_ORDER, STATUS_PER_IP } from './order-limits';
import * as mail from './order-mail';
import { findOrderByIntent } from './orders.store';

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

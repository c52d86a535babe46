import {
  cancelSubscription,
  createSubscription,
  getOffer,
  getSubscription,
  openBillingPortal,
  resumeSubscription,
  type SubscriptionView,
  switchSubscription,
} from '#contract/subscriptions';
import { emailKey, MAILS_PER_MAILBOX } from '#host/accounts/account-limits';
import { findAccount } from '#host/accounts/store';
import { listAddresses, presentAddress } from '#host/addresses/store';
import type { Orm } from '#host/db/client';
import type { Authenticate, Caller } from '#host/http/caller';
import { bearerOf } from '#host/http/caller';
import { requireCaptcha } from '#host/http/captcha';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { findMethod } from '#host/payments/store';
import { offeredAt } from '#host/plans/plans';
import { ORDERS_PER_EMAIL, ORDERS_PER_IP, PORTAL_PER_ACCOUNT } from '#host/subscriptions/limits';
import { viewHeldOrder } from '#host/subscriptions/order/held';
import { orderKeyOf, placeOrder } from '#host/subscriptions/order/place';
import { findOrderByKey, isOfferUsedByMailbox, listHeldOrders } from '#host/subscriptions/order/store';
import { hadTrial } from '#host/subscriptions/order/trials';
import { cancelRenewal, switchPlan, undoCancellation } from './changes';
import { findSubscription, isLive, isOngoing, lockSubscription, type SubscriptionRow } from './store';
import { presentSubscription } from './views';

export function mountSubscriptions({ mount }: Router, deps: Deps, authenticate: Authenticate): void {
  const { db, clock, settings } = deps;

  mount(createSubscription, async ({ body, log, clientIp, context }) => {
    const now = clock.now();
    const token = bearerOf(context);
    const caller = token ? await authenticate(token) : null;
    const email = caller?.email ?? body.email;
    await consumeRateLimit(db.orm, ORDERS_PER_IP, clientIp, now);
    // A captcha token is valid once: a form that is posted again finds its first order without one.
    const key = orderKeyOf(body);
    const isRepeated = key !== undefined && (await findOrderByKey(db.orm, email, key)) !== null;
    if (!isRepeated) {
      // Before the limit per e-mail address: robots caught here use up nobody's orders.
      const person = emailKey(email);
      await requireCaptcha(deps, { proof: body, action: 'subscribe', clientIp, person });
      await consumeRateLimit(db.orm, ORDERS_PER_EMAIL, person, now);
      if (!caller) await consumeRateLimit(db.orm, MAILS_PER_MAILBOX, person, now);
    }
    const order = await placeOrder(deps, { body, caller, clientIp, isRepeated }, now);
    const vat = order.buyer.vatCheck?.result;
    log.info({ audit: 'order_placed', order: order.id, plan: order.plan, vat, clientIp }, 'audit');
    return { data: { redirectUrl: order.setupUrl ?? '', paymentIntent: order.paymentIntent } };
  });

  mount(getOffer, async ({ body, context }) => {
    const token = bearerOf(context);
    const caller = token ? await authenticate(token) : null;
    const account = caller && (await presentBuyer(caller));
    const address = account?.address ?? null;
    const savedPlace = address && { ...address, zip_code: address.postal_code };
    const place = body.place === undefined ? savedPlace : body.place;
    const taxedBuyer = place && { ...place, postalCode: place.zip_code, vatNumber: place.vat_number };
    return { data: { plans: offeredAt(settings.plans, taxedBuyer), account } };
  });

  mount(getSubscription, async ({ caller }) => {
    const now = clock.now();
    const subscription = await findSubscription(db.orm, caller.accountId);
    const held = isLive(subscription) ? [] : await listHeldOrders(db.orm, caller.email);
    return {
      data: {
        subscription: subscription && (await presentSubscription(db.orm, deps, subscription, now)),
        heldOrders: held.map(viewHeldOrder),
        trialAvailable: await isTrialAvailable(caller, subscription),
      },
    };
  });

  mount(openBillingPortal, async ({ caller, body }) => {
    await consumeRateLimit(db.orm, PORTAL_PER_ACCOUNT, caller.accountId, clock.now());
    const method = await findMethod(db.orm, caller.accountId);
    const account = await findAccount(db.orm, caller.accountId);
    if (!method || !account) throw new ApiError('not_found');
    const url = await deps.payments
      .openPortal({
        customerId: method.customerId,
        locale: body.locale ?? account.locale,
        returnUrl: `${settings.publicUrl}/user/subscription`,
      })
      .catch((error: unknown) => {
        deps.log.error({ err: error }, 'the billing portal could not be opened');
        throw new ApiError('unavailable');
      });
    return { data: { url } };
  });

  mount(cancelSubscription, async ({ caller, log }) => {
    const data = await change(caller.accountId, (orm, subscription, now) => {
      if (!isOngoing(subscription) || subscription.cancelAtPeriodEnd) throw new ApiError('conflict');
      return cancelRenewal(orm, deps, subscription, now);
    });
    log.info({ audit: 'subscription_canceled', account: caller.accountId }, 'audit');
    return { status: 'success' as const, message: 'subscription_canceled' as const, data };
  });

  mount(resumeSubscription, async ({ caller, log }) => {
    const data = await change(caller.accountId, (orm, subscription, now) =>
      undoCancellation(orm, deps, subscription, now),
    );
    log.info({ audit: 'subscription_resumed', account: caller.accountId }, 'audit');
    return { status: 'success' as const, message: 'subscription_resumed' as const, data };
  });

  mount(switchSubscription, async ({ caller, body, log }) => {
    const data = await change(caller.accountId, (orm, subscription, now) =>
      switchPlan(orm, deps, subscription, body, now),
    );
    log.info({ audit: 'subscription_switched', account: caller.accountId, plan: body.plan }, 'audit');
    return { status: 'success' as const, message: 'subscription_switched' as const, data };
  });

  async function presentBuyer(caller: Caller) {
    const [[address], subscription] = await Promise.all([
      listAddresses(db.orm, caller.accountId),
      findSubscription(db.orm, caller.accountId),
    ]);
    return {
      running: caller.isSubscribed,
      trialAvailable: await isTrialAvailable(caller, subscription),
      moneyBackAvailable: !(await isOfferUsedByMailbox(db.orm, 'money_back', caller.email)),
      address: address ? presentAddress(address) : null,
    };
  }

  async function isTrialAvailable(caller: Caller, subscription: SubscriptionRow | null): Promise<boolean> {
    return settings.plans.trialHours > 0 && !isLive(subscription) && !(await hadTrial(db.orm, caller));
  }

  /** Changes a contract; throws `conflict` if there is none. */
  async function change(
    accountId: string,
    act: (orm: Orm, subscription: SubscriptionRow, now: Date) => Promise<SubscriptionRow>,
  ): Promise<SubscriptionView> {
    const now = clock.now();
    return db.orm.transaction(async (transaction) => {
      const subscription = await lockSubscription(transaction, accountId);
      if (!subscription?.orderId) throw new ApiError('conflict');
      return presentSubscription(transaction, deps, await act(transaction, subscription, now), now);
    });
  }
}

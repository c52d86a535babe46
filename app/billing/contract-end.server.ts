import { data } from '@remix-run/node';
import { z } from 'zod';
import { getProfile } from '#contract/accounts';
import { cancelContract, requestMoneyBack, withdrawContract } from '#contract/contract-end';
import { getPlan } from '#contract/plans';
import { getSubscription } from '#contract/subscriptions';
import { signedCookie } from '~/http/cookies.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { newFormKey, type Scope } from '~/http/scope.server';
import type { Session } from '~/http/session.server';
import { type Formatters, readFormatters } from './formatters.server';

export type ContractEnd = 'cancel' | 'withdraw' | 'moneyBack';

const PATHS = { cancel: '/cancel-contract', withdraw: '/withdraw', moneyBack: '/money-back' } as const;
const NOTICES = {
  cancel: 'cancellation_received',
  withdraw: 'withdrawal_received',
  moneyBack: 'money_back_received',
} as const;
const CALLS = { cancel: cancelContract, withdraw: withdrawContract, moneyBack: requestMoneyBack } as const;

/** Unlike the number of an invoice, it proves whose contract it is. */
const ORDER_REFERENCE = /^\s*Q-/i;

const text = z.string().default('');
const DeclarationFields = z.object({
  name: text,
  email: text,
  reference: text,
  key: z.string().min(8, 'malformed').max(100, 'malformed'),
  step: z.enum(['check', 'change', 'confirm']).catch('check'),
});
const FIELDS = Object.keys(DeclarationFields.shape);

const Receipt = z.object({
  kind: z.enum(['cancel', 'withdraw', 'moneyBack']),
  name: z.string(),
  email: z.string(),
  reference: z.string(),
  receivedAt: z.string(),
  grounds: z.enum(['own', 'reference', 'asked']),
  refund: z.object({ from: z.string(), until: z.string(), amountCents: z.number().nullable() }).nullable(),
});

// Carries the receipt to the page after the post; the permanent receipt is the mail.
const cookie = signedCookie('declaration', 15 * 60);

/** Data of a declaration's page: its form, or the receipt of the one just made. */
export async function declarationData(scope: Scope, kind: ContractEnd) {
  const { session } = scope;
  const [receipt, { data: plan }] = await Promise.all([
    readReceipt(scope, kind),
    callHost(scope, getPlan, { params: { slug: 'basic_monthly' } }),
  ]);
  const { withdrawalDays, refundMinDays, refundMaxDays, objectionHours } = plan;
  const live = session && session !== 'broken' ? session : null;
  const own = live && (await findOwn(scope, live));
  return {
    isFree: own?.subscription?.withdrawRefundCents === 0,
    key: newFormKey(scope),
    /** Of the signed-in account; the name of the profile is not always the one of the order, but proves as much. */
    known: {
      name: own?.name ?? '',
      email: live?.email ?? '',
      reference: own?.subscription?.reference ?? '',
    },
    isSignedIn: live !== null,
    terms: { withdrawalDays, refundMinDays, refundMaxDays, objectionHours },
    receipt: receipt && worded(receipt, await readFormatters(scope)),
  };
}
export type DeclarationData = Awaited<ReturnType<typeof declarationData>>;

/** The name and subscription of a signed-in user. Signing in is optional: without a session, the page has neither. */
async function findOwn(scope: Scope, { token }: Session) {
  try {
    const [{ data: profile }, { data }] = await Promise.all([
      callHost(scope, getProfile, { token }),
      callHost(scope, getSubscription, { token }),
    ]);
    return { name: `${profile.firstName} ${profile.lastName}`.trim(), subscription: data.subscription };
  } catch (thrown) {
    // An ended session would redirect to the login, but a declaration needs none.
    if (thrown instanceof HostError || thrown instanceof Response) return null;
    throw thrown;
  }
}

function worded(receipt: z.output<typeof Receipt>, { sellerDay, dateTime, money }: Formatters) {
  const { name, email, reference, receivedAt, refund, grounds } = receipt;
  return {
    name,
    email,
    reference,
    grounds,
    date: dateTime(receivedAt),
    refund: refund && {
      from: sellerDay(refund.from),
      until: sellerDay(refund.until),
      amountCents: refund.amountCents,
      amount: refund.amountCents === null ? '' : money(refund.amountCents),
    },
  };
}

async function readReceipt(scope: Scope, kind: ContractEnd) {
  if (!scope.url.searchParams.has('received')) return null;
  const receipt = Receipt.safeParse(await cookie.parse(scope.request.headers.get('cookie'))).data;
  return receipt?.kind === kind ? receipt : null;
}

/**
 * Why a declaration takes effect at once, or that its owner is asked; nobody who is not signed in learns whether there
 * is a contract.
 */
async function groundsOf(scope: Scope, live: Session | null, entered: { email: string; reference: string }) {
  const isOwner = live?.email.toLowerCase() === entered.email.toLowerCase();
  if (isOwner && (await findOwn(scope, live))?.subscription?.reference) return 'own' as const;
  return ORDER_REFERENCE.test(entered.reference) ? ('reference' as const) : ('asked' as const);
}

/** What the second step shows, read from its own form, so that it survives switching the language. */
function readBack(form: FormData) {
  const [name = '', email = '', reference = '', key = ''] = ['name', 'email', 'reference', 'key'].map(
    (field) => String(form.get(field) ?? ''),
  );
  return { name, email, reference, key };
}

/** First step: shows the declaration for review. Second step: submits it and redirects to the receipt. */
export async function handleDeclaration(scope: Scope, kind: ContractEnd) {
  const form = await readForm(scope, [...FIELDS, 'read']);
  const checked = checkForm(scope, form, DeclarationFields);
  if (!checked.ok) {
    const { lastResult } = checked;
    return lastResult.switched && form.has('read')
      ? data({ lastResult, checked: readBack(form) })
      : invalid(lastResult);
  }
  const { step, key, ...entered } = checked.value;
  if (step === 'change') return data({ lastResult: checked.kept, checked: null });
  return withFormErrors(checked.reject, FIELDS, async () => {
    const body = {
      ...entered,
      key,
      confirmed: step === 'confirm',
      locale: scope.locale,
    };
    const { session } = scope;
    const live = session && session !== 'broken' ? session : null;
    const { data: read } = await callHost(scope, CALLS[kind], { body, token: live?.token });
    const { name, email, reference, receivedAt, refund } = read;
    if (!receivedAt) return data({ lastResult: checked.kept, checked: { name, email, reference, key } });
    const grounds = await groundsOf(scope, live, { email, reference });
    const receipt = await cookie.serialize({ kind, name, email, reference, receivedAt, refund, grounds });
    const notice = { type: 'success', key: NOTICES[kind] } as const;
    return redirectWithFlash(`${PATHS[kind]}?received=1`, notice, [receipt]);
  });
}

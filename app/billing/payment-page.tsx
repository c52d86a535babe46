import '~/styles/billing.css';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { getCode } from '~/codes/code/codes.server';
import { CodePicture } from '~/codes/code/picture';
import { drawDraft } from '~/codes/create/unfinished-design.server';
import { drawSavedCode } from '~/codes/files/downloads.server';
import { isSignedIn, readScope, type UserScope } from '~/http/scope.server';
import { usePolling } from '~/ui/background-refresh';
import { Button, buttonClass } from '~/ui/button';
import { DefinitionList } from '~/ui/definition-list';
import { EmailField } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { PageHeading } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { getPayment, handleOrderMail, type Payment } from './payment.server';
import { clearedOrderCookie } from './saved-order.server';

/** For about a minute; without scripts, a link reloads the page. */
const POLLING = { everyMs: 3_000, most: 20 };

const PAGES = {
  succeeded: 'billing:payment.succeeded',
  pending: 'billing:payment.pending',
  failed: 'billing:payment.failed',
  alreadyRunning: 'billing:payment.alreadyRunning',
} as const;

export const handle: PageHandle & FormHandle = {
  page: (data) => ({ key: PAGES[(data as Payment).outcome], values: {}, isPersonal: true }),
  form: (data) => {
    const { canResend, canCorrect } = data as Payment;
    return canResend && canCorrect ? 'order-mail' : null;
  },
};

/**
 * The URL contains what only the buyer knows: it is not sent to other sites, and the page is not cached. With
 * `no-referrer`, browsers would also omit the origin of the cookie banner's POST.
 */
export function headers() {
  return { 'Referrer-Policy': 'strict-origin', 'Cache-Control': 'no-store' };
}

export async function loader(args: LoaderFunctionArgs) {
  const scope = await readScope(args);
  const { draft, ...payment } = await getPayment(scope);
  const design =
    payment.code && isSignedIn(scope)
      ? await drawOwnCode(scope, payment.code)
      : await drawDraft(scope, payment.state === 'failed' ? null : draft);
  const headers = new Headers();
  if (payment.state === 'succeeded') headers.append('Set-Cookie', await clearedOrderCookie());
  return data({ ...payment, isSignedIn: isSignedIn(scope), design }, { headers });
}

export async function action(args: ActionFunctionArgs) {
  return handleOrderMail(await readScope(args));
}

/** The code that the design became, if it belongs to the signed-in user; the page works without it. */
async function drawOwnCode(scope: UserScope, id: string) {
  try {
    const { code } = await getCode(scope, id);
    return { drawn: await drawSavedCode(scope, code), problem: null };
  } catch {
    return null;
  }
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

type Loaded = Omit<Payment, 'draft'> & {
  isSignedIn: boolean;
  design: Awaited<ReturnType<typeof drawDraft>>;
};

export default function PaymentPage() {
  const payment: Loaded = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('billing');
  const { search } = useLocation();
  const { state, outcome, offer, amount, reference, email, failure, again, trial } = payment;
  const { design, code, isSignedIn } = payment;
  const heading = t(`payment.${outcome}.heading`);
  usePolling(state === 'pending', heading, POLLING);
  const perPeriod = t(`payment.prices.${offer}`, { amount });
  const items = [
    { term: t('payment.offer'), value: t(`plans.${offer}`) },
    {
      term: t('payment.amount'),
      value: trial ? t('payment.trialAmount', { ...trial, amount }) : perPeriod,
    },
    ...(trial ? [{ term: t('payment.after'), value: perPeriod }] : []),
    { term: t('payment.reference'), value: reference },
  ];
  const path = `/payment-success${search}`;
  return (
    <div className="form-page payment">
      <PageHeading title={heading} lead={t(`payment.${outcome}.lead`)} />
      {outcome === 'failed' && (
        <p className="happens-next">{t([`payment.failures.${failure ?? ''}`, 'payment.failures.other'])}</p>
      )}
      <DefinitionList items={items} />
      {state === 'succeeded' && (
        <p className="happens-next">{t(isSignedIn ? 'payment.mailedKnown' : 'payment.mailed', { email })}</p>
      )}
      {design?.drawn && (
        <figure className="payment__design">
          <CodePicture drawn={design.drawn} label={t('aside.picture')} />
          <figcaption>
            <h2>{t('payment.design')}</h2>
            <p>
              {design.problem
                ? `${t('aside.unfinished')} ${design.problem}`
                : t(code ? 'payment.designDone' : 'payment.designKept')}
            </p>
          </figcaption>
        </figure>
      )}
      {payment.canResend && (
        <OrderMailForm action={path} canCorrect={payment.canCorrect} lastResult={actionData?.lastResult} />
      )}
      <div className="actions">
        {state === 'succeeded' && <NextLinks isSignedIn={isSignedIn} code={code} />}
        {state === 'pending' && (
          <a href={path} className={buttonClass()}>
            {t('payment.look')}
          </a>
        )}
        {outcome === 'alreadyRunning' && (
          <Link to="/user/subscription" className={buttonClass()}>
            {t('payment.seeSubscription')}
          </Link>
        )}
        {outcome === 'failed' && (
          <Link to={again} className={buttonClass()}>
            {t('payment.again')}
          </Link>
        )}
        <Link to={`/contact?${new URLSearchParams({ reference })}`} className={buttonClass('quiet')}>
          {t('payment.contact')}
        </Link>
      </div>
    </div>
  );
}

/** Links to continue: into the account, or to the login. */
function NextLinks({ isSignedIn, code }: { isSignedIn: boolean; code: string | null }) {
  const { t } = useTranslation('billing');
  if (!isSignedIn) {
    return (
      <Link to="/login" className={buttonClass('secondary')}>
        {t('payment.login')}
      </Link>
    );
  }
  return (
    <>
      {code && (
        <Link to={`/user/qrcodes/${code}/ready`} className={buttonClass()}>
          {t('payment.seeCode')}
        </Link>
      )}
      <Link to="/user/subscription" className={buttonClass('secondary')}>
        {t('payment.seeSubscription')}
      </Link>
    </>
  );
}

interface OrderMailFormProps {
  /** Path of the page, including the payment. */
  action: string;
  canCorrect: boolean;
  lastResult: LastResult;
}

/** For a mail that does not arrive: sends it again, or to a corrected address. */
function OrderMailForm({ action, canCorrect, lastResult }: OrderMailFormProps) {
  const { t } = useTranslation('billing');
  const [form, fields] = useServerValidatedForm<'email'>({ id: 'order-mail', lastResult });
  const { message, summary } = useErrorTexts('billing', form);
  // From the response: correcting the field clears its error, but the form must stay open.
  const wasRefused = Boolean(lastResult?.error?.email);
  return (
    <section className="sheet order-mail" aria-labelledby="order-mail-title">
      <h2 id="order-mail-title">{t('payment.missing')}</h2>
      <ErrorSummary errors={summary} />
      <Form action={action}>
        <Button variant="secondary" name="intent" value="resend">
          {t('payment.resend')}
        </Button>
      </Form>
      {canCorrect && (
        <details className="order-mail__wrong" {...(wasRefused && { open: true })}>
          <summary>{t('payment.wrong')}</summary>
          <p>{t('payment.wrongText')}</p>
          <Form action={action} {...form.props} className="form">
            <EmailField
              field={{ ...fields.email, required: true }}
              label={t('payment.correct')}
              error={message(fields.email.errors)}
              maxLength={254}
              autoComplete="email"
            />
            <Button name="intent" value="correct">
              {t('payment.correctSubmit')}
            </Button>
          </Form>
          <p>{t('payment.stillWrong')}</p>
        </details>
      )}
    </section>
  );
}

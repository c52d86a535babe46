import '~/styles/billing.css';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { listCountries } from '~/account/addresses/addresses.server';
import { CodePicture } from '~/codes/code/picture';
import { drawLatestDraft } from '~/codes/create/unfinished-design.server';
import { readVisitor, withVisitorCookie } from '~/codes/create/visitor.server';
import type { RequestContext } from '~/http/scope.server';
import { findLiveSession } from '~/http/session.server';
import { getLocale } from '~/i18n/locale.server';
import { usePageActionData } from '~/ui/page-action-data';
import { CheckoutPage } from './checkout';
import { type CheckoutData, checkoutData, findOffer, handleCheckout, pathInstead } from './checkout.server';
import { readSavedOrder } from './saved-order.server';

export const handle = { page: 'billing:checkout', form: 'order' };

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const requestContext = { request, context };
  await redirectIfSignedIn(requestContext);
  const saved = await readSavedOrder(request);
  const offer = await findOffer(requestContext, { typed: saved?.typed });
  const order = { slug: params.slug, offer, hasTrial: hasTrial(request), known: saved?.typed };
  const [checkout, design, locale] = await Promise.all([
    checkoutData(requestContext, order),
    drawLatestDraft(requestContext),
    getLocale(request),
  ]);
  const loaded = { checkout, design, countries: listCountries(locale), trial: hasTrial(request) };
  return data(loaded, { headers: saved?.headers ?? {} });
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const requestContext = { request, context };
  await redirectIfSignedIn(requestContext);
  const visitor = await readVisitor(request);
  const response = await handleCheckout(requestContext, {
    slug: params.slug,
    hasTrial: hasTrial(request),
    visitor,
  });
  // Only this browser may later correct the e-mail address of the order.
  return withVisitorCookie(response, visitor);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function SubscribePage() {
  const loaded = useLoaderData<typeof loader>();
  const { design, countries, trial } = loaded;
  const actionData = usePageActionData<typeof action>();
  const checkout: CheckoutData = actionData?.checkout ?? loaded.checkout;
  const { t } = useTranslation('billing');
  return (
    <CheckoutPage
      data={checkout}
      pathOf={(plan) => `/subscribe/${plan}${trial ? '' : '?trial=no'}`}
      countries={countries}
      lastResult={actionData?.lastResult}
      picture={design?.drawn && <CodePicture drawn={design.drawn} label={t('aside.picture')} />}
      problem={design?.problem}
    />
  );
}

/** Signed-in users order from their account instead. */
async function redirectIfSignedIn(requestContext: RequestContext): Promise<void> {
  const session = await findLiveSession(requestContext.request);
  if (session) throw redirect(await pathInstead(requestContext, session), 303);
}

/** A second order by the same person has no trial: the mail about it links here with `?trial=no`. */
function hasTrial(request: Request): boolean {
  return new URL(request.url).searchParams.get('trial') !== 'no';
}

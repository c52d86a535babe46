import '~/styles/billing.css';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { CodePicture } from '~/codes/code/picture';
import { drawLatestDraft } from '~/codes/create/unfinished-design.server';
import { isSignedIn, readScope, type Scope } from '~/http/scope.server';
import { withVisitorCookie } from '~/http/visitor.server';
import { listCountries } from '~/i18n/places.server';
import { usePageActionData } from '~/ui/page-action-data';
import { CheckoutPage } from './checkout';
import {
  type CheckoutData,
  checkoutData,
  findOffer,
  handleCheckout,
  offersTrial,
  pathInstead,
} from './checkout.server';
import { readSavedOrder } from './saved-order.server';

export const handle = { page: 'billing:checkout', form: 'order' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await readScope(args);
  await redirectIfSignedIn(scope);
  const saved = await readSavedOrder(scope);
  const offer = await findOffer(scope, saved?.entered);
  const trial = offersTrial(scope);
  const order = { slug: params.slug, offer, hasTrial: trial, known: saved?.entered };
  const [checkout, design] = await Promise.all([checkoutData(scope, order), drawLatestDraft(scope)]);
  const loaded = { checkout, design, countries: listCountries(scope.locale), trial };
  return data(loaded, { headers: saved?.headers ?? {} });
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  const scope = await readScope(args);
  await redirectIfSignedIn(scope);
  const response = await handleCheckout(scope, params.slug);
  // Only this browser may later correct the e-mail address of the order.
  return withVisitorCookie(response, scope.visitor);
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
      higherPrice={actionData?.higherPrice}
      picture={design?.drawn && <CodePicture drawn={design.drawn} label={t('aside.picture')} />}
      problem={design?.problem}
    />
  );
}

/** Signed-in users order from their account instead. */
async function redirectIfSignedIn(scope: Scope): Promise<void> {
  if (isSignedIn(scope)) throw redirect(await pathInstead(scope), 303);
}

import '~/styles/billing.css';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { CodePicture } from '~/codes/code/picture';
import { drawLatestDraft } from '~/codes/create/unfinished-design.server';
import { requireUser } from '~/http/guards.server';
import { listCountries } from '~/i18n/places.server';
import { usePageActionData } from '~/ui/page-action-data';
import { CheckoutPage } from './checkout';
import {
  type CheckoutData,
  checkoutData,
  findOffer,
  handleCheckout,
  hasTrial,
  knownBuyer,
  offersTrial,
} from './checkout.server';
import { readSavedOrder } from './saved-order.server';
import { SUBSCRIPTION_PATH } from './subscription.server';

export const handle = { page: 'billing:checkout', form: 'order' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const saved = await readSavedOrder(scope);
  const offer = await findOffer(scope, saved?.entered);
  if (offer.account?.running) throw redirect(SUBSCRIPTION_PATH, 303);
  const known = saved?.entered ?? (await knownBuyer(scope, offer));
  const order = { slug: params.slug, offer, hasTrial: hasTrial(scope, offer), known };
  const [checkout, design] = await Promise.all([checkoutData(scope, order), drawLatestDraft(scope)]);
  const loaded = {
    checkout,
    design,
    countries: listCountries(scope.locale),
    account: { email: scope.user.email },
    trial: offersTrial(scope),
  };
  return data(loaded, { headers: saved?.headers ?? {} });
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleCheckout(await requireUser(args), params.slug);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function OrderPage() {
  const loaded = useLoaderData<typeof loader>();
  const { design, countries, account, trial } = loaded;
  const actionData = usePageActionData<typeof action>();
  const checkout: CheckoutData = actionData?.checkout ?? loaded.checkout;
  const { t } = useTranslation('billing');
  return (
    <CheckoutPage
      data={checkout}
      pathOf={(plan) => `/user/subscription/order/${plan}${trial ? '' : '?trial=no'}`}
      countries={countries}
      lastResult={actionData?.lastResult}
      higherPrice={actionData?.higherPrice}
      account={account}
      picture={design?.drawn && <CodePicture drawn={design.drawn} label={t('aside.picture')} />}
      problem={design?.problem}
    />
  );
}

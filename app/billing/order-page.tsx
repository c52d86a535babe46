import '~/styles/billing.css';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { listCountries } from '~/account/addresses/addresses.server';
import { CodePicture } from '~/codes/code/picture';
import { drawLatestDraft } from '~/codes/create/unfinished-design.server';
import { readVisitor } from '~/codes/create/visitor.server';
import { requireUser } from '~/http/guards.server';
import { getLocale } from '~/i18n/locale.server';
import { usePageActionData } from '~/ui/page-action-data';
import { CheckoutPage } from './checkout';
import { type CheckoutData, checkoutData, findOffer, handleCheckout, knownBuyer } from './checkout.server';
import { readSavedOrder } from './saved-order.server';
import { SUBSCRIPTION_PATH } from './subscription.server';

export const handle = { page: 'billing:checkout', form: 'order' };

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const session = await requireUser(request);
  const { token, email } = session;
  const requestContext = { request, context };
  const saved = await readSavedOrder(request, session);
  const offer = await findOffer(requestContext, { typed: saved?.typed, token });
  if (offer.account?.running) throw redirect(SUBSCRIPTION_PATH, 303);
  const known = saved?.typed ?? (await knownBuyer(requestContext, token, offer));
  const hasTrial = offer.account?.trialAvailable ?? false;
  const [checkout, design, locale] = await Promise.all([
    checkoutData(requestContext, { slug: params.slug, offer, hasTrial, known }),
    drawLatestDraft(requestContext),
    getLocale(request),
  ]);
  const loaded = { checkout, design, countries: listCountries(locale), account: { email } };
  return data(loaded, { headers: saved?.headers ?? {} });
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const session = await requireUser(request);
  const requestContext = { request, context };
  const visitor = await readVisitor(request);
  return handleCheckout(requestContext, { slug: params.slug, visitor, session });
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function OrderPage() {
  const loaded = useLoaderData<typeof loader>();
  const { design, countries, account } = loaded;
  const actionData = usePageActionData<typeof action>();
  const checkout: CheckoutData = actionData?.checkout ?? loaded.checkout;
  const { t } = useTranslation('billing');
  return (
    <CheckoutPage
      data={checkout}
      pathOf={(plan) => `/user/subscription/order/${plan}`}
      countries={countries}
      lastResult={actionData?.lastResult}
      account={account}
      picture={design?.drawn && <CodePicture drawn={design.drawn} label={t('aside.picture')} />}
      problem={design?.problem}
    />
  );
}

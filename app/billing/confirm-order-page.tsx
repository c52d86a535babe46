import { LINK_PAGE_HEADERS } from '~/http/link-page.server';
import { readScope } from '~/http/scope.server';
import '~/styles/billing.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { HeldOrderFacts, OverLink, OwnerLinkPage, ownerLinkHandle } from './owner-decisions';
import { handleOrderLink, type OrderLink, readOrderLink } from './owner-link.server';

export const handle = ownerLinkHandle;

export function headers() {
  return LINK_PAGE_HEADERS;
}

export async function loader(args: LoaderFunctionArgs) {
  return readOrderLink(await readScope(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleOrderLink(await readScope(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ConfirmOrderPage() {
  const { state, order }: OrderLink = useLoaderData<typeof loader>();
  if (state !== 'held') return <OverLink texts={`held.${state}`} />;
  return (
    <OwnerLinkPage path="/confirm-order" texts="held">
      <HeldOrderFacts order={order} />
    </OwnerLinkPage>
  );
}

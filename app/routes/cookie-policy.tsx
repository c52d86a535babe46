import '~/styles/legal.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { type LegalData, legalData } from '~/site/legal.server';
import { LegalDocument } from '~/site/legal-document';
import type { PageHandle } from '~/ui/page-head';

export const handle: PageHandle = { page: (data) => (data as LegalData).head };

export async function loader({ request, context }: LoaderFunctionArgs) {
  return legalData({ request, context }, 'cookie');
}

export { shouldRevalidate } from '~/ui/form-route';

export default function CookiePolicyPage() {
  return <LegalDocument data={useLoaderData<typeof loader>()} />;
}

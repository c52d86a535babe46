import { readScope } from '~/http/scope.server';
import '~/styles/legal.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import type { PageHandle } from '~/ui/page-head';
import { LegalDocument } from './document';
import { type LegalData, legalData } from './legal.server';

export const handle: PageHandle = { page: (data) => (data as LegalData).head, isPublic: true };

export async function loader(args: LoaderFunctionArgs) {
  return legalData(await readScope(args), 'terms');
}

export { shouldRevalidate } from '~/ui/form-route';

export default function TermsOfSalesPage() {
  return <LegalDocument data={useLoaderData<typeof loader>()} framed="guarantees" />;
}

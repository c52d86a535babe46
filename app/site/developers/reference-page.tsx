import type { LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { readScope } from '~/http/scope.server';
import { referenceData } from './reference.server';
import { DevelopersPage } from './sections';

export const handle = { page: 'developers:reference', isPublic: true };

export async function loader(args: LoaderFunctionArgs) {
  return referenceData(await readScope(args));
}

export { shouldRevalidate } from '~/ui/form-route';

export default function ReferencePage() {
  return <DevelopersPage {...useLoaderData<typeof loader>()} />;
}

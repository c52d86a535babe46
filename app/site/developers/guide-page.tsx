import type { LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { readScope } from '~/http/scope.server';
import { guideData } from './guide.server';
import { DevelopersPage } from './sections';

export const handle = { page: 'developers:guide', isPublic: true };

export async function loader(args: LoaderFunctionArgs) {
  return guideData(await readScope(args));
}

export { shouldRevalidate } from '~/ui/form-route';

export default function GuidePage() {
  return <DevelopersPage {...useLoaderData<typeof loader>()} />;
}

import type { LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { readScope } from '~/http/scope.server';
import { changelogData } from './changelog.server';
import { DevelopersPage } from './sections';

export const handle = { page: 'developers:changelog' };

export async function loader(args: LoaderFunctionArgs) {
  return changelogData(await readScope(args));
}

export { shouldRevalidate } from '~/ui/form-route';

export default function ChangelogPage() {
  return <DevelopersPage {...useLoaderData<typeof loader>()} />;
}

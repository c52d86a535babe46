import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useActionData, useLoaderData } from '@remix-run/react';
import { NoneChosen } from '~/codes/selection';
import { ZipForm } from '~/codes/zip-form';
import { loadZipPage } from '~/codes/zip-page.server';
import type { FormHandle } from '~/ui/language-switch';
import type { PageHandle } from '~/ui/page-head';

export const handle: PageHandle & FormHandle = {
  page: 'files:zip',
  form: (data) => ((data as { hasForm: boolean }).hasForm ? 'zip' : null),
};

export async function loader({ request, context }: LoaderFunctionArgs) {
  return loadZipPage({ request, context });
}

/** A selection too large for a URL is posted, still without any options. */
export async function action({ request, context }: ActionFunctionArgs) {
  return loadZipPage({ request, context });
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ZipPage() {
  const asked = useLoaderData<typeof loader>();
  const page = useActionData<typeof action>() ?? asked;
  return page.count === 0 ? <NoneChosen /> : <ZipForm page={page} />;
}

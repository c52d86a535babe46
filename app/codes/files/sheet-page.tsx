import '~/styles/print-sheet.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useActionData, useLoaderData } from '@remix-run/react';
import { NoneChosen } from '~/codes/list/selection';
import type { FormHandle } from '~/ui/language-switch';
import type { PageHandle } from '~/ui/page-head';
import { loadSheetPage } from './sheet.server';
import { SheetForm } from './sheet-form';

export const handle: PageHandle & FormHandle = {
  page: 'files:sheet',
  form: (data) => ((data as { hasForm: boolean }).hasForm ? 'sheet' : null),
};

export async function loader(args: LoaderFunctionArgs) {
  return loadSheetPage(args);
}

/** A selection too large for a URL is posted. */
export async function action(args: ActionFunctionArgs) {
  return loadSheetPage(args);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function SheetPage() {
  const requested = useLoaderData<typeof loader>();
  const page = useActionData<typeof action>() ?? requested;
  return page.count === 0 ? <NoneChosen /> : <SheetForm page={page} />;
}

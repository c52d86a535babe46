import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { readScope } from '~/http/scope.server';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { type DeclarationData, declarationData, handleDeclaration } from './contract-end.server';
import { Declaration } from './declaration';

export const handle: PageHandle & FormHandle = {
  page: 'billing:withdrawContract',
  form: (data) => ((data as DeclarationData).receipt ? null : 'declaration'),
};

export async function loader(args: LoaderFunctionArgs) {
  return declarationData(await readScope(args), 'withdraw');
}

export async function action(args: ActionFunctionArgs) {
  return handleDeclaration(await readScope(args), 'withdraw');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function WithdrawPage() {
  const data = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  return <Declaration kind="withdraw" action="/withdraw" data={data} actionData={actionData} />;
}

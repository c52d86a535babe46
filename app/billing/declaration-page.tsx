import { LINK_PAGE_HEADERS } from '~/http/link-page.server';
import { readScope } from '~/http/scope.server';
import '~/styles/billing.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { DefinitionList } from '~/ui/definition-list';
import { OverLink, OwnerLinkPage, ownerLinkHandle } from './owner-decisions';
import { type DeclarationLink, handleDeclarationLink, readDeclarationLink } from './owner-link.server';

export const handle = ownerLinkHandle;

export function headers() {
  return LINK_PAGE_HEADERS;
}

export async function loader(args: LoaderFunctionArgs) {
  return readDeclarationLink(await readScope(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleDeclarationLink(await readScope(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function DeclarationPage() {
  const { state, declaration }: DeclarationLink = useLoaderData<typeof loader>();
  const { t } = useTranslation('billing');
  if (state !== 'waiting') return <OverLink texts={`waiting.${state}`} />;
  const { texts, plan, date, effect } = declaration;
  const items = [
    { term: t('declaration.what'), value: t(`${texts}.declared`) },
    ...(plan ? [{ term: t('waiting.contract'), value: t(`plans.${plan}`) }] : []),
    { term: t('declaration.date'), value: date },
    { term: t('waiting.effect'), value: effect },
  ];
  return (
    <OwnerLinkPage path="/declaration" texts="waiting">
      <DefinitionList items={items} />
      <p>{t('waiting.text')}</p>
    </OwnerLinkPage>
  );
}

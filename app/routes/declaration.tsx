import '~/styles/billing.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { DeclarationButtons } from '~/billing/owner-decisions';
import {
  type DeclarationLink,
  handleDeclarationLink,
  OWNER_LINK_HEADERS,
  readDeclarationLink,
} from '~/billing/owner-link.server';
import { useAnsweredForm } from '~/ui/answered-form';
import { buttonClass } from '~/ui/button';
import { DefinitionList } from '~/ui/definition-list';
import { useErrorTexts } from '~/ui/error-texts';
import { Form } from '~/ui/form';
import { FormPage } from '~/ui/form-page';
import { usePageAnswer } from '~/ui/page-answer';
import type { PageHandle } from '~/ui/page-head';

export const handle: PageHandle = {
  page: (data) => {
    const { state } = data as DeclarationLink;
    const key = state === 'waiting' ? 'billing:waiting' : (`billing:waiting.${state}` as const);
    return { key, values: {}, isPersonal: true };
  },
};

export function headers() {
  return OWNER_LINK_HEADERS;
}

export async function loader({ request, context }: LoaderFunctionArgs) {
  return readDeclarationLink({ request, context });
}

export async function action({ request, context }: ActionFunctionArgs) {
  return handleDeclarationLink({ request, context });
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function DeclarationPage() {
  const { state, declaration }: DeclarationLink = useLoaderData<typeof loader>();
  const answer = usePageAnswer<typeof action>();
  const { t } = useTranslation('billing');
  const { search } = useLocation();
  const [form] = useAnsweredForm<never>({ id: 'decide', lastResult: answer?.lastResult, defaultValue: {} });
  const { summary } = useErrorTexts('billing', form);
  if (state !== 'waiting') {
    return (
      <FormPage title={t(`waiting.${state}.title`)} lead={t(`waiting.${state}.text`)} errors={[]}>
        <div className="actions">
          <Link to="/user/subscription" className={buttonClass('secondary')}>
            {t('waiting.toSubscription')}
          </Link>
        </div>
      </FormPage>
    );
  }
  const { texts, plan, date, effect } = declaration;
  const items = [
    { term: t('declaration.what'), value: t(`${texts}.declared`) },
    ...(plan ? [{ term: t('waiting.contract'), value: t(`plans.${plan}`) }] : []),
    { term: t('declaration.date'), value: date },
    { term: t('waiting.effect'), value: effect },
  ];
  return (
    <FormPage title={t('waiting.heading')} lead={t('waiting.lead')} errors={summary}>
      <Form action={`/declaration${search}`} {...form.props} className="sheet owner-decision">
        <DefinitionList items={items} />
        <p>{t('waiting.text')}</p>
        <DeclarationButtons />
      </Form>
    </FormPage>
  );
}

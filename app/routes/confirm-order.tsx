import '~/styles/billing.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { HeldOrderFacts, OrderButtons } from '~/billing/owner-decisions';
import {
  handleOrderLink,
  type OrderLink,
  OWNER_LINK_HEADERS,
  readOrderLink,
} from '~/billing/owner-link.server';
import { useAnsweredForm } from '~/ui/answered-form';
import { buttonClass } from '~/ui/button';
import { useErrorTexts } from '~/ui/error-texts';
import { Form } from '~/ui/form';
import { FormPage } from '~/ui/form-page';
import { usePageAnswer } from '~/ui/page-answer';
import type { PageHandle } from '~/ui/page-head';

export const handle: PageHandle = {
  page: (data) => {
    const { state } = data as OrderLink;
    const key = state === 'held' ? 'billing:held' : (`billing:held.${state}` as const);
    return { key, values: {}, isPersonal: true };
  },
};

export function headers() {
  return OWNER_LINK_HEADERS;
}

export async function loader({ request, context }: LoaderFunctionArgs) {
  return readOrderLink({ request, context });
}

export async function action({ request, context }: ActionFunctionArgs) {
  return handleOrderLink({ request, context });
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ConfirmOrderPage() {
  const { state, order }: OrderLink = useLoaderData<typeof loader>();
  const answer = usePageAnswer<typeof action>();
  const { t } = useTranslation('billing');
  const { search } = useLocation();
  const [form] = useAnsweredForm<never>({ id: 'decide', lastResult: answer?.lastResult, defaultValue: {} });
  const { summary } = useErrorTexts('billing', form);
  if (state !== 'held') {
    return (
      <FormPage title={t(`held.${state}.title`)} lead={t(`held.${state}.text`)} errors={[]}>
        <div className="actions">
          <Link to="/user/subscription" className={buttonClass('secondary')}>
            {t('waiting.toSubscription')}
          </Link>
        </div>
      </FormPage>
    );
  }
  return (
    <FormPage title={t('held.heading')} lead={t('held.lead')} errors={summary}>
      <Form action={`/confirm-order${search}`} {...form.props} className="sheet owner-decision">
        <HeldOrderFacts order={order} />
        <OrderButtons />
      </Form>
    </FormPage>
  );
}

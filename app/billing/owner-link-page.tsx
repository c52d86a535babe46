import { Link, useLocation } from '@remix-run/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { Form } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { FormPage } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { DecisionButtons } from './owner-decisions';
import type { DeclarationLink, handleDeclarationLink, handleOrderLink, OrderLink } from './owner-link.server';

/** Route handle of both pages. */
export const ownerLinkHandle: PageHandle = {
  page: (data) => ({ key: keyOf(data as DeclarationLink | OrderLink), values: {}, isPersonal: true }),
};

function keyOf(link: DeclarationLink | OrderLink) {
  if ('order' in link) return link.order ? 'billing:held' : (`billing:held.${link.state}` as const);
  return link.declaration ? 'billing:waiting' : (`billing:waiting.${link.state}` as const);
}

interface Props {
  /** Path of the page, without the link's token. */
  path: string;
  texts: 'held' | 'waiting';
  /** The pending decision. */
  children: ReactNode;
}

/** The page of a link mailed to the owner of an address about something done in the owner's name. */
export function OwnerLinkPage({ path, texts, children }: Props) {
  const actionData = usePageActionData<typeof handleDeclarationLink | typeof handleOrderLink>();
  const { t } = useTranslation('billing');
  const { search } = useLocation();
  const [form] = useServerValidatedForm<never>({
    id: 'decide',
    lastResult: actionData?.lastResult,
    defaultValue: {},
  });
  const { summary } = useErrorTexts('billing', form);
  return (
    <FormPage title={t(`${texts}.heading`)} lead={t(`${texts}.lead`)} errors={summary}>
      <Form action={path + search} {...form.props} className="sheet owner-decision">
        {children}
        <DecisionButtons texts={texts} />
      </Form>
    </FormPage>
  );
}

type Over<Page extends { state: string }, Live> = Exclude<Page['state'], Live>;

/** The outcome, shown when nothing is left to decide. */
export function OverLink({
  texts,
}: {
  texts: `held.${Over<OrderLink, 'held'>}` | `waiting.${Over<DeclarationLink, 'waiting'>}`;
}) {
  const { t } = useTranslation('billing');
  return (
    <FormPage title={t(`${texts}.title`)} lead={t(`${texts}.text`)} errors={[]}>
      <div className="actions">
        <Link to="/user/subscription" className={buttonClass('secondary')}>
          {t('waiting.toSubscription')}
        </Link>
      </div>
    </FormPage>
  );
}

import '~/styles/rules.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { RULES_LIMIT } from '#contract/routing-rules';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { Icon } from '~/ui/icon';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { EmptyState, PageHeading } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { LockedNote } from './locked-note';
import { RuleFigures, RuleList } from './rule-list';
import { changeOrder, viewRules } from './rules.server';
import { Trial } from './trial';

export const handle: PageHandle = {
  page: (data) => ({
    key: 'routing:rules',
    values: { name: (data as { code: { name: string } } | null)?.code.name ?? '' },
  }),
};

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return viewRules(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return changeOrder(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RulesPage() {
  const page = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('routing');
  const [form] = useServerValidatedForm<never>({ id: 'order', lastResult: actionData?.lastResult });
  const { summary } = useErrorTexts('design', form);
  const { code, rules, isLocked, isFull } = page;
  const path = `/user/qrcodes/${code.id}/rules`;
  const add = !isLocked && !isFull && (
    <Link to={`${path}/new`} className={buttonClass(rules.length > 0 ? 'secondary' : 'primary')}>
      <Icon name="plus" />
      {t('rules.add')}
    </Link>
  );
  return (
    <div className="page rules-page">
      <p>
        <Link to={`/user/qrcodes/${code.id}`}>{t('rules.back', { name: code.name })}</Link>
      </p>
      <PageHeading title={t('rules.heading')} lead={t('rules.lead')} />
      {isLocked && <LockedNote />}
      <ErrorSummary errors={summary} />
      {rules.length > 0 ? (
        <div className="rules-columns">
          <div className="rules-column">
            <RuleList page={page} path={path} />
            {add && <div className="actions">{add}</div>}
            {isFull && <p className="hint">{t('rules.full', { count: RULES_LIMIT })}</p>}
            {page.figures && <RuleFigures figures={page.figures} />}
          </div>
          <Trial page={page} path={path} />
        </div>
      ) : (
        <EmptyState title={t('rules.emptyTitle')} text={t('rules.emptyText')} action={add} />
      )}
    </div>
  );
}

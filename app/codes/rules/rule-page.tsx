import '~/styles/rules.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { RuleForm } from './rule-form';
import { saveRule, viewRuleForm } from './rule-form.server';

export const handle: PageHandle & FormHandle = {
  page: (data) => {
    const { number, code } = (data as Awaited<ReturnType<typeof loader>> | null) ?? {};
    const values = { name: code?.name ?? '', number: number ?? '' };
    return { key: number ? 'routing:change' : 'routing:add', values };
  },
  form: 'rule',
};

/** The id of a new rule is `new`. */
export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return viewRuleForm(await requireUser(args), params.id, params.rule);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return saveRule(await requireUser(args), params.id, params.rule);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RulePage() {
  const page = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('routing');
  return (
    <>
      <p className="rule-back">
        <Link to={`/user/qrcodes/${page.code.id}/rules`}>{t('form.back', { name: page.code.name })}</Link>
      </p>
      <RuleForm page={page} lastResult={actionData?.lastResult} />
    </>
  );
}

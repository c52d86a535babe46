import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { ChangePage } from './change-page';
import { requireSwitch, switchOver } from './subscription.server';

export const handle = { page: 'billing:switch' };

export async function loader(args: LoaderFunctionArgs) {
  return requireSwitch(await requireUser(args));
}

export async function action(args: ActionFunctionArgs) {
  return switchOver(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function SwitchPlanPage() {
  const { plan, present, pending, isAtOnce, date, amount, fields } = useLoaderData<typeof loader>();
  const { t } = useTranslation('billing');
  const price = t(`payment.prices.${plan}`, { amount });
  const values = { plan: t(`plans.${pending ? present : plan}`), date, amount, price };
  return (
    <ChangePage
      title={t(pending ? 'switch.keepHeading' : 'switch.heading')}
      text={t(pending ? 'switch.keepText' : isAtOnce ? 'switch.nowText' : 'switch.text', values)}
      action="/user/subscription/switch"
      fields={fields}
      label={t(pending ? 'switch.keepSubmit' : `switch.submit.${plan}`, values)}
      keepLabel={t(pending ? 'switch.keepLeave' : 'switch.leave')}
    />
  );
}

import { type LoaderFunctionArgs, redirect } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { SignedOut } from '~/account/signed-out';
import { readNotices } from '~/http/flash.server';
import type { NoticeKey } from '~/i18n/text-keys';
import type { PageHandle } from '~/ui/page-head';

const AFTER: Partial<Record<NoticeKey, 'password' | 'deletion'>> = {
  password_changed: 'password',
  account_deleted: 'deletion',
};

export const handle: PageHandle = {
  page: (data) => ({
    key: `account:signedOut.${(data as { after: 'password' | 'deletion' }).after}`,
    values: {},
  }),
};

/** Shows itself once, by the notice it comes with: a link cannot make anybody believe that an account is gone. */
export async function loader({ request }: LoaderFunctionArgs) {
  const notices = await readNotices(request);
  const after = notices.map(({ key }) => AFTER[key]).find(Boolean);
  if (!after) throw redirect('/login', 303);
  return { after };
}

export { shouldRevalidate } from '~/ui/form-route';

export default function SignedOutPage() {
  const { after } = useLoaderData<typeof loader>();
  return <SignedOut after={after} />;
}

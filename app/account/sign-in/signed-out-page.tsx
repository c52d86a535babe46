import { type LoaderFunctionArgs, redirect } from '@remix-run/node';
import { Link, useLoaderData, useNavigate } from '@remix-run/react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { readNotices } from '~/http/flash.server';
import { readScope } from '~/http/scope.server';
import type { NoticeKey } from '~/i18n/text-keys';
import { buttonClass } from '~/ui/button';
import type { PageHandle } from '~/ui/page-head';
import { PageHeading } from '~/ui/page-layouts';

const REDIRECT_MS = 1000;
const NEXT = { password: '/login', deletion: '/' } as const;

const AFTER: Partial<Record<NoticeKey, keyof typeof NEXT>> = {
  password_changed: 'password',
  account_deleted: 'deletion',
};

export const handle: PageHandle = {
  page: (data) => ({
    key: `account:signedOut.${(data as { after: keyof typeof NEXT }).after}`,
    values: {},
  }),
};

/**
 * Shown only with the one-time notice of the redirect here: a link cannot make anybody believe that an
 * account is gone.
 */
export async function loader(args: LoaderFunctionArgs) {
  const scope = await readScope(args);
  const notices = await readNotices(scope.request);
  const after = notices.map(({ key }) => AFTER[key]).find(Boolean);
  if (!after) throw redirect('/login', 303);
  return { after };
}

export { shouldRevalidate } from '~/ui/form-route';

/** Explains why the session has ended. Redirects by itself with scripts; without them, a link does. */
export default function SignedOutPage() {
  const { after } = useLoaderData<typeof loader>();
  const { t } = useTranslation('account');
  const navigate = useNavigate();
  const to = NEXT[after];
  useEffect(() => {
    const timer = setTimeout(() => navigate(to, { replace: true }), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [navigate, to]);
  return (
    <div className="form-page">
      <PageHeading title={t(`signedOut.${after}.title`)} lead={t(`signedOut.${after}.text`)} />
      <p>
        <Link to={to} className={buttonClass('primary')}>
          {t(`signedOut.${after}.next`)}
        </Link>
      </p>
    </div>
  );
}

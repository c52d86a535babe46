import '~/styles/code-pages.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { checkFile } from '~/codes/downloads.server';
import { FileCheck } from '~/codes/file-check';
import { requireUser } from '~/http/guards.server';

export const handle = { page: 'codes:check' };

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  return checkFile({ request, context }, params.id, token);
}

export { shouldRevalidate } from '~/ui/form-route';

export default function FileCheckPage() {
  const check = useLoaderData<typeof loader>();
  const { t } = useTranslation('codes');
  return (
    <div className="page file-check">
      <p>
        <Link to={check.back}>{t('check.back')}</Link>
      </p>
      <h1>{t('check.title')}</h1>
      <p className="lead whole-address">{check.fileName}</p>
      <FileCheck check={check} />
    </div>
  );
}

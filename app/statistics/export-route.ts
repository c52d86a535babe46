import { data, type LoaderFunctionArgs } from '@remix-run/node';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { downloadCodes, downloadDays } from './exports.server';

const TABLES = new Map([
  ['codes', downloadCodes],
  ['daily', downloadDays],
]);

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    const download = TABLES.get(params.table?.toLowerCase() ?? '');
    if (!download) throw data(null, { status: 404 });
    const user = await requireUser(scope);
    return download(user);
  });
}

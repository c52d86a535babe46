import { data, type LoaderFunctionArgs } from '@remix-run/node';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { downloadDuplicates, downloadProblems } from './files.server';

const LISTS = new Map([
  ['duplicates', downloadDuplicates],
  ['problems', downloadProblems],
]);

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    const download = LISTS.get(params.list?.toLowerCase() ?? '');
    if (!download) throw data(null, { status: 404 });
    const user = await requireUser(scope);
    return download(user, params.id);
  });
}

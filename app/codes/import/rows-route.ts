import { data, type LoaderFunctionArgs } from '@remix-run/node';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { downloadDuplicates, downloadProblems } from './files.server';

const LISTS = new Map([
  ['duplicates', downloadDuplicates],
  ['problems', downloadProblems],
]);

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const download = LISTS.get(params.list?.toLowerCase() ?? '');
    if (!download) throw data(null, { status: 404 });
    const { token } = await requireUser(request);
    return download({ request, context }, params.id, token);
  });
}

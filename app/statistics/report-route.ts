import { data, type LoaderFunctionArgs } from '@remix-run/node';
import { nameOf } from '~/codes/code/codes.server';
import { draw } from '~/codes/pictures/drawing-pool.server';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { readReport } from './report.server';
import { respondReport } from './report-file.server';

/** The report as a file; without a subscription there is none. */
export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, async (anyone) => {
    const scope = await requireUser(anyone);
    const report = await readReport(scope, nameOf);
    if (!report) throw data(null, { status: 404 });
    return respondReport(report, scope.locale, (order) => draw(scope, 'makeReport', order), {
      'Cache-Control': 'private, no-store',
    });
  });
}

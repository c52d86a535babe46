import { data, type LoaderFunctionArgs } from '@remix-run/node';
import { STATISTICS_FILES, type StatisticsFile } from '#contract/exports';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { downloadCodes, downloadFigures } from './exports.server';

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    const file = `${params.table?.toLowerCase()}.csv`;
    if (file === 'codes.csv') return downloadCodes(await requireUser(scope));
    if (!isStatisticsFile(file)) throw data(null, { status: 404 });
    return downloadFigures(await requireUser(scope), file);
  });
}

function isStatisticsFile(file: string): file is StatisticsFile {
  return Object.hasOwn(STATISTICS_FILES, file);
}

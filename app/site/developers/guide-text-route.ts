import type { LoaderFunctionArgs } from '@remix-run/node';
import { readScope } from '~/http/scope.server';
import { guideData } from './guide.server';
import { markdownResponse } from './markdown.server';

export async function loader(args: LoaderFunctionArgs) {
  return markdownResponse(guideData(await readScope(args)));
}
